//! `cx.stop_with`: an end by itself, with a reason: S23.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::inspect::EndedKind;
use supervise::prelude::*;

use crate::common::{Boom, Journal, ms, pass, secs, settle, soon};

struct Ends {
    journal: Journal,
}

enum Say {
    With(String),
    Without,
    Both,
    ThenFail,
}

#[actor]
impl Ends {
    fn handle(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), std::fmt::Error> {
        match msg {
            Say::With(words) => cx.stop_with(words),
            Say::Without => cx.stop(),
            Say::Both => {
                cx.stop_with("first");
                cx.stop_with("second");
                cx.stop();
            }
            Say::ThenFail => {
                cx.stop_with("before the error");
                return Err(std::fmt::Error);
            }
        }
        Ok(())
    }

    #[post_restart]
    fn again(&mut self, failure: &Failure) {
        assert!(matches!(failure.cause(), Cause::EndedByItself));
        self.journal.write(format!("again after {:?}: {failure}", failure.reason()));
    }
}

struct Hears {
    ends: ActorRef<Ends>,
    heard: Arc<Mutex<Vec<Option<String>>>>,
}

#[actor]
impl Hears {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.ends);
    }

    #[terminated]
    fn over(&mut self, _who: &Watched, ended: &Ended) {
        self.heard.lock().unwrap().push(ended.reason().map(str::to_owned));
    }

    fn handle(&mut self, _msg: ()) {}
}

type Heard = Arc<Mutex<Vec<Option<String>>>>;

supervisor! {
    struct App(journal: Journal, heard: Heard) {
        #[lifecycle(Transient)]
        once: Ends = Ends { journal },
        #[limit(max_restarts = 1)]
        always: Ends = Ends { journal },
        hears: Hears = Hears { ends: once, heard },
    }
}

/// S23: the words of `stop_with` are in the end, for watchers, waits and the display; an end without them is `Done`.
#[tokio::test(start_paused = true)]
async fn the_words_are_in_the_end() {
    let heard = Heard::default();
    let app = App::start(Journal::default(), heard.clone()).await.unwrap();
    for (say, words) in [
        (Say::With("no more pages".to_owned()), Some("no more pages")),
        (Say::Without, None),
        (Say::Both, Some("second")),
        (Say::ThenFail, Some("before the error")),
    ] {
        app.once.tell(say).await.unwrap();
        let ended = soon(app.once.terminated()).await.unwrap();
        assert_eq!((ended.reason(), ended.kind()), (words, EndedKind::Done));
        assert!(ended.is_orderly());
        assert_eq!(ended.to_string(), words.map_or("done".to_owned(), |words| format!("done: {words}")));
        assert_eq!(matches!(ended, Ended::Done), words.is_none(), "a plain end stays one to match on");
        app.once.start_again().unwrap().await.unwrap();
    }
    settle().await;
    assert_eq!(*heard.lock().unwrap(), [Some("no more pages".to_owned())]);
    assert!(app.health().is_healthy());
}

/// S23: where the child is restarted, the failure has the words, also that of a limit, one step before it; the words of
/// one incarnation are not those of the next.
#[tokio::test(start_paused = true)]
async fn the_words_are_in_the_failure() {
    let journal = Journal::default();
    let app = App::start(journal.clone(), Heard::default()).await.unwrap();
    app.always.tell(Say::With("enough".to_owned())).await.unwrap();
    pass(ms(20)).await;
    assert_eq!(journal.take(), ["again after Some(\"enough\"): always failed while running: ended by itself: enough"]);
    app.always.tell(Say::Without).await.unwrap();
    let report = soon(app.join()).await;
    let failure = report.ended.failure().unwrap();
    assert_eq!((failure.reason(), failure.before().unwrap().reason()), (None, None));

    let app = App::start(journal, Heard::default()).await.unwrap();
    app.always.tell(Say::Without).await.unwrap();
    pass(ms(20)).await;
    app.always.tell(Say::With("again".to_owned())).await.unwrap();
    let report = soon(app.join()).await;
    assert_eq!(report.ended.failure().unwrap().before().unwrap().reason(), Some("again"));
}

/// S23: a stop from outside that comes first keeps its own end.
#[tokio::test(start_paused = true)]
async fn a_stop_that_came_first_has_no_words() {
    struct Waits;
    #[actor]
    impl Waits {
        async fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
            tokio::time::sleep(ms(5)).await;
            cx.stop_with("too late");
        }
    }
    supervisor! { struct One { waits: Waits = Waits, other: Waits = Waits } }
    let one = One::start().await.unwrap();
    one.waits.tell(()).await.unwrap();
    settle().await;
    one.waits.stop();
    let ended = soon(one.waits.terminated()).await.unwrap();
    assert_eq!((ended.reason(), ended.kind()), (None, EndedKind::Stopped));
}

/// S23, S26: words that came to nothing, since the child went down for another reason, are not in a later end of the
/// child: neither after a start on request nor in the next incarnation.
#[tokio::test(start_paused = true)]
async fn words_that_came_to_nothing_are_not_said_later() {
    /// Says words in the handler or in a hook, and does not end by them.
    struct Speaks {
        in_hook: bool,
    }
    enum Speak {
        /// Says the words after this time, and goes on for that long.
        After(Duration, Duration),
        Fail,
        Stop,
    }
    #[actor]
    impl Speaks {
        async fn handle(&mut self, msg: Speak, cx: &mut Context<Self>) -> Result<(), Boom> {
            match msg {
                Speak::After(before, after) => {
                    tokio::time::sleep(before).await;
                    cx.stop_with("came to nothing");
                    tokio::time::sleep(after).await;
                }
                Speak::Fail => return Err(Boom::Told),
                Speak::Stop => cx.stop(),
            }
            Ok(())
        }

        #[pre_restart]
        fn leaves(&mut self, _failure: &Failure, cx: &mut Context<Self>) {
            if self.in_hook {
                cx.stop_with("said in `pre_restart`");
            }
        }

        #[post_stop]
        fn over(&mut self, cx: &mut Context<Self>) {
            if self.in_hook {
                cx.stop_with("said in `post_stop`");
            }
        }
    }
    supervisor! {
        struct Hall(in_hook: bool) {
            #[lifecycle(Transient, shutdown = 1s)]
            alone: Speaks = Speaks { in_hook },
            group: struct Group {
                #![strategy(AllForOne)]
                #[lifecycle(Transient, shutdown = 1s)]
                one: Speaks = Speaks { in_hook },
                #[lifecycle(Transient, shutdown = 1s)]
                other: Speaks = Speaks { in_hook },
            },
        }
    }
    for in_hook in [false, true] {
        for by in ["a stop", "a drain", "an abort", "a kill", "a restart", "the group", "a failure"] {
            let hall = Hall::start(in_hook).await.unwrap();
            let speaks = if by == "the group" { &hall.group.one } else { &hall.alone };
            let (before, after) = match by {
                "an abort" | "a kill" => (ms(5), secs(60)),
                _ => (ms(20), ms(20)),
            };
            if by != "a failure" {
                speaks.tell(Speak::After(before, after)).await.unwrap();
            }
            pass(ms(10)).await;
            match by {
                "a stop" | "an abort" => speaks.stop(),
                "a drain" => speaks.drain(),
                "a kill" => speaks.kill(),
                "a restart" => _ = speaks.restart().unwrap(),
                "the group" => hall.group.other.tell(Speak::Fail).await.unwrap(),
                _ => speaks.tell(Speak::Fail).await.unwrap(),
            }
            pass(secs(2)).await;
            if let Some(ended) = speaks.ended() {
                let kind = match by {
                    "an abort" => EndedKind::Aborted,
                    "a kill" => EndedKind::Killed,
                    _ => EndedKind::Stopped,
                };
                assert_eq!((ended.kind(), ended.reason()), (kind, None), "{by}: {ended}");
                soon(speaks.start_again().unwrap()).await.unwrap();
            }
            assert_eq!(speaks.incarnation(), 2, "{by}");
            speaks.tell(Speak::Stop).await.unwrap();
            let ended = soon(speaks.terminated()).await.unwrap();
            assert!(matches!(ended, Ended::Done), "{by}, in a hook: {in_hook}: {ended}");
        }
    }
}
