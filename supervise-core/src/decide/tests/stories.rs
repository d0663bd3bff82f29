//! Lives of a child, described step by step in `stories.txt`. Each line that begins with `>` is an event, or several
//! that come at once. The lines after it are the consequences: the effects, the steps that begin (in capitals), and
//! after `=`, if they have changed, the machine's answers to the engine. `UPDATE=1` writes the consequences again; read
//! the difference before you keep it.
//!
//! The child's task does what the engine does: it asks for the next step when none is in progress, drops a step that is
//! cut, and returns from the message loop when the loop is interrupted. Every other end of a step is an event.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::State;
use super::super::child::machine::{Cut, Effect, LifeSettings, Machine, Order, Step, StepEnd};
use super::port::{Known, is_own};
use super::sim::failure;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::ShutdownTimeout;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/decide/tests/stories.txt");

struct Child {
    machine: Machine,
    settings: LifeSettings,
    signalled: bool,
    /// The group says that the child was up before.
    up_before: bool,
    step: Option<Step>,
    begin: Instant,
    known: Known,
    interrupted: bool,
    log: Vec<String>,
}

fn told(failure: &Failure) -> String {
    let cause = match failure.cause() {
        Cause::TimedOut => "timed out",
        Cause::Killed => "killed",
        Cause::EndedByItself => "ended by itself",
        Cause::LimitReached => "limit",
        _ => "error",
    };
    let after = if failure.before().is_some() { ", after another" } else { "" };
    let whose = if is_own(failure) { "" } else { "other's " };
    format!("{whose}{cause} in {:?}{after}", failure.phase())
}

fn ending(ended: &Ended) -> String {
    match ended {
        Ended::Failed(failure) => format!("failed ({})", told(failure)),
        Ended::Limit(failure) => format!("limit ({})", told(failure)),
        ended => format!("{ended}"),
    }
}

fn word(effect: Effect, begin: Instant) -> String {
    match effect {
        Effect::Retry(Some(at)) => format!("retry at {:?}", at - begin),
        Effect::Up { again, healed } => {
            let again = if again { "up again" } else { "up" };
            healed.map_or(again.to_owned(), |healed| format!("{again}, healed ({})", told(&healed)))
        }
        Effect::Failed(failure) => format!("failed ({})", told(&failure)),
        Effect::Escalated(failure) => format!("escalated ({})", told(&failure)),
        Effect::Late(failure) => format!("late ({})", told(&failure)),
        Effect::Reported(failure) => format!("reported ({})", told(&failure)),
        Effect::Broken(failure) => format!("broken ({})", told(&failure)),
        Effect::Decide { failure, instance } => {
            format!("decide ({}){}", told(&failure), if instance { "" } else { ", down" })
        }
        Effect::Redecide { failure } => format!("decide again ({})", told(&failure)),
        Effect::Done { ended, end } => format!("done: {} ({})", ending(&ended), told(&end)),
        Effect::EndsAs(ended) => format!("ends as {}", ending(&ended)),
        Effect::ResumeChildren(failure) => format!("children resume ({})", told(&failure)),
        Effect::RestartChildren(failure, _) => format!("children restart ({})", told(&failure)),
        Effect::Ended { ended, aborted } => {
            format!("ended: {}{}", ending(&ended), if aborted { ", aborted" } else { "" })
        }
        effect => format!("{effect:?}"),
    }
}

impl Child {
    /// `words`: the kind, and what differs from a permanent child with a supervisor and 5 s to stop.
    fn new(words: &str) -> Child {
        let has = |word: &str| words.split(", ").any(|each| each == word);
        let kind = match words.split(", ").next().expect("a kind") {
            "actor" => ChildKind::Actor,
            "task" => ChildKind::Task,
            "tree" => ChildKind::Tree,
            "set" => ChildKind::Set,
            other => panic!("a kind of child: {other}"),
        };
        let shutdown = match () {
            () if has("kill") => ShutdownTimeout::Kill,
            () if has("infinity") => ShutdownTimeout::Infinity,
            () => ShutdownTimeout::Within(Duration::from_secs(5)),
        };
        let now = Instant::now();
        let mut machine = Machine::new(kind, has("root"));
        if has("heals") {
            machine.set_healing(failure(Phase::Running));
        }
        Child {
            machine,
            settings: LifeSettings {
                shutdown,
                kills: has("kill"),
                drains: has("drains"),
                ready: has("ready"),
                permanent: !has("temporary"),
                handler: None,
            },
            signalled: has("with context"),
            up_before: !has("not up before"),
            step: None,
            begin: now,
            known: Known {
                children: has("with children"),
                place: !has("without place"),
                told: false,
                own_end: has("ends with a failure").then(|| Ended::Failed(failure(Phase::Running))),
                time_to_end: has("3s to end").then_some(Duration::from_secs(3)),
                ..Known::new(now)
            },
            interrupted: false,
            log: Vec::new(),
        }
    }

    /// Writes down the effects of the machine's last move.
    fn hear(&mut self) {
        for effect in std::mem::take(&mut self.known.effects) {
            match effect {
                Effect::Interrupt(on) => self.interrupted = on,
                effect => self.log.push(word(effect, self.begin)),
            }
        }
    }

    fn order(&mut self, order: Order) {
        self.machine.order(order, &mut self.known);
        self.hear();
    }

    fn finish(&mut self, end: StepEnd) {
        let step = self.step.take();
        assert!(!matches!(step, None | Some(Step::Wait | Step::Exit)), "a step has to be in progress");
        self.machine.finished(end, &mut self.known);
        self.hear();
        self.known.busy = false;
    }

    fn fails(&mut self, stopped: bool) {
        self.finish(StepEnd::Failed { failure: failure(Phase::Running), stopped });
    }

    fn kill(&self) -> Failure {
        Failure::new(Phase::Running, Cause::Killed, "child", 1)
    }

    fn below(&self) -> Failure {
        Failure::new(Phase::Running, Cause::Panic("below".to_owned()), "child/below", 1)
    }

    fn meets(&mut self, event: &str) {
        match event {
            "begin" => {}
            "start" => self.order(Order::Start),
            "resume" => self.order(Order::Resume),
            "redecide" => self.order(Order::Redecide),
            "down" => self.order(Order::Down(failure(Phase::Running), StopReason::Restart)),
            "end" => self.order(Order::End(Ended::Stopped, StopReason::Shutdown)),
            "end with a failure" => self.order(Order::End(Ended::Failed(failure(Phase::Running)), StopReason::Failed)),
            "drain" => self.order(Order::Drain),
            "over" => self.order(Order::Over(Ended::Stopped)),
            "over with a failure" => self.order(Order::Over(Ended::Failed(failure(Phase::Running)))),
            "suspend" => self.order(Order::Suspend(true)),
            "end of the suspension" => self.order(Order::Suspend(false)),
            "serve" => self.order(Order::Serve),
            "orphan" => self.order(Order::Orphan),
            "wait" => self.order(Order::Wait(Duration::from_secs(3))),
            "wait is over" => self.machine.wait_is_over(&mut self.known),
            "stop" => self.order(Order::Stop { begins: false, reason: StopReason::Asked }),
            "stop before it begins" => self.order(Order::Stop { begins: true, reason: StopReason::Asked }),
            "kill" => self.order(Order::Kill(self.kill())),
            #[cfg(feature = "testing")]
            "inject" => self.order(Order::Inject(failure(Phase::Running))),
            "abort" => self.order(Order::Abort(None)),
            "abort for a restart" => self.order(Order::Abort(Some(failure(Phase::Running)))),
            "children down" => self.order(Order::ChildrenDown),
            "children begin to end" => self.order(Order::ChildrenEnding),
            "children ended" => self.order(Order::ChildrenEnded(None)),
            "children ended with a failure" => self.order(Order::ChildrenEnded(Some(self.below()))),
            "escalated" => self.order(Order::Escalated(self.below())),
            "escalated limit" => {
                self.order(Order::Escalated(Failure::new(Phase::Running, Cause::LimitReached, "child/below", 1)));
            }
            "escalated kill" => {
                self.order(Order::Escalated(Failure::new(Phase::Running, Cause::Killed, "child/below", 1)));
            }
            "a future panics" => self.machine.fails_alongside(failure(Phase::Running), &mut self.known),
            "time is up" => self.machine.time_is_up(),
            "a second passes" => self.known.now += Duration::from_secs(1),
            "a message" => self.known.busy = true,
            "the message ends" => {
                assert!(self.known.busy, "a message has to be in hand");
                self.known.busy = false;
            }
            "comes up" => {
                if !self.machine.is_due() && self.step.is_none_or(|step| step == Step::Wait) {
                    self.order(Order::Start);
                }
                self.goes_on();
                while self.machine.is_starting() {
                    self.finish(StepEnd::Done);
                    self.goes_on();
                }
                self.log.clear();
            }
            "its place is taken" => self.known.place = false,
            "its watchers have not heard" => self.known.told = false,
            "done" => self.finish(StepEnd::Done),
            "ends by itself" => self.finish(StepEnd::ByItself),
            "returns" => self.finish(StepEnd::Returned),
            "queue is empty" => self.finish(StepEnd::Drained),
            "absent" => self.finish(StepEnd::Absent),
            "fails" => self.fails(false),
            "fails after a stop of its own" => self.fails(true),
            "no time left" => self.finish(StepEnd::Cut(Cut::TimeUp)),
            "bug" => {
                self.step = None;
                self.machine
                    .breaks(Failure::new(Phase::Running, Cause::Panic("bug".to_owned()), "child", 1), &mut self.known);
            }
            "bug after its end" => {
                self.step = None;
                self.machine.breaks_after_its_end(true);
            }
            "bug before its end is reported" => {
                self.step = None;
                self.machine.breaks_after_its_end(false);
            }
            other => panic!("an event: {other}"),
        }
    }

    /// The child's task goes on until a step of user code is in progress, or nothing is to be done.
    fn goes_on(&mut self) {
        self.hear();
        for _ in 0..50 {
            match self.step {
                None => {
                    let step = self.machine.next(&mut self.known);
                    self.hear();
                    if step != Step::Wait {
                        self.log.push(format!("{step:?}").to_uppercase());
                    }
                    self.step = Some(step);
                }
                Some(Step::Exit) => return,
                Some(Step::Wait) if self.machine.wakes() => self.step = None,
                Some(Step::Wait) => return,
                Some(Step::Yield) => {
                    self.machine.begin(self.settings, self.up_before);
                    if self.signalled {
                        self.machine.set_signalled();
                    }
                    self.known.told = false;
                    self.finish(StepEnd::Done);
                }
                Some(_) => {
                    if let Some(cut) = self.machine.take_cut() {
                        self.log.push(format!("cut: {cut:?}"));
                        self.finish(StepEnd::Cut(cut));
                    } else if self.step == Some(Step::Serve) && self.interrupted && !self.known.busy
                        || self.step == Some(Step::HandIn) && self.machine.wakes()
                    {
                        self.finish(StepEnd::Interrupted);
                    } else {
                        return;
                    }
                }
            }
        }
        panic!("the task does not come to rest: {:?}", self.log);
    }

    /// The answers of the machine to the engine.
    fn answers(&self) -> String {
        let machine = &self.machine;
        let state = match machine.state() {
            State::Running if self.known.busy => State::Handling,
            state => state,
        };
        let mut text = format!("{state:?}");
        for (name, is) in [
            ("was up", machine.was_up()),
            ("has ended", machine.has_ended()),
            ("ended", machine.is_ended()),
            ("may be given up", machine.gives_up()),
            ("starts", machine.is_starting()),
            ("due", machine.is_due()),
            ("parked", machine.is_parked()),
            ("leaves", machine.is_leaving()),
            ("goes", machine.is_going()),
            ("on its way out", machine.is_on_its_way_out()),
            ("no futures", !machine.takes_background(false)),
            ("no timers", !machine.takes_background(true)),
            ("may move", machine.may_move()),
            ("suspended", machine.is_suspended()),
        ] {
            if is {
                write!(text, ", {name}").expect("a text");
            }
        }
        let since = |at: Instant| at - self.begin;
        for (name, at) in [
            ("deadline", machine.deadline()),
            ("waits until", machine.waits_until()),
            ("since", machine.leaving_since()),
        ] {
            if let Some(at) = at {
                write!(text, ", {name} {:?}", since(at)).expect("a text");
            }
        }
        if let Some(failure) = machine.heals() {
            write!(text, ", heals ({})", told(failure)).expect("a text");
        }
        write!(text, ", {:?}", machine.phase()).expect("a text");
        text
    }
}

/// Tells a story: its events, with their consequences. The lines that are not events are left out of the old text.
fn tell(story: &str) -> String {
    let mut text = String::new();
    let mut child = None;
    let mut before = String::new();
    for line in story.lines() {
        if let Some(event) = line.strip_prefix("> ") {
            writeln!(text, "{line}").expect("a text");
            let child: &mut Child = child.as_mut().expect("a child before its events");
            for event in event.split(", and ") {
                child.meets(event);
            }
            child.goes_on();
            let log = std::mem::take(&mut child.log);
            if !log.is_empty() {
                writeln!(text, "  {}", log.join(" · ")).expect("a text");
            }
            let answers = child.answers();
            if answers != before {
                writeln!(text, "  = {answers}").expect("a text");
            }
            before = answers;
        } else if let Some(words) = line.strip_prefix("child: ") {
            writeln!(text, "{line}").expect("a text");
            child = Some(Child::new(words));
            before.clear();
        } else if !line.starts_with("  ") {
            writeln!(text, "{line}").expect("a text");
        }
    }
    text
}

#[test]
fn each_event_has_the_consequences_that_the_stories_tell() {
    let old = std::fs::read_to_string(FILE).expect("the stories");
    assert!(old.matches("\n> ").count() > 900, "the stories are not all there");
    let new = tell(&old);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(FILE, new).expect("the stories can be written");
        return;
    }
    for (line, (old, new)) in old.lines().zip(new.lines()).enumerate() {
        assert_eq!(old, new, "line {} of {FILE}", line + 1);
    }
    assert_eq!(old, new);
}
