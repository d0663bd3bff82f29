//! A drain waits for the futures of `cx.run`, and stops timers: S24, S26, and the rows "draining" of tables 2a and 2b.

use std::fmt;
use std::future::pending;
use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Journal, ms, pass, quiet_panics, secs, seen, settle, soon};

/// Serves requests in futures that run while messages are handled.
struct Server(Journal);

enum Msg {
    /// Answers after that time, in a future of `cx.run`.
    Work(Duration, Reply<u32>),
    Done(Reply<u32>),
    /// Runs that many futures of `cx.run`, one after the other, a second each.
    Chain(u32),
    /// Takes that long in the handler.
    Busy(Duration),
    Forever,
    /// A future of `cx.run` that panics after a second.
    Panic,
    /// Sets a timer that ticks every second.
    Tick,
    Ticked,
    /// Sets a timer while the actor drains.
    Later,
    Token,
    /// Takes that long, asks for a token then, and waits for it.
    LateToken(Duration),
    Note(&'static str),
    Fail,
}

#[actor]
impl Server {
    async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), fmt::Error> {
        match msg {
            Msg::Work(time, reply) => cx.run(sleep(time), |()| Msg::Done(reply)),
            Msg::Done(reply) => {
                self.0.write("done");
                reply.send(1);
            }
            Msg::Chain(0) => self.0.write("end of the chain"),
            Msg::Chain(n) => cx.run(sleep(secs(1)), move |()| Msg::Chain(n - 1)),
            Msg::Busy(time) => sleep(time).await,
            Msg::Forever => cx.run(pending::<()>(), |()| Msg::Note("never")),
            Msg::Panic => cx.run(
                async {
                    sleep(secs(1)).await;
                    panic!("planned panic")
                },
                |()| Msg::Note("never"),
            ),
            Msg::Tick => drop(cx.send_every(secs(1), || Msg::Ticked)),
            Msg::Ticked => self.0.write("tick"),
            Msg::Later => drop(cx.send_after(secs(1), Msg::Ticked)),
            Msg::Token => {
                let token = cx.token();
                cx.run(async move { token.cancelled().await }, |()| Msg::Note("heard"));
            }
            Msg::LateToken(time) => {
                sleep(time).await;
                cx.token().cancelled().await;
                self.0.write("heard");
            }
            Msg::Note(line) => self.0.write(line),
            Msg::Fail => return Err(fmt::Error),
        }
        Ok(())
    }

    #[post_stop]
    fn over(&mut self) {
        self.0.write("post_stop");
    }
}

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 20s)]
        server: Server = Server(journal),
        #[lifecycle(Permanent, drain, shutdown = 20s)]
        #[mailbox(Bounded(1))]
        drains: Server = Server(journal),
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        a: Server = Server(journal),
        b: Server = Server(journal),
    }

    struct Resumes(journal: Journal) {
        #[decider(|_: &Failure| Directive::Resume)]
        sub: struct Inner {
            #![decider(|_: &Failure| Directive::Escalate)]
            a: Server = Server(journal),
            b: Server = Server(journal),
        },
    }
}

async fn one() -> (Running<One>, Journal) {
    let journal = Journal::default();
    (One::start(journal.clone()).await.unwrap(), journal)
}

/// Sends a request that takes that long. Its future is running when this function returns.
async fn request(server: &ActorRef<Server>, time: Duration) -> tokio::task::JoinHandle<Result<u32, AskError>> {
    let asks = server.clone();
    let asked = tokio::spawn(async move { asks.ask(|reply| Msg::Work(time, reply)).forever().await });
    settle().await;
    asked
}

/// S26: a running future is finished, and its result is handled; new messages are refused meanwhile.
#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_what_runs() {
    let (tree, journal) = one().await;
    let asked = request(&tree.server, secs(3)).await;
    let begin = Instant::now();
    tree.server.drain();
    pass(secs(1)).await;
    assert_eq!(tree.server.try_tell(Msg::Note("late")).unwrap_err().reason(), SendRejection::Ended);
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!((asked.await.unwrap(), begin.elapsed()), (Ok(1), secs(3)));
    assert_eq!(journal.take(), ["done", "post_stop"]);
}

/// S24: the same at a stop with `drain`, and the report is orderly.
#[tokio::test(start_paused = true)]
async fn a_stop_with_drain_waits_for_what_runs() {
    let (tree, journal) = one().await;
    let asked = request(&tree.drains, secs(3)).await;
    let begin = Instant::now();
    let report = tree.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!((asked.await.unwrap(), begin.elapsed()), (Ok(1), secs(3)));
    assert_eq!(journal.take()[..2], ["done", "post_stop"]);
}

/// S24: a stop without `drain` drops the running futures.
#[tokio::test(start_paused = true)]
async fn a_plain_stop_drops_what_runs() {
    let (tree, journal) = one().await;
    let asked = request(&tree.server, secs(3)).await;
    let begin = Instant::now();
    tree.server.stop();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert!(matches!(asked.await.unwrap(), Err(AskError::NoReply { .. })));
    assert_eq!((begin.elapsed(), journal.take()), (secs(0), vec!["post_stop".to_owned()]));
}

/// S26: the same for a future that a queued message or a result begins during the drain.
#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_what_begins_meanwhile() {
    let (tree, journal) = one().await;
    tree.server.tell(Msg::Busy(secs(1))).await.unwrap();
    settle().await;
    tree.server.tell(Msg::Chain(3)).await.unwrap();
    tree.server.tell(Msg::Note("queued")).await.unwrap();
    let begin = Instant::now();
    tree.server.drain();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(begin.elapsed(), secs(4));
    assert_eq!(journal.take(), ["queued", "end of the chain", "post_stop"]);
}

/// S26: each result waits for room, and none is lost, however small the mailbox.
#[tokio::test(start_paused = true)]
async fn results_wait_for_room_while_it_drains() {
    let (tree, journal) = one().await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        asked.push(request(&tree.drains, secs(2)).await);
    }
    tree.drains.tell(Msg::Busy(secs(3))).await.unwrap();
    settle().await;
    tree.drains.tell(Msg::Note("queued")).await.unwrap(); // the mailbox is full
    tree.drains.stop();
    pass(ms(2500)).await;
    let mailbox = tree.snapshot().find("drains").unwrap().mailbox.unwrap();
    assert_eq!((mailbox.waiting, mailbox.capacity), (1, Some(1)), "the results have no place in it yet");
    assert!(matches!(soon(tree.drains.terminated()).await, Ok(Ended::Stopped)));
    for asked in asked {
        assert_eq!(asked.await.unwrap(), Ok(1));
    }
    assert_eq!(journal.take(), ["queued", "done", "done", "done", "done", "done", "post_stop"]);
}

/// S26: timers end when the drain begins, and so do those that are set later; a tick that is queued already is handled.
#[tokio::test(start_paused = true)]
async fn timers_stop_when_a_drain_begins() {
    let (tree, journal) = one().await;
    tree.server.tell(Msg::Tick).await.unwrap();
    pass(ms(500)).await;
    tree.server.tell(Msg::Busy(ms(1500))).await.unwrap(); // the first tick is queued after this message
    pass(secs(1)).await;
    tree.server.tell(Msg::Later).await.unwrap();
    tree.server.tell(Msg::Chain(5)).await.unwrap();
    let begin = Instant::now();
    tree.server.drain();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(begin.elapsed(), ms(5500));
    assert_eq!(journal.take(), ["tick", "end of the chain", "post_stop"]);
}

/// S26, S11: a tick that was due before, and found no room, is gone as well: it waits in its timer, and not in the mailbox.
#[tokio::test(start_paused = true)]
async fn a_tick_that_found_no_room_is_gone_when_a_drain_begins() {
    let (tree, journal) = one().await;
    tree.drains.tell(Msg::Tick).await.unwrap();
    settle().await;
    tree.drains.tell(Msg::Busy(secs(3))).await.unwrap();
    settle().await;
    tree.drains.tell(Msg::Note("queued")).await.unwrap(); // the mailbox is full
    pass(ms(1500)).await;
    tree.drains.drain();
    assert!(matches!(soon(tree.drains.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["queued", "post_stop"]);
}

/// S26: a result that was there before, and found no room, is still handled.
#[tokio::test(start_paused = true)]
async fn a_result_that_found_no_room_is_handled_in_a_drain() {
    let (tree, journal) = one().await;
    let asked = request(&tree.drains, secs(1)).await;
    tree.drains.tell(Msg::Busy(secs(3))).await.unwrap();
    settle().await;
    tree.drains.tell(Msg::Note("queued")).await.unwrap(); // the mailbox is full
    pass(ms(1500)).await;
    tree.drains.drain();
    assert!(matches!(soon(tree.drains.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(asked.await.unwrap(), Ok(1));
    assert_eq!(journal.take(), ["queued", "done", "post_stop"]);
}

/// S26, 2a: the whole drain has the `shutdown` time; a future that still runs then is dropped.
#[tokio::test(start_paused = true)]
async fn a_drain_of_what_never_ends_has_the_shutdown_time() {
    let (tree, journal) = one().await;
    tree.server.tell(Msg::Forever).await.unwrap();
    settle().await;
    let begin = Instant::now();
    tree.server.drain();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!(begin.elapsed(), secs(20));
    assert!(journal.take().is_empty(), "aborted: no hook");
}

/// S26, S29: the token is cancelled when the drain begins, so that a future without an end of its own can end in time.
#[tokio::test(start_paused = true)]
async fn what_has_no_end_hears_of_a_drain_by_its_token() {
    let (tree, journal) = one().await;
    for (server, drains) in [(&tree.server, ActorRef::drain as fn(&ActorRef<Server>)), (&tree.drains, ActorRef::stop)] {
        server.tell(Msg::Token).await.unwrap();
        settle().await;
        let begin = Instant::now();
        drains(server);
        assert!(matches!(soon(server.terminated()).await, Ok(Ended::Stopped)));
        assert_eq!((begin.elapsed(), journal.take()), (secs(0), vec!["heard".to_owned(), "post_stop".to_owned()]));
    }
}

/// S26, S29: a token that is asked for on the way down is cancelled too: in the message in hand, and in one that the drain
/// handles.
#[tokio::test(start_paused = true)]
async fn a_token_that_is_asked_for_on_the_way_down_is_cancelled() {
    let restart: fn(&ActorRef<Server>) = |server| drop(server.restart().unwrap());
    for goes in [ActorRef::stop, ActorRef::drain, restart] {
        let (tree, journal) = one().await;
        tree.server.tell(Msg::LateToken(secs(2))).await.unwrap();
        settle().await;
        let begin = Instant::now();
        goes(&tree.server);
        while !journal.take().contains(&"post_stop".to_owned()) {
            assert!(begin.elapsed() < secs(10), "nothing cancels the token");
            pass(ms(500)).await;
        }
        assert_eq!(begin.elapsed(), secs(2));
    }
    let (tree, journal) = one().await;
    tree.server.tell(Msg::Busy(secs(1))).await.unwrap();
    settle().await;
    tree.server.tell(Msg::LateToken(secs(1))).await.unwrap();
    tree.server.tell(Msg::Token).await.unwrap();
    tree.server.drain();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["heard", "heard", "post_stop"]);
}

/// S26, 2a: a future that panics ends the drain, as a failing message does: the panic is reported, and `post_stop` is
/// due.
#[tokio::test(start_paused = true)]
async fn a_panic_next_to_a_drain_ends_it() {
    quiet_panics();
    let (tree, journal) = one().await;
    let asked = request(&tree.server, secs(10)).await;
    tree.server.tell(Msg::Panic).await.unwrap();
    settle().await;
    let (mut events, begin) = (tree.events(), Instant::now());
    tree.server.drain();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(begin.elapsed(), secs(1));
    assert!(asked.await.unwrap().is_err());
    assert_eq!((journal.take(), tree.server.incarnation()), (vec!["post_stop".to_owned()], 1));
    assert_eq!(seen(&mut events), ["server stopping Drain", "server reported", "server ended Stopped"]);
}

/// S26, 2a: a kill, or a stop of the tree with less time, cuts the drain short.
#[tokio::test(start_paused = true)]
async fn what_a_drain_waits_for_can_be_cut_short() {
    let (tree, journal) = one().await;
    let asked = request(&tree.server, secs(10)).await;
    tree.server.drain();
    pass(secs(1)).await;
    let begin = Instant::now();
    tree.server.kill();
    assert!(matches!(soon(tree.server.terminated()).await, Ok(Ended::Stopped)));
    assert!(asked.await.unwrap().is_err());
    assert_eq!((begin.elapsed(), journal.take()), (secs(0), vec!["post_stop".to_owned()]));

    let (tree, _) = one().await;
    let asked = request(&tree.server, secs(10)).await;
    tree.server.drain();
    let begin = Instant::now();
    let report = tree.shutdown().within(secs(2)).await;
    assert!(!report.is_orderly());
    assert_eq!(begin.elapsed(), secs(2));
    assert!(asked.await.unwrap().is_err());
}

/// S26, 2a: when the group goes down, the running futures are dropped.
#[tokio::test(start_paused = true)]
async fn a_group_that_goes_down_does_not_wait_for_what_runs() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    let asked = request(&tree.b, secs(4)).await;
    tree.b.drain();
    pass(secs(1)).await;
    tree.a.tell(Msg::Fail).await.unwrap();
    settle().await;
    assert!(matches!(tree.b.ended(), Some(Ended::Stopped)), "{:?}", tree.b.ended());
    assert!(asked.await.unwrap().is_err());
    assert!(!journal.take().contains(&"done".to_owned()));
}

/// S26, S7: below a failure the drain is suspended; after a Resume from above, it continues to wait.
#[tokio::test(start_paused = true)]
async fn a_drain_that_was_suspended_goes_on_waiting() {
    let journal = Journal::default();
    let tree = Resumes::start(journal.clone()).await.unwrap();
    let asked = request(&tree.sub.b, secs(4)).await;
    tree.sub.b.drain();
    let begin = Instant::now();
    pass(secs(1)).await;
    tree.sub.a.tell(Msg::Fail).await.unwrap();
    assert!(matches!(soon(tree.sub.b.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!((asked.await.unwrap(), begin.elapsed(), tree.sub.a.incarnation()), (Ok(1), secs(4), 1));
    assert_eq!(journal.take(), ["done", "post_stop"]);
}
