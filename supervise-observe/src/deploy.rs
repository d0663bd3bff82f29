//! The texts that tell systemd and Kubernetes how long a declared tree may take to stop, and how to see that it lives.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use supervise_core::base::line::is_hidden;
use supervise_core::values::declaration::{Below, DeclaredShutdown, TreeSpec};
use supervise_core::values::strategy::ShutdownTimeout;

/// The time that is added to what the declaration needs: a shutdown waits 5 s longer for a child that blocks its thread
/// (S25), and the program has to exit.
const MARGIN: Duration = Duration::from_secs(10);

/// The variable by which the printed unit tells the program its `TimeoutStopSec`, in seconds: systemd itself does not.
pub(crate) const TIMEOUT_STOP: &str = "SUPERVISE_TIMEOUT_STOP_SEC";

/// Returns the name that a program of this tree probably has: `cell-conductor` for `CellConductor`.
fn program(spec: &TreeSpec) -> String {
    let mut name = String::new();
    for letter in spec.name.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name.replace('_', "-")
}

/// The text of a systemd unit for the program of a tree. `Display` writes it. Returned by
/// [`Render::systemd_unit`](crate::Render::systemd_unit).
///
/// `TimeoutStopSec` is the time that the declaration needs to stop in order, and 10 s. If the declaration limits no time,
/// because a child has `shutdown = Infinity` or one that is computed, a comment names the child and says what to do.
///
/// Print it from the program itself, so that it never differs from what is running:
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         #[lifecycle(Permanent, shutdown = 20s)]
///         db: Db = Db,
///         cart: Db = Db, // 5 s
///     }
/// }
///
/// if std::env::args().any(|argument| argument == "--print-unit") {
///     print!("{}", Shop::SPEC.systemd_unit().exec("/usr/local/bin/shop"));
/// }
/// # let unit = Shop::SPEC.systemd_unit().exec("/usr/local/bin/shop").to_string();
/// # assert!(unit.contains("\nExecStart=/usr/local/bin/shop\n") && unit.contains("\nTimeoutStopSec=35s\n"), "{unit}");
/// ```
#[derive(Debug, Clone)]
#[must_use = "print this: it is a text"]
pub struct SystemdUnit<'a> {
    spec: &'a TreeSpec,
    exec: Option<Cow<'a, str>>,
    watchdog: Option<Duration>,
    margin: Duration,
}

impl<'a> SystemdUnit<'a> {
    pub(super) fn of(spec: &'a TreeSpec) -> Self {
        SystemdUnit { spec, exec: None, watchdog: Some(Duration::from_secs(30)), margin: MARGIN }
    }

    /// Sets the command of the program, as in `ExecStart`. Without it the text has a path that has to be replaced.
    pub fn exec(mut self, command: impl Into<Cow<'a, str>>) -> Self {
        self.exec = Some(command.into());
        self
    }

    /// Sets `WatchdogSec`, the time without a sign of life after which systemd ends the program. The default is 30 s; with
    /// zero there is no watchdog.
    pub fn watchdog(mut self, time: Duration) -> Self {
        self.watchdog = Some(time).filter(|time| !time.is_zero());
        self
    }

    /// Sets the time that `TimeoutStopSec` has in addition to what the declaration needs. The default is 10 s. Both together are
    /// at least 1 s, since systemd takes zero for a stop without a limit.
    pub fn margin(mut self, time: Duration) -> Self {
        self.margin = time;
        self
    }
}

impl fmt::Display for SystemdUnit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TreeSpec { name, .. } = self.spec;
        let program = program(self.spec);
        writeln!(
            f,
            "# {program}.service: printed by `{name}::SPEC.systemd_unit()`. Print it again after each change of"
        )?;
        writeln!(f, "# the declaration, since the times come from there.")?;
        writeln!(f, "[Unit]")?;
        writeln!(f, "Description={}", description(self.spec))?;
        writeln!(f)?;
        writeln!(f, "[Service]")?;
        writeln!(f, "# The program starts the tree by `{name}::tree(..).systemd().run(supervise::signal())`.")?;
        writeln!(f, "Type=notify")?;
        writeln!(f, "NotifyAccess=main")?;
        match &self.exec {
            Some(exec) => writeln!(f, "ExecStart={}", on_one_line(exec))?,
            None => writeln!(f, "ExecStart=/REPLACE/THIS/WITH/THE/PATH/OF/{program}")?,
        }
        writeln!(f)?;
        writeln!(f, "# A tree that cannot heal itself ends the program with a failure.")?;
        writeln!(f, "Restart=on-failure")?;
        writeln!(f, "RestartSec=5s")?;
        if let Some(time) = self.watchdog {
            writeln!(f, "# The root of the tree gives a sign of life twice in this time.")?;
            writeln!(f, "WatchdogSec={}", span(time))?;
        }
        writeln!(f)?;
        writeln!(f, "# SIGTERM goes to the program alone, which stops its children in order.")?;
        writeln!(f, "KillMode=mixed")?;
        writeln!(f, "KillSignal=SIGTERM")?;
        match self.spec.shutdown_budget() {
            Some(need) => {
                let time = seconds(need, self.margin);
                writeln!(f, "# An orderly stop takes at most {}; the rest is a margin.", span(need))?;
                writeln!(f, "TimeoutStopSec={time}s")?;
                writeln!(f, "# The program reads this to warn if the time is too short. Change both together.")?;
                writeln!(f, "Environment={TIMEOUT_STOP}={time}")?;
            }
            None => {
                unlimited(self.spec, "", f)?;
                writeln!(f, "# Or write here how long systemd shall wait. Without it, DefaultTimeoutStopSec= holds.")?;
                writeln!(f, "#TimeoutStopSec=")?;
            }
        }
        writeln!(f)?;
        writeln!(f, "[Install]")?;
        writeln!(f, "WantedBy=multi-user.target")
    }
}

/// The part of a Kubernetes pod that belongs to a tree, in YAML. `Display` writes it. Returned by
/// [`Render::pod_snippet`](crate::Render::pod_snippet).
///
/// The probes ask `/startupz`, `/livez` and `/readyz`, which `supervise_console::probes(tree)` serves.
/// `terminationGracePeriodSeconds` is the time that the declaration needs to stop in order, and 10 s; a `preStop` hook
/// takes its time from it, too.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         #[lifecycle(Permanent, shutdown = 20s)]
///         db: Db = Db,
///         cart: Db = Db, // 5 s
///     }
/// }
///
/// let pod = Shop::SPEC.pod_snippet().image("example.org/shop:1.4").port(9000).to_string();
/// assert!(pod.contains("  terminationGracePeriodSeconds: 35\n"), "{pod}");
/// ```
#[derive(Debug, Clone)]
#[must_use = "print this: it is a text"]
pub struct PodSnippet<'a> {
    spec: &'a TreeSpec,
    name: Option<Cow<'a, str>>,
    image: Option<Cow<'a, str>>,
    port: u16,
    margin: Duration,
}

impl<'a> PodSnippet<'a> {
    pub(super) fn of(spec: &'a TreeSpec) -> Self {
        PodSnippet { spec, name: None, image: None, port: 8080, margin: MARGIN }
    }

    /// Sets the name of the container. The default is made from the name of the tree.
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the image. Without it the text has one that has to be replaced.
    pub fn image(mut self, image: impl Into<Cow<'a, str>>) -> Self {
        self.image = Some(image.into());
        self
    }

    /// Sets the port of the probes. The default is 8080.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the time that the pod has in addition to what the declaration needs. The default is 10 s. Both together are at least
    /// 1 s, since Kubernetes kills a pod at once that has no time.
    pub fn margin(mut self, time: Duration) -> Self {
        self.margin = time;
        self
    }
}

impl fmt::Display for PodSnippet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TreeSpec { name, .. } = self.spec;
        writeln!(f, "# Printed by `{name}::SPEC.pod_snippet()`. Print it again after each change of the declaration.")?;
        writeln!(f, "spec:")?;
        match self.spec.shutdown_budget() {
            Some(need) => {
                writeln!(f, "  # An orderly stop takes at most {}; the rest is a margin.", span(need))?;
                writeln!(f, "  terminationGracePeriodSeconds: {}", seconds(need, self.margin))?;
            }
            None => {
                unlimited(self.spec, "  ", f)?;
                writeln!(f, "  # Or write here how long Kubernetes shall wait. Without it, 30 s hold.")?;
                writeln!(f, "  # terminationGracePeriodSeconds:")?;
            }
        }
        writeln!(f, "  containers:")?;
        writeln!(f, "    - name: {}", quoted(self.name.as_deref().unwrap_or(&program(self.spec))))?;
        writeln!(f, "      image: {}", quoted(self.image.as_deref().unwrap_or("REPLACE/THIS/WITH/THE/IMAGE:1.0")))?;
        writeln!(f, "      ports:")?;
        writeln!(f, "        - name: probes")?;
        writeln!(f, "          containerPort: {}", self.port)?;
        writeln!(f, "      # The program has two minutes until all its children are up.")?;
        probe(f, "startup", 2, 60)?;
        writeln!(f, "      # Only whether the root of the tree answers: a restart of the pod heals nothing else.")?;
        probe(f, "liveness", 10, 3)?;
        writeln!(f, "      # Whether requests should come: not while a child is down.")?;
        probe(f, "readiness", 5, 1)
    }
}

fn probe(f: &mut fmt::Formatter<'_>, name: &str, period: u32, failures: u32) -> fmt::Result {
    let path = match name {
        "startup" => "/startupz",
        "liveness" => "/livez",
        _ => "/readyz",
    };
    writeln!(f, "      {name}Probe:")?;
    writeln!(f, "        httpGet:")?;
    writeln!(f, "          path: {path}")?;
    writeln!(f, "          port: probes")?;
    writeln!(f, "        periodSeconds: {period}")?;
    writeln!(f, "        timeoutSeconds: 2")?;
    writeln!(f, "        failureThreshold: {failures}")
}

/// Returns a scalar of YAML: in quotes, so that no character in it has a meaning.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(is_hidden, " "))
}

/// Returns the first line of the documentation, or the name. A `%` stands for itself, and no line follows.
fn description(spec: &TreeSpec) -> String {
    let line = spec.doc.lines().next().map(str::trim).filter(|line| !line.is_empty()).unwrap_or(spec.name);
    on_one_line(&line.replace('%', "%%").replace('\\', "/"))
}

/// Replaces what would end a line of a unit.
fn on_one_line(text: &str) -> String {
    text.replace(is_hidden, " ")
}

/// Writes a time as both systemd and people read it.
fn span(time: Duration) -> String {
    let millis = time.as_nanos().div_ceil(1_000_000);
    if millis.is_multiple_of(1000) { format!("{}s", millis / 1000) } else { format!("{millis}ms") }
}

/// Returns whole seconds, rounded up. One at least: systemd takes `TimeoutStopSec=0` for a stop without a limit.
fn seconds(need: Duration, margin: Duration) -> u64 {
    let time = need.saturating_add(margin);
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0)).max(1)
}

/// Writes, as comments, why the time of an orderly stop is not limited, and what to do.
fn unlimited(spec: &TreeSpec, indent: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{indent}# The declaration does not limit the time of an orderly stop:")?;
    let mut reasons = Vec::new();
    collect(spec, "", &mut reasons);
    for reason in reasons {
        writeln!(f, "{indent}#   {reason}")?;
    }
    writeln!(
        f,
        "{indent}# Declare these times as literals, or one for the whole tree with `#![shutdown(30s)]` inside its"
    )?;
    writeln!(f, "{indent}# braces, and print this again.")
}

fn collect(spec: &TreeSpec, above: &str, reasons: &mut Vec<String>) {
    if spec.shutdown == DeclaredShutdown::Computed {
        let tree = if above.is_empty() { spec.name } else { above.trim_end_matches('/') };
        reasons.push(format!("{tree}: `#![shutdown(..)]` is computed when the tree starts"));
        return;
    }
    for child in spec.children.iter().filter(|child| child.shutdown_budget().is_none()) {
        let path = format!("{above}{}", child.name);
        match (child.shutdown, child.below) {
            (DeclaredShutdown::Is(ShutdownTimeout::Infinity), _) => {
                reasons.push(format!("{path}: `shutdown = Infinity`"))
            }
            (DeclaredShutdown::Computed, _) => {
                reasons.push(format!("{path}: its `shutdown` is computed when the tree starts"));
            }
            (_, Below::Known(Some(tree))) => collect(tree, &format!("{path}/"), reasons),
            _ => reasons.push(format!("{path}: a set of trees, without a `shutdown` of its own")),
        }
    }
}
