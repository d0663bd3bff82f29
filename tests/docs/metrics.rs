//! `docs/metrics.md` lists the metrics that exist, and shows what they cost.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use supervise::prelude::*;

use crate::examples::built::{binary, out_of_date};

const PAGE: &str = "docs/metrics.md";
const RECORD: &str = "verify/cost/metrics.txt";
const BEGIN: &str = "<!-- costs -->\n";
const END: &str = "<!-- end -->\n";

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Kind and unit of each metric that was described.
#[derive(Default)]
struct Described(Mutex<BTreeMap<String, (&'static str, Option<Unit>)>>);

impl Described {
    fn note(&self, key: &KeyName, kind: &'static str, unit: Option<Unit>) {
        let before = self.0.lock().unwrap().insert(key.as_str().to_owned(), (kind, unit));
        assert!(before.is_none(), "{} is described twice", key.as_str());
    }
}

impl Recorder for Described {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.note(&key, "counter", unit);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.note(&key, "gauge", unit);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.note(&key, "histogram", unit);
    }

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

struct Idle;

#[actor]
impl Idle {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct One {
        idle: Idle = Idle,
    }
}

/// The rows of the table: name, kind and unit.
fn listed(page: &str) -> Vec<[String; 3]> {
    let rows = page.lines().filter(|line| line.starts_with("| `supervise."));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(|cell| cell.trim().trim_matches('`').to_owned());
        [cells.next(), cells.next(), cells.next()].map(|cell| cell.expect("three cells"))
    })
    .collect()
}

/// S51: the page lists exactly the metrics that exist, with their kinds and units.
#[tokio::test]
async fn the_page_lists_the_metrics() {
    let described: &'static Described = Box::leak(Box::default());
    let _recorder = metrics::set_default_local_recorder(described);
    let one = One::tree().metrics().start().await.unwrap();
    one.shutdown().await;
    let mut listed = listed(&read(PAGE));
    listed.sort();
    let described = described.0.lock().unwrap();
    let names: Vec<_> = listed.iter().map(|[name, ..]| name).collect();
    assert_eq!(names, described.keys().collect::<Vec<_>>());
    for [name, kind, unit] in &listed {
        let known = match described[name] {
            (kind, Some(Unit::Seconds)) => (kind, "s".to_owned()),
            (kind, Some(Unit::Count)) if unit.starts_with('{') => (kind, unit.clone()),
            (_, unit) => panic!("{name} has the unit {unit:?}"),
        };
        assert_eq!((kind.as_str(), unit), (known.0, &known.1), "{name}");
    }
}

/// The table that belongs to the record.
fn costs(record: &str) -> String {
    let mut table = "| one operation | metrics | instructions | allocations |\n|---|---|---:|---:|\n".to_owned();
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let [row, instructions, allocations, _bytes] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}");
        };
        let (how, row) = row.split_once('.').expect("how, and which operation");
        let how = if how == "metered" { "on" } else { "compiled in, off" };
        let allocations: f64 = allocations.parse().expect("a number");
        table += &format!("| `{row}` | {how} | {instructions} | {allocations:.1} |\n");
    }
    table
}

#[test]
fn the_page_shows_what_they_cost() {
    let page = read(PAGE);
    let (before, rest) = page.split_once(BEGIN).expect("the begin of the table");
    let (shown, after) = rest.split_once(END).expect("the end of the table");
    let costs = format!("\n{}\n", costs(&read(RECORD)));
    if std::env::var_os("UPDATE").is_some() {
        let page = format!("{before}{BEGIN}{costs}{END}{after}");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let new = path.with_extension("new"); // the other test reads the page meanwhile
        fs::write(&new, page).unwrap();
        fs::rename(new, path).unwrap();
    } else {
        assert_eq!(shown, costs, "run UPDATE=1 cargo test --test docs metrics");
    }
}

/// Runs promtool with this input; `None` where it is not installed.
fn promtool(args: &[&str], input: &str) -> Option<Output> {
    let command =
        Command::new("promtool").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match command {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => panic!("promtool: {error}"),
    };
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("promtool reads");
    Some(child.wait_with_output().expect("promtool ends"))
}

/// The tests of two alerts of the page, for promtool. A series that begins with its first increase and one that grows both
/// fire; neither does once ten minutes have passed.
const FIRE: &str = r#"
rule_files: [RULES]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: 'supervise_restarts_total{tree="Shop", path="db", error_type="Disk", directive="stop"}'
        values: '_x20 1x60'
      - series: 'supervise_restarts_total{tree="Shop", path="cart", error_type="Disk", directive="escalate"}'
        values: '5x40 6x40'
      - series: 'supervise_restarts_total{tree="Shop", path="search", error_type="Disk", directive="restart"}'
        values: '_x20 1x20 2x40'
      - series: 'supervise_dead_letters_total{tree="Shop", path="db", reason="ended"}'
        values: '_x20 1x60'
      - series: 'supervise_dead_letters_total{tree="Shop", path="cart", reason="restarted"}'
        values: '5x40 6x40'
    alert_rule_test:
      - { eval_time: 15m, alertname: ChildGivenUp, exp_alerts: [] }
      - { eval_time: 25m, alertname: ChildGivenUp, exp_alerts: [{ exp_labels: { tree: Shop, path: db } }] }
      - { eval_time: 35m, alertname: ChildGivenUp, exp_alerts: [] }
      - { eval_time: 45m, alertname: ChildGivenUp, exp_alerts: [{ exp_labels: { tree: Shop, path: cart } }] }
      - { eval_time: 55m, alertname: ChildGivenUp, exp_alerts: [] }
      - { eval_time: 15m, alertname: MessagesLost, exp_alerts: [] }
      - eval_time: 25m
        alertname: MessagesLost
        exp_alerts: [{ exp_labels: { tree: Shop, path: db, reason: ended } }]
      - { eval_time: 35m, alertname: MessagesLost, exp_alerts: [] }
      - eval_time: 45m
        alertname: MessagesLost
        exp_alerts: [{ exp_labels: { tree: Shop, path: cart, reason: restarted } }]
      - { eval_time: 55m, alertname: MessagesLost, exp_alerts: [] }
"#;

/// The alerts of the page.
fn alerts(page: &str) -> &str {
    page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the alerts")
}

/// S51: the alerts for what happens once fire, where promtool is installed: also if it was the first of its series.
#[test]
fn the_alerts_of_the_page_fire() {
    let fired = |name: &str, alerts: &str| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (rules, test) = (format!("{name}.yaml"), folder.join(format!("{name}.test.yaml")));
        fs::write(folder.join(&rules), alerts).unwrap();
        fs::write(&test, FIRE.replace("RULES", &rules)).unwrap();
        promtool(&["test", "rules", test.to_str().expect("a path in UTF-8")], "")
    };
    let page = read(PAGE);
    let alerts = alerts(&page);
    let Some(found) = fired("fire", alerts) else { return };
    assert!(found.status.success(), "{found:?}");
    // Each half of each alert is needed.
    for metric in ["supervise_restarts_total", "supervise_dead_letters_total"] {
        for half in [format!("unless {metric} offset"), format!("(increase({metric}")] {
            let worse = alerts.replace(&half, &half.replace(metric, "never"));
            assert_ne!(worse, alerts, "{half}");
            let found = fired("fire_worse", &worse).expect("it is installed");
            assert!(!found.status.success(), "{half}: {found:?}");
        }
    }
}

/// S51: the metrics of the example are as Prometheus wants them, where its tool is installed.
#[test]
fn prometheus_has_no_complaint_about_the_example() {
    let example = binary("17_metrics");
    if let Some(why) = out_of_date(&example) {
        panic!("17_metrics {why}");
    }
    let run = Command::new(example).arg("--once").output().expect("the example runs");
    assert!(run.status.success(), "{run:?}");
    let text = String::from_utf8(run.stdout).expect("a text");
    assert!(text.contains("supervise_restarts_total"), "{text}");
    if let Some(checked) = promtool(&["check", "metrics"], &text) {
        assert!(checked.status.success() && checked.stdout.is_empty() && checked.stderr.is_empty(), "{checked:?}");
        let worse = promtool(&["check", "metrics"], &text.replace("_total", "")).expect("it is installed");
        assert!(!worse.status.success(), "promtool finds what is wrong");
    }

    // The alerts of the page are about metrics that the example has.
    let names: BTreeSet<_> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let page = read(PAGE);
    let alerts = alerts(&page);
    let used = alerts.match_indices("supervise_").map(|(at, _)| {
        let rest = &alerts[at..];
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(rest.len());
        rest[..end].trim_end_matches("_bucket")
    });
    let unknown: Vec<_> = used.filter(|name| !names.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?} is not in {names:?}");
    let checked = |name: &str, alerts: &str| {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&file, alerts).unwrap();
        promtool(&["check", "rules", file.to_str().expect("a path in UTF-8")], "")
    };
    if let Some(found) = checked("alerts.yaml", alerts) {
        assert!(found.status.success(), "{found:?}");
        let worse = checked("worse.yaml", &alerts.replace("sum by", "sun by")).expect("it is installed");
        assert!(!worse.status.success(), "promtool finds what is wrong");
    }
}
