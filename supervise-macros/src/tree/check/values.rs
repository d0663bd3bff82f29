//! Property test: the compiler reports for literals what a start reports for the same values.

use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::option::{of, weighted as some};
use proptest::prelude::*;
use supervise_rules::{Fall, Problem};
use supervise_runtime::error::SpawnError;
use supervise_runtime::expansion::new_child;
use supervise_runtime::policy::{Backoff, ChildOptions, Lifecycle, Mailbox, MaxRestarts, OnLimit};
use supervise_runtime::policy::{RestartLimit, ShutdownTimeout, WhileDown};
use supervise_runtime::{Actor, Context};

use super::super::parse;
use super::{Call, facts};
use crate::errors::Errors;

/// Settings of one child. Times are in milliseconds, and never zero: such a literal is not a duration.
#[derive(Debug, Clone)]
struct Settings {
    lifecycle: Lifecycle,
    shutdown: Option<ShutdownTimeout>,
    drain: bool,
    significant: bool,
    backoff: Option<Pace>,
    max_restarts: Option<MaxRestarts>,
    within: Option<u64>,
    on_limit: Option<OnLimit>,
    mailbox: Option<Mailbox>,
    while_down: Option<WhileDown>,
    attempts: Option<u32>,
}

#[derive(Debug, Clone)]
enum Pace {
    Growing(Growing),
    /// Delays, a random factor, and a reset.
    Listed(Vec<u64>, Option<f64>, Option<Option<u64>>),
}

#[derive(Debug, Clone)]
struct Growing {
    min: u64,
    max: u64,
    factor: Option<f64>,
    random_factor: Option<f64>,
    reset: Option<Option<u64>>,
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let lifecycle = prop_oneof![Just(Lifecycle::Permanent), Just(Lifecycle::Transient), Just(Lifecycle::Temporary)];
    let within = (1u64..5_000).prop_map(|time| ShutdownTimeout::Within(Duration::from_millis(time)));
    let shutdown = prop_oneof![Just(ShutdownTimeout::Kill), Just(ShutdownTimeout::Infinity), within];
    let factor = prop_oneof![1 => Just(0.5), 9 => prop_oneof![Just(1.0), Just(1.0001), Just(1.5), Just(3.0)]];
    let random_factor = prop_oneof![1 => Just(-0.5), 1 => Just(1.5), 8 => 0.0..=1.0];
    let growing = (1u64..100, 50u64..1_000, of(factor), of(random_factor.clone()), of(of(50u64..1_000)));
    let growing = growing.prop_map(|(min, max, factor, random_factor, reset)| {
        Pace::Growing(Growing { min, max, factor, random_factor, reset })
    });
    let delays = (vec(1u64..1_000, 0..5), weighted(0.9)).prop_map(|(mut delays, sorted)| {
        if sorted {
            delays.sort_unstable();
        }
        delays
    });
    let listed = (delays, of(random_factor), of(of(0u64..1_000)))
        .prop_map(|(delays, random_factor, reset)| Pace::Listed(delays, random_factor, reset));
    let backoff = prop_oneof![growing, listed];
    let max = prop_oneof![Just(MaxRestarts::Unlimited), (0u32..50_000).prop_map(MaxRestarts::AtMost)];
    let mailbox = prop_oneof![Just(Mailbox::Unbounded), (0usize..9).prop_map(Mailbox::Bounded)];
    let on_limit = prop_oneof![Just(OnLimit::Stop), Just(OnLimit::Escalate)];
    let while_down = prop_oneof![Just(WhileDown::Hold), Just(WhileDown::Reject)];
    // Most generated settings are sound, so that the rules that are checked last are reached too.
    let first = (lifecycle, of(shutdown), weighted(0.1), weighted(0.1), of(backoff));
    let second = (of(max), of(1u64..100_000), some(0.2, on_limit), of(mailbox), of(while_down), some(0.1, 0u32..3));
    (first, second).prop_map(|(first, second)| {
        let (lifecycle, shutdown, drain, significant, backoff) = first;
        let (max_restarts, within, on_limit, mailbox, while_down, attempts) = second;
        Settings {
            lifecycle,
            shutdown,
            drain,
            significant,
            backoff,
            max_restarts,
            within,
            on_limit,
            mailbox,
            while_down,
            attempts,
        }
    })
}

impl Settings {
    /// Returns the settings as literals above a child.
    fn written(&self) -> String {
        let named = |name: &str, value: Option<String>| value.map(|value| format!("{name} = {value}"));
        let shutdown = self.shutdown.map(|shutdown| match shutdown {
            ShutdownTimeout::Within(time) => format!("{}ms", time.as_millis()),
            word => format!("{word:?}"),
        });
        let lifecycle = [
            Some(format!("{:?}", self.lifecycle)),
            named("shutdown", shutdown),
            self.drain.then(|| "drain".into()),
            self.significant.then(|| "significant".into()),
        ];
        let max = self.max_restarts.map(|max| match max {
            MaxRestarts::AtMost(max) => max.to_string(),
            MaxRestarts::Unlimited => "Unlimited".into(),
        });
        let limit = [
            named("max_restarts", max),
            named("within", self.within.map(|time| format!("{time}ms"))),
            named("on_limit", self.on_limit.map(|then| format!("{then:?}"))),
        ];
        let backoff = self.backoff.iter().flat_map(|backoff| {
            let (delays, factor, share, reset) = match backoff {
                Pace::Growing(Growing { min, max, factor, random_factor, reset }) => {
                    (format!("{min}ms..{max}ms"), *factor, *random_factor, *reset)
                }
                Pace::Listed(delays, random_factor, reset) => {
                    let delays: Vec<_> = delays.iter().map(|delay| format!("{delay}ms")).collect();
                    (format!("[{}]", delays.join(", ")), None, *random_factor, *reset)
                }
            };
            let reset = reset.map(|reset| match reset {
                Some(after) => format!("{after}ms"),
                None => "Manual".into(),
            });
            [
                Some(delays),
                named("factor", factor.map(|factor| factor.to_string())),
                named("random_factor", share.map(|share| share.to_string())),
                named("reset", reset),
            ]
        });
        let mailbox = [self.mailbox.map(|mailbox| format!("{mailbox:?}"))];
        let while_down = [self.while_down.map(|word| format!("{word:?}"))];
        let redeliver = [named("attempts", self.attempts.map(|attempts| attempts.to_string()))];
        let setting = |name: &str, args: Vec<String>| match args.is_empty() {
            true => String::new(),
            false => format!("#[{name}({})] ", args.join(", ")),
        };
        [
            setting("lifecycle", lifecycle.into_iter().flatten().collect()),
            setting("limit", limit.into_iter().flatten().collect()),
            setting("backoff", backoff.flatten().collect()),
            setting("mailbox", mailbox.into_iter().flatten().collect()),
            setting("while_down", while_down.into_iter().flatten().collect()),
            setting("redeliver", redeliver.into_iter().flatten().collect()),
        ]
        .concat()
    }

    /// Returns the error of a spawn with these values.
    async fn spawned(&self) -> Option<String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("db{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut options = ChildOptions::<Db>::new().lifecycle(self.lifecycle);
        if let Some(shutdown) = self.shutdown {
            options = options.shutdown(shutdown);
        }
        if self.drain {
            options = options.drain();
        }
        if self.significant {
            options = options.significant();
        }
        let with_reset = |backoff: Backoff, reset: Option<u64>| match reset {
            Some(after) => backoff.reset(ms(after)),
            None => backoff.manual_reset(),
        };
        match self.backoff.clone() {
            Some(Pace::Growing(Growing { min, max, factor, random_factor, reset })) => {
                let mut backoff = Backoff::exponential(ms(min)..ms(max));
                if let Some(factor) = factor {
                    backoff = backoff.factor(factor);
                }
                if let Some(share) = random_factor {
                    backoff = backoff.random_factor(share);
                }
                if let Some(reset) = reset {
                    backoff = with_reset(backoff, reset);
                }
                options = options.backoff(backoff);
            }
            Some(Pace::Listed(delays, random_factor, reset)) => {
                let mut backoff = Backoff::steps(delays.into_iter().map(ms));
                if let Some(share) = random_factor {
                    backoff = backoff.random_factor(share);
                }
                if let Some(reset) = reset {
                    backoff = with_reset(backoff, reset);
                }
                options = options.backoff(backoff);
            }
            None => {}
        }
        let mut limit = RestartLimit::new();
        if let Some(max) = self.max_restarts {
            limit = limit.max_restarts(max);
        }
        if let Some(within) = self.within {
            limit = limit.within(ms(within));
        }
        if let Some(on_limit) = self.on_limit {
            limit = limit.on_limit(on_limit);
        }
        options = options.limit(limit);
        if let Some(mailbox) = self.mailbox {
            options = options.mailbox(mailbox);
        }
        if let Some(while_down) = self.while_down {
            options = options.while_down(while_down);
        }
        if let Some(attempts) = self.attempts {
            options = options.redeliver(attempts);
        }
        match supervise_runtime::extension::spawn(
            new_child(name, options, || async { Ok(Db) }),
            supervise_runtime::extension::StandingExtensions::NONE,
        )
        .await
        {
            Ok(db) => {
                db.stop();
                None
            }
            Err(SpawnError::InvalidSettings { what, .. }) => Some(shown(&what)),
            Err(other) => panic!("{other}"),
        }
    }
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

struct Db;

impl Actor for Db {
    type Msg = ();
    type Error = Infallible;

    async fn receive(&mut self, (): (), _: &mut Context<Self>) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Both sides call their variants by the same names.
fn shown(what: &dyn Debug) -> String {
    format!("{what:?}")
}

/// Returns the first problem in the literals, and the number of errors that the compiler shows.
fn declared(settings: &str) -> (Option<String>, usize) {
    let mut errors = Errors::default();
    let trees = parse::trees(format!("struct Shop {{ {settings} db: Db = Db }}").parse().unwrap(), &mut errors);
    super::tree(&trees[0], &mut Call::of(&trees), &mut errors);
    let mut first = None;
    let child = facts::child(trees[0].body.children().next().unwrap());
    supervise_rules::child(&child, &facts::supervision(&trees[0].body.settings), &mut |problem| {
        first.get_or_insert(problem);
    });
    let first = first.map(|problem| match problem {
        Problem::NoLimit { setting, .. } => format!("NoLimit({setting:?})"),
        Problem::ShorterDelay(Fall { to, from, .. }) => format!("ShorterDelay {{ to: {to:?}, from: {from:?} }}"),
        other => shown(&other),
    });
    (first, errors.messages().len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_compiler_and_a_start_agree(settings in any_settings()) {
        let (declared, errors) = declared(&settings.written());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        prop_assert_eq!(&declared, &runtime.block_on(settings.spawned()), "{}", settings.written());
        prop_assert_eq!(declared.is_some(), errors > 0, "{}", settings.written());
    }
}
