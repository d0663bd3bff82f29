//! Hosted actors: those that run here for the tree of another process, which decides about them.

use std::sync::{Arc, Mutex};

use supervise::error::SpawnError;
use supervise::policy::{ChildOptions, Mailbox};
use supervise::prelude::*;
use supervise_remote::hooks::{self as remote, Host};

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, quiet_panics, secs, seen, settle, soon};

/// The owner, as a node sees it.
#[derive(Clone, Default)]
pub struct Owner {
    asked: Arc<Mutex<Vec<String>>>,
    answer: Arc<Mutex<Option<Directive>>>,
}

impl Owner {
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn answers(&self, directive: Directive) {
        *self.answer.lock().unwrap() = Some(directive);
    }
}

pub fn place(healing: Option<Failure>) -> Host<Probe> {
    Host {
        path: "shelves/2".into(),
        incarnation: 5,
        healing,
        options: ChildOptions::new(),
        extensions: Vec::new(),
        standing: supervise::extension::StandingExtensions::NONE,
    }
}

pub fn killed() -> Failure {
    remote::failure(Phase::Running, Cause::Killed, "shelves/2".into(), 4)
}

/// Hosts a probe, which writes under the name `far`.
pub fn hosts(
    host: Host<Probe>,
    owner: &Owner,
    journal: &Journal,
) -> (ActorRef<Probe>, impl Future<Output = Result<(), SpawnError>> + Send) {
    let (journal, owner) = (journal.clone(), owner.clone());
    let start = move || {
        let journal = journal.clone();
        async move { Ok(Probe::start("far", journal).await?) }
    };
    remote::host(host, start, move |actor, failure| {
        owner.asked.lock().unwrap().push(format!("{} {failure}", actor.path()));
        owner.answer.lock().unwrap().take()
    })
}

async fn up(owner: &Owner, journal: &Journal) -> ActorRef<Probe> {
    let (actor, up) = hosts(place(None), owner, journal);
    up.await.unwrap();
    journal.take();
    actor
}

/// S11, S12: its path and its incarnation are those of the tree, and its hooks run as they would there.
#[tokio::test(start_paused = true)]
async fn it_is_the_next_incarnation_of_a_child_of_the_tree() {
    let (owner, journal) = (Owner::default(), Journal::default());
    let (actor, up) = hosts(place(Some(killed())), &owner, &journal);
    let mut events = remote::events(&actor);
    up.await.unwrap();
    assert_eq!(journal.take(), ["far start", "far pre_start", "far post_restart"]);
    assert_eq!((actor.path().as_str(), actor.incarnation()), ("shelves/2", 5));
    assert_eq!(actor.ask(Do::Incarnation).await.unwrap(), 5);
    assert_eq!(seen(&mut events), ["shelves/2 restarted"]);
    actor.stop();
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["far post_stop", "far drop"]);
    let (_, up) = hosts(place(None), &owner, &journal);
    up.await.unwrap();
    assert_eq!(journal.take(), ["far start", "far pre_start"], "it heals nothing");
}

/// S7, S8: a failure is kept until the owner has answered; the actor handles nothing meanwhile, nor do its children.
#[tokio::test(start_paused = true)]
async fn a_failure_is_kept_until_the_owner_has_answered() {
    let (owner, journal) = (Owner::default(), Journal::default());
    let actor = up(&owner, &journal).await;
    let mut events = remote::events(&actor);
    for note in [Do::Note("one"), Do::Fail(Boom::Told), Do::Note("two")] {
        remote::deliver(&actor, move || note);
    }
    pass(secs(3600)).await;
    assert_eq!(owner.asked(), ["shelves/2 shelves/2 failed while running: Told"]);
    assert_eq!((journal.take(), seen(&mut events)), (vec!["far one".to_owned()], vec!["shelves/2 failed".to_owned()]));
    remote::release(&actor);
    settle().await;
    assert_eq!(owner.asked().len(), 1, "asked again, and still kept");
    assert!(seen(&mut events).is_empty(), "no decision that is none");
    owner.answers(Directive::Resume);
    remote::release(&actor);
    settle().await;
    assert_eq!((owner.asked().len(), journal.take()), (1, vec!["far two".to_owned()]));
    assert_eq!(seen(&mut events), ["shelves/2 decided Resume"]);
    remote::release(&actor);
    settle().await;
    assert!(owner.asked().is_empty(), "nothing is kept");
    remote::deliver(&actor, || Do::Fail(Boom::Told));
    settle().await;
    assert_eq!(owner.asked().len(), 1, "the next failure is another one, and asked about once");
}

/// S7, S19: a failure that escalates to it from its own children is asked about too, and they are suspended meanwhile.
#[tokio::test(start_paused = true)]
async fn the_owner_is_asked_about_a_failure_of_a_child_that_escalates() {
    struct Parent(Journal);
    impl Actor for Parent {
        type Msg = Do;
        type Error = SpawnError;
        async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), SpawnError> {
            let child = cx.child::<Probe>("child").unwrap();
            child.try_tell(msg).unwrap();
            Ok(())
        }
        async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
            let journal = self.0.clone();
            cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? }).await?;
            Ok(())
        }
        fn supervision(&self) -> SupervisorStrategy {
            SupervisorStrategy::default().decider(|_: &_| Directive::Escalate)
        }
    }
    let (owner, journal) = (Owner::default(), Journal::default());
    let (asked, mine) = (owner.clone(), journal.clone());
    let host = Host {
        path: "p".into(),
        incarnation: 1,
        healing: None,
        options: ChildOptions::new(),
        extensions: Vec::new(),
        standing: supervise::extension::StandingExtensions::NONE,
    };
    let start = move || std::future::ready(Ok(Parent(mine.clone())));
    let (actor, up) = remote::host(host, start, move |_, failure| {
        asked.asked.lock().unwrap().push(failure.to_string());
        asked.answer.lock().unwrap().take()
    });
    up.await.unwrap();
    journal.take();
    for msg in [Do::Fail(Boom::Told), Do::Note("after")] {
        remote::deliver(&actor, move || msg);
    }
    settle().await;
    assert_eq!(owner.asked(), ["p/child failed while running: Told"]);
    assert_eq!(journal.take(), [""; 0]);
    owner.answers(Directive::Resume);
    remote::release(&actor);
    settle().await;
    assert_eq!(journal.take(), ["child after"]);
    remote::leave(&actor, &killed());
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["child post_stop", "child drop"], "its children go with it");
}

/// S11: a hosted actor leaves as for a restart, with this failure, from wherever it is; and it ends.
#[tokio::test(start_paused = true)]
async fn a_hosted_actor_leaves_with_the_hooks_of_a_restart() {
    let leaves = ["far pre_restart", "far post_stop", "far drop"];
    let (owner, journal) = (Owner::default(), Journal::default());
    let idle = up(&owner, &journal).await;
    remote::leave(&idle, &killed());
    assert!(matches!(soon(idle.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), leaves);
    let busy = up(&owner, &journal).await;
    remote::deliver(&busy, || Do::Work(secs(2)));
    settle().await;
    remote::leave(&busy, &killed());
    assert!(matches!(soon(busy.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), [&["far works", "far worked"], &leaves[..]].concat(), "the message in hand goes on");
    let failed = up(&owner, &journal).await;
    remote::deliver(&failed, || Do::Fail(Boom::Told));
    settle().await;
    remote::leave(&failed, &killed());
    assert!(matches!(soon(failed.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!((journal.take(), owner.asked().len()), (leaves.map(String::from).to_vec(), 1));
    journal.plan("far pre_start", 1, Fault::Slow(secs(9)));
    let (starts, up) = hosts(place(None), &owner, &journal);
    settle().await;
    remote::leave(&starts, &killed());
    assert!(soon(up).await.is_err());
    assert!(matches!(soon(starts.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["far start", "far pre_start", "far drop"], "its start is dropped");
    remote::leave(&starts, &killed()); // the actor has ended
    remote::release(&starts);
}

/// S24: a stop ends it while its failure is kept.
#[tokio::test(start_paused = true)]
async fn it_is_stopped_while_a_failure_is_kept() {
    let (owner, journal) = (Owner::default(), Journal::default());
    let actor = up(&owner, &journal).await;
    remote::deliver(&actor, || Do::Panic);
    quiet_panics();
    settle().await;
    actor.stop();
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["far post_stop", "far drop"]);
    remote::release(&actor);
    settle().await;
    assert_eq!(owner.asked().len(), 1);
}

/// S4: a kill is asked about like any failure.
#[tokio::test(start_paused = true)]
async fn a_kill_is_asked_about() {
    let (owner, journal) = (Owner::default(), Journal::default());
    let actor = up(&owner, &journal).await;
    remote::deliver(&actor, || Do::Hang);
    settle().await;
    actor.kill();
    settle().await;
    assert_eq!(owner.asked(), ["shelves/2 shelves/2 failed while running: killed"]);
    remote::leave(&actor, &killed());
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)));
}

/// S13, S21: a start that fails ends it, and nobody is asked; the error keeps its type.
#[tokio::test(start_paused = true)]
async fn a_failed_start_is_the_error_of_its_host() {
    let (owner, journal) = (Owner::default(), Journal::default());
    for (healing, phase) in [(None, Phase::Start), (Some(killed()), Phase::Restart)] {
        journal.plan("far pre_start", 1, Fault::Error);
        let (actor, up) = hosts(place(healing), &owner, &journal);
        let Err(SpawnError::Start(failure)) = soon(up).await else { panic!("it starts") };
        assert_eq!((failure.error::<Boom>(), failure.phase()), (Some(&Boom::Planned), phase));
        assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Failed(_))));
    }
    assert!(owner.asked().is_empty());
    let slow = Host { options: ChildOptions::new().start(secs(1)), ..place(None) };
    journal.plan("far start", 1, Fault::Slow(secs(9)));
    let (_, up) = hosts(slow, &owner, &journal);
    let Err(SpawnError::Start(failure)) = soon(up).await else { panic!("it starts") };
    assert!(matches!(failure.cause(), Cause::TimedOut), "its time is obeyed");
}

/// S38: a caller that waits for its start and gives up stops it.
#[tokio::test(start_paused = true)]
async fn it_is_stopped_if_nobody_waits_for_its_start() {
    let (owner, journal) = (Owner::default(), Journal::default());
    journal.plan("far pre_start", 1, Fault::Slow(secs(9)));
    let (actor, up) = hosts(place(None), &owner, &journal);
    settle().await;
    drop(up);
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)));
}

/// S3: a delivered message is made when its turn comes, past the bound of the mailbox; what is left is dropped with the
/// incarnation, and is no dead letter.
#[tokio::test(start_paused = true)]
async fn a_delivered_message_is_made_when_its_turn_comes() {
    let (owner, journal) = (Owner::default(), Journal::default());
    let small = Host { options: ChildOptions::new().mailbox(Mailbox::Bounded(1)), ..place(None) };
    let (actor, up) = hosts(small, &owner, &journal);
    let mut events = remote::events(&actor);
    up.await.unwrap();
    journal.take();
    for n in 0..4 {
        let journal = journal.clone();
        remote::deliver(&actor, move || {
            journal.write(format!("begun {n}"));
            if n == 1 { Do::Work(secs(1)) } else { Do::Note("notes") }
        });
    }
    settle().await;
    assert_eq!(journal.take(), ["begun 0", "far notes", "begun 1", "far works"]);
    actor.stop();
    soon(actor.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["far worked", "far post_stop", "far drop"]);
    assert!(!seen(&mut events).contains(&"shelves/2 dead letter".to_owned()));
    remote::deliver(&actor, || Do::Note("too late"));
}

/// S7: a panic of the function that makes a message is a failure, without a message in hand.
#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_made_is_a_failure() {
    quiet_panics();
    let (owner, journal) = (Owner::default(), Journal::default());
    let actor = up(&owner, &journal).await;
    remote::deliver(&actor, || panic!("planned panic"));
    settle().await;
    assert_eq!(owner.asked(), ["shelves/2 shelves/2 failed while running: panicked: planned panic"]);
    owner.answers(Directive::Resume);
    remote::release(&actor);
    remote::deliver(&actor, || Do::Note("goes on"));
    settle().await;
    assert_eq!(journal.take(), ["far goes on"]);
}

/// S12: the hooks of its options replace those of its type.
#[tokio::test(start_paused = true)]
async fn its_options_are_obeyed() {
    async fn before(_: &mut Probe, failure: &Failure) {
        assert!(matches!(failure.cause(), Cause::Killed));
    }
    let (owner, journal) = (Owner::default(), Journal::default());
    let options = ChildOptions::new().pre_restart(before).handler(secs(1)).lifecycle(Lifecycle::Permanent);
    let (actor, up) = hosts(Host { options, ..place(None) }, &owner, &journal);
    up.await.unwrap();
    journal.take();
    remote::deliver(&actor, || Do::Hang);
    pass(secs(2)).await;
    assert_eq!(owner.asked(), ["shelves/2 shelves/2 failed while running: took too long"]);
    remote::leave(&actor, &killed());
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Stopped)), "its lifecycle is that of a placement");
    assert_eq!(journal.take(), ["far post_stop", "far drop"]);
}
