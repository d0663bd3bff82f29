//! Syntax that the grammar allows: names of every kind, `#[cfg]`, parameters that are functions.

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe};

#[allow(non_snake_case)] // for the names of the children
mod names {
    use super::*;

    supervisor! {
        /// Names that have another meaning elsewhere.
        pub(crate) struct Names(r#type: Journal, make: fn(&'static str, Journal) -> Later) {
            let start = format!("{type:?}").len();
            pub(super) r#struct: Probe = make("struct", r#type.clone()).await?,
            Some: Probe = Probe::start("Some", r#type.clone()).await?,
            Vec: Probe = Probe::start("Vec", r#type.clone()).await?,
            shutdown: Probe = Probe::start("shutdown", r#type.clone()).await?,
            events: Probe = { let _ = start; Probe::start("events", r#type.clone()).await? },
            #[cfg(any())]
            gone: Nothing = Nothing::at_all(),
            #[cfg(any())]
            never: struct Never {
                nothing: Nothing = Nothing::at_all(),
            },
            handle: Probe = Probe::start("handle", r#type.clone()).await?,
            #[lifecycle(drain)]
            early: Probe = Probe::start("early", r#type.clone()).await?,
            #[lifecycle(drain)]
            drain: Probe = Probe::start("drain", r#type.clone()).await?,
            error: Probe = { let _ = shutdown; Probe::start("error", r#type).await? },
        }
    }

    pub(super) type Later = std::pin::Pin<Box<dyn Future<Output = Result<Probe, Boom>> + Send>>;

    #[expect(dead_code, reason = "a constant whose name the expansion must not mean")]
    #[expect(non_upper_case_globals)]
    const handle: u8 = 0;
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Journal")
    }
}

/// Children may have any name. `#[cfg]` removes a child together with its field, a parameter can be called, and a raw
/// name can be formatted.
#[tokio::test(start_paused = true)]
async fn children_may_be_called_what_they_like() {
    let make: fn(&'static str, Journal) -> names::Later = |name, journal| Box::pin(Probe::start(name, journal));
    let tree = names::Names::start(Journal::default(), make).await.unwrap();
    assert_eq!(tree.r#struct.path(), "struct");
    assert_eq!([tree.Some.path(), tree.Vec.path()], ["Some", "Vec"]);
    assert_eq!(tree.events.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(TreeRef::path(&tree), "Names");
    assert_eq!([tree.handle.path(), tree.error.path(), tree.shutdown.path()], ["handle", "error", "shutdown"]);
    Running::shutdown(tree).await;
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Numbered(u32);

/// Fails with the number in its message.
struct Failing;

#[actor]
impl Failing {
    fn handle(&mut self, number: u32) -> Result<(), Numbered> {
        Err(Numbered(number))
    }
}

supervisor! {
    #[strategy(AllForOne)]
    #[decider(
        #[cfg(any())]
        _ => Escalate,
        #[cfg(all())]
        Numbered(1): Numbered => Stop,
        #[cfg(any())]
        Numbered(1): Numbered => Escalate,
        e: Numbered => {
            let is_even = e.0 % 2 == 0;
            if is_even { Restart } else { Stop }
        },
        _ => Stop,
    )]
    struct Above {
        one: Failing = Failing,
        two: Failing = Failing,
    }
}

#[tokio::test(start_paused = true)]
async fn settings_above_a_tree_are_those_of_the_tree() {
    let tree = Above::start().await.unwrap();
    tree.one.tell(2).await.unwrap(); // restarts both
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!((tree.one.incarnation(), tree.two.incarnation()), (2, 2));
    tree.one.tell(1).await.unwrap(); // in this build the arm stops; the arm for the other configuration would escalate
    assert!(matches!(tree.one.terminated().await.unwrap(), Ended::Failed(_)));
    let other = Above::start().await.unwrap();
    other.two.tell(3).await.unwrap();
    assert!(matches!(other.two.terminated().await.unwrap(), Ended::Failed(_)));
    assert_eq!(Above::SPEC.settings.len(), 2);
}

#[expect(clippy::todo, clippy::unimplemented, reason = "drafts are the matter of this test")]
mod drafts {
    use super::*;

    supervisor! {
        pub(super) struct Drafts(is_known: bool) {
            #![decider(_ => Stop)]
            with_context: task = |_cx| unimplemented!("later"),
            plain: task = todo!(),
            begun: task = |cx| {
                let _is_used = cx.path();
                todo!()
            },
            after_a_line: task = {
                let _is_known = is_known;
                todo!()
            },
            ends_the_process: task = std::process::exit(3),
            last: task = async move { assert!(is_known) },
        }
    }
}

#[tokio::test]
async fn a_task_may_be_a_draft() {
    let failure = drafts::Drafts::start(true).await.unwrap_err();
    assert!(failure.to_string().contains("implemented"), "{failure}");
}

supervisor! {
    struct Optional(is_there: bool) {
        with_a_path: std::option::Option<Failing> = is_there.then_some(Failing),
        task: core::option::Option<task> = (!is_there).then(std::future::pending::<()>),
    }
}

#[tokio::test]
async fn the_path_of_an_optional_child_may_be_written() {
    let tree = Optional::start(true).await.unwrap();
    assert!(tree.with_a_path.is_some() && tree.task.is_none());
}
