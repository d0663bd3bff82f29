//! User code runs in the span of its child, under that of its supervisor: S41.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use supervise::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::set_global_default;
use tracing::{Event, Instrument, Level, Subscriber, info, info_span};
use tracing_subscriber::layer::{Context as At, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::common::{Boom, secs, settle, soon};
use crate::guardian::set;

/// Records each `info` event with the spans around it, outermost first. The records are kept per thread, and each test
/// runs on its own thread.
struct Recorder;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static OPEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Installs the recorder. Every test of this process must call this first: events before the call are never recorded.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_global_default(Registry::default().with(Recorder)).unwrap());
}

fn take() -> Vec<String> {
    LINES.take()
}

fn open() -> Vec<String> {
    OPEN.with_borrow(Clone::clone)
}

#[derive(Default)]
struct Fields {
    path: String,
    incarnation: String,
    message: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "path" => self.path = text,
            "incarnation" => self.incarnation = text,
            "message" => self.message = text,
            _ => {}
        }
    }
}

struct Named(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attrs: &Attributes<'_>, id: &Id, at: At<'_, S>) {
        let mut fields = Fields::default();
        attrs.record(&mut fields);
        let name = match attrs.metadata().name() {
            "child" => format!("{}#{}", fields.path, fields.incarnation),
            name => name.to_owned(),
        };
        OPEN.with_borrow_mut(|open| open.push(name.clone()));
        at.span(id).unwrap().extensions_mut().insert(Named(name));
    }

    fn on_close(&self, id: Id, at: At<'_, S>) {
        let span = at.span(&id).unwrap();
        let name = span.extensions().get::<Named>().unwrap().0.clone();
        OPEN.with_borrow_mut(|open| {
            let place = open.iter().position(|other| *other == name).unwrap();
            open.remove(place);
        });
    }

    fn on_event(&self, event: &Event<'_>, at: At<'_, S>) {
        // Events of the library are in the spans around its own code.
        if *event.metadata().level() != Level::INFO || event.metadata().target().starts_with("supervise") {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let around = at.event_scope(event).into_iter().flat_map(|scope| scope.from_root());
        let around: Vec<String> = around.map(|span| span.extensions().get::<Named>().unwrap().0.clone()).collect();
        let line = format!("{}: {}", around.join(" > "), fields.message);
        LINES.with_borrow_mut(|lines| lines.push(line));
    }
}

/// Reports its spans.
struct Speaker;

enum Say {
    It,
    Slowly,
    Fail,
    /// From a timer's closure, a background future, and a child.
    Alongside,
    Here(Reply<()>),
    Link(ActorRef<Speaker>),
    Unlink(ActorRef<Speaker>),
}

impl Speaker {
    fn start() -> Speaker {
        info!("start");
        Speaker
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        info!("drop");
    }
}

impl Actor for Speaker {
    type Msg = Say;
    type Error = Boom;

    async fn receive(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Say::It => info!("handler"),
            Say::Slowly => {
                tokio::time::sleep(secs(1)).await;
                info!("after an await");
            }
            Say::Fail => return Err(Boom::Told),
            Say::Here(reply) => reply.send(()),
            Say::Link(other) => cx.link(&other).await.unwrap(),
            Say::Unlink(other) => cx.unlink(&other).await.unwrap(),
            Say::Alongside => {
                let inner = info_span!("inner");
                let child = async { cx.spawn(child! { "kid": Speaker = Speaker::start() }).await.unwrap() };
                child.instrument(inner).await;
                cx.run(async { info!("future") }, |()| Say::It);
            }
        }
        Ok(())
    }

    async fn pre_start(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        info!("pre_start");
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        info!("post_stop");
        Ok(())
    }
}

supervisor! {
    struct Talk {
        #![decider(_ => { info!("decider"); Directive::Restart })]

        live: struct Live {
            speaker: Speaker = Speaker::start(),
        },

        chat: task = |cx| async move {
            info!("task");
            cx.spawn(async { info!("subtask") });
            cx.stopped().await;
        },
    }
}

/// S41: start expressions, handlers, hooks and `Drop` run in `child{path, incarnation}`, below the span of the
/// supervisor; the root's span is below the one that was current at `start()`.
#[tokio::test(start_paused = true)]
async fn user_code_runs_in_the_span_of_its_child() {
    listen();
    let talk = Talk::start().instrument(info_span!("main")).await.unwrap();
    settle().await;
    let speaker = "main > Talk#1 > live#1 > live/speaker#1";
    let chat = "main > Talk#1 > chat#1";
    assert_eq!(
        take(),
        [
            format!("{speaker}: start"),
            format!("{speaker}: pre_start"),
            format!("{chat}: task"),
            format!("{chat}: subtask"),
        ]
    );
    talk.live.speaker.tell(Say::It).await.unwrap();
    talk.live.speaker.tell(Say::Slowly).await.unwrap();
    tokio::time::sleep(secs(2)).await;
    assert_eq!(take(), [format!("{speaker}: handler"), format!("{speaker}: after an await")]);
    talk.live.speaker.tell(Say::Fail).await.unwrap();
    settle().await;
    let again = "main > Talk#1 > live#1 > live/speaker#2";
    assert_eq!(
        take(),
        [
            format!("{speaker}: post_stop"),
            format!("{speaker}: drop"),
            format!("{again}: start"),
            format!("{again}: pre_start"),
        ]
    );
    talk.live.speaker.stop();
    soon(talk.live.speaker.terminated()).await.unwrap();
    assert_eq!(take(), [format!("{again}: post_stop"), format!("{again}: drop")]);
    assert!(!open().contains(&"live/speaker#2".to_owned()), "its end closes its span: {:?}", open());
    soon(talk.shutdown()).await;
    assert!(open().is_empty(), "nothing stays open: {:?}", open());
}

/// S41: an actor's background work runs in the actor's span, and a spawned child's span is directly below it, even if
/// the spawn was called in a span of its own.
#[tokio::test(start_paused = true)]
async fn futures_and_children_of_an_actor_are_below_its_span() {
    listen();
    set();
    let top = spawn(child! { "top": Speaker = Speaker::start() });
    let top = async { top.await.unwrap() }.instrument(info_span!("main")).await;
    top.tell(Say::Alongside).await.unwrap();
    settle().await;
    assert_eq!(
        take(),
        [
            "main > top#1: start",
            "main > top#1: pre_start",
            "main > top#1 > top/kid#1: start",
            "main > top#1 > top/kid#1: pre_start",
            "main > top#1: future",
            "main > top#1: handler",
        ]
    );
    top.stop();
    soon(top.terminated()).await.unwrap();
    settle().await;
    assert!(open().is_empty(), "nothing stays open: {:?}", open());
}

/// S41: after a restart of the supervisor, a subtree or an actor, its children are in the span of its present incarnation,
/// and the span before is closed.
#[tokio::test(start_paused = true)]
async fn children_of_a_restarted_supervisor_are_below_its_new_span() {
    listen();
    set();
    let talk = Talk::start().instrument(info_span!("main")).await.unwrap();
    talk.live.restart().unwrap().await.unwrap();
    settle().await;
    take();
    talk.live.speaker.tell(Say::It).await.unwrap();
    settle().await;
    assert_eq!(take(), ["main > Talk#1 > live#2 > live/speaker#2: handler"]);
    assert!(!open().iter().any(|span| span == "live#1" || span == "live/speaker#1"), "{:?}", open());

    talk.live.speaker.tell(Say::Fail).await.unwrap();
    talk.live.speaker.tell(Say::Alongside).await.unwrap();
    tokio::time::sleep(secs(1)).await; // after the least gap between two restarts
    let kid = "main > Talk#1 > live#2 > live/speaker#3 > live/speaker/kid#1";
    let lines = take();
    assert!(lines.contains(&format!("{kid}: start")), "{lines:?}");
    assert!(!open().contains(&"live/speaker#2".to_owned()), "{:?}", open());
    soon(talk.shutdown()).await;
    assert!(open().is_empty(), "nothing stays open: {:?}", open());
}

/// S41, S38: after a link, the next incarnation is inside the span of its new supervisor, and after an unlink no longer;
/// so it is with a child that was spawned there.
#[tokio::test(start_paused = true)]
async fn one_that_has_moved_is_below_the_span_of_its_supervisor() {
    listen();
    set();
    let top = |name| spawn(child! { name: Speaker = Speaker::start() });
    let (boss, one) = (top("boss").await.unwrap(), top("one").await.unwrap());
    let again = async |who: &ActorRef<Speaker>| {
        take();
        who.tell(Say::Fail).await.unwrap();
        soon(who.ask(Say::Here)).await.unwrap();
        take().into_iter().filter(|line| line.ends_with(": start")).collect::<Vec<_>>()
    };
    boss.tell(Say::Link(one.clone())).await.unwrap();
    settle().await;
    assert_eq!(again(&one).await, ["boss#1 > one#2: start"]);
    boss.tell(Say::Unlink(one.clone())).await.unwrap();
    settle().await;
    assert_eq!(again(&one).await, ["one#3: start"]);
    for end in [boss, one] {
        end.stop();
        soon(end.terminated()).await.unwrap();
    }
    assert!(open().is_empty(), "nothing stays open: {:?}", open());
}
