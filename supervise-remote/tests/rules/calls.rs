//! S64, S65: methods of remote children are messages, and a remote child follows sources on its node.

use crate::world::*;
use serde::{Deserialize, Serialize};
use supervise::error::{AskError, SendRejection};
use supervise::event::EventKind;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Empty;

/// Counts the ticks of a clock on its node.
pub(crate) struct Reports {
    digits: i32,
    ticks: u32,
}

#[actor(derive(Serialize, Deserialize))]
impl Reports {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        let (tick, ticks) = tokio::sync::mpsc::channel(1);
        tokio::spawn(async move {
            while tick.send(1).await.is_ok() {
                tokio::time::sleep(SECOND).await;
            }
        });
        cx.follow(ticks, ReportsMsg::tick);
    }

    #[message]
    pub(crate) fn mean(&mut self, values: &[f64]) -> Result<f64, Empty> {
        if values.is_empty() {
            return Err(Empty);
        }
        Ok(values.iter().sum::<f64>() / values.len() as f64 + f64::from(self.digits))
    }

    #[message]
    pub(crate) fn crash(&mut self, why: &str) -> Result<u8, Thrown> {
        Err(why.to_owned())?
    }

    #[message(name = "how_many")]
    pub(crate) async fn ticks(&self) -> u32 {
        self.ticks
    }

    #[message]
    pub(crate) async fn slow(&mut self) {
        tokio::time::sleep(30 * SECOND).await;
    }

    #[message]
    pub(crate) fn later(&mut self, reply: Reply<String>) {
        tokio::spawn(async move {
            tokio::time::sleep(SECOND).await;
            reply.send("later".to_owned());
        });
    }

    #[message]
    fn tick(&mut self, by: u32) {
        self.ticks += by;
    }
}

/// An actor of the owner's process or of a node, which calls another one by any handle.
pub(crate) struct Front {
    reports: RemoteRef<Reports>,
}

#[actor(derive(Serialize, Deserialize))]
impl Front {
    #[message]
    pub(crate) async fn mean(&mut self, values: Vec<f64>) -> Result<Result<f64, Empty>, Thrown> {
        Ok(through(&self.reports, values).await?)
    }

    /// Is answered by the other actor, over its owner.
    #[message]
    pub(crate) async fn relayed(&mut self, reply: Reply<String>) -> Result<(), Thrown> {
        Ok(self.reports.tell(ReportsMsg::later(reply)).await?)
    }
}

async fn through(reports: &impl ReportsCalls, values: Vec<f64>) -> Result<Result<f64, Empty>, AskError> {
    reports.mean(values).await
}

supervisor! {
    struct Office {
        #![on("worker", lease = 2s)]
        #[mailbox(Bounded(2))]
        reports: remote Reports = Reports { digits: 1, ticks: 0 },
        front: remote Front = Front { reports },
    }
}

async fn office() -> (Cluster, Running<Office>) {
    let mut cluster = Cluster::new();
    cluster.node("one", Office::node("worker"));
    cluster.node("two", Office::node("worker"));
    tokio::time::sleep(SECOND).await;
    let office = Office::tree().on(cluster.owner()).start().await.unwrap();
    (cluster, office)
}

/// S64: a remote child is called as a local one: answers, errors for the caller, failures, borrowed arguments.
#[tokio::test(start_paused = true)]
async fn a_remote_child_is_called_by_its_methods() {
    let (_cluster, office) = office().await;
    assert_eq!(office.reports.mean(vec![1.0, 2.0]).await, Ok(Ok(2.5)));
    assert_eq!(office.reports.mean(&[4.0][..]).within(SECOND).await, Ok(Ok(5.0)));
    assert_eq!(office.reports.mean(vec![]).await, Ok(Err(Empty)));
    assert_eq!(office.reports.later().await.unwrap(), "later");
    assert_eq!(office.front.relayed().await.unwrap(), "later", "the reply is passed on to another node");
    office.reports.tell(ReportsMsg::later(None)).await.unwrap();
    let failed = office.reports.crash("a bug").await;
    assert!(matches!(failed, Err(AskError::NoReply { .. })), "{failed:?}");
    assert_eq!(office.reports.mean(vec![1.0]).within(60 * SECOND).await, Ok(Ok(2.0)));
    assert_eq!(office.reports.incarnation(), Some(2));
}

/// S64: a child on a node calls another one by its reference.
#[tokio::test(start_paused = true)]
async fn a_node_calls_the_child_of_another_node() {
    let (_cluster, office) = office().await;
    assert_eq!(office.front.mean(vec![3.0]).await, Ok(Ok(4.0)));
    assert_eq!(office.front.mean(vec![]).await, Ok(Err(Empty)));
}

/// S64: a forgotten call waits for room, or is refused at once; an error that nobody reads is an event of the node.
#[tokio::test(start_paused = true)]
async fn a_forgotten_call_crosses_as_a_tell() {
    let (_cluster, office) = office().await;
    office.reports.mean(vec![]).forget().await.unwrap();
    office.reports.slow().forget().await.unwrap();
    tokio::time::sleep(SECOND).await;
    while office.reports.mean(vec![1.0]).at_once().forget().await.is_ok() {
        tokio::time::sleep(MS).await;
    }
    let refused = office.reports.mean(vec![1.0]).at_once().forget().await.unwrap_err();
    assert_eq!(refused.reason(), SendRejection::Full);
    assert_eq!(format!("{:?}", refused.into_message()), "Reports::mean");
    let begun = tokio::time::Instant::now();
    office.reports.mean(vec![1.0]).forget().await.unwrap();
    assert!(begun.elapsed() > SECOND, "it has waited for room: {:?}", begun.elapsed());
}

/// S64, S61: a message that waits at the owner of a remote child is a dead letter by the name of its method.
#[tokio::test(start_paused = true)]
async fn a_dead_letter_of_a_remote_child_names_the_method() {
    let (_cluster, office) = office().await;
    let mut events = office.events();
    office.reports.slow().forget().await.unwrap();
    tokio::time::sleep(SECOND).await;
    while office.reports.mean(vec![1.0]).at_once().forget().await.is_ok() {
        tokio::time::sleep(MS).await;
    }
    office.reports.kill();
    tokio::time::sleep(60 * SECOND).await;
    let lost: Vec<_> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::DeadLetter { message, .. } if event.path == "reports" => Some(message),
            _ => None,
        })
        .collect();
    assert!(!lost.is_empty() && lost.iter().all(|message| message.starts_with("Reports::")), "{lost:?}");
}

/// S64: nothing crosses before a call is awaited.
#[tokio::test(start_paused = true)]
async fn a_remote_call_that_is_not_awaited_is_not_sent() {
    let (_cluster, office) = office().await;
    let mut events = office.events();
    drop(office.reports.crash("never"));
    drop(office.reports.crash("never").forget());
    drop(office.reports.crash("never").at_once().forget());
    tokio::time::sleep(5 * SECOND).await;
    assert!(std::iter::from_fn(|| events.try_next()).all(|event| !matches!(event.kind, EventKind::Failed { .. })));
}

/// S65: a remote child follows sources on its node, anew with each instance.
#[tokio::test(start_paused = true)]
async fn a_remote_child_follows_a_source_on_its_node() {
    let (_cluster, office) = office().await;
    tokio::time::sleep(10 * SECOND).await;
    let ticks = office.reports.ticks().await.unwrap();
    assert!((9..=12).contains(&ticks), "{ticks}");
    let _ = office.reports.crash("a bug").await;
    let ticks = office.reports.ticks().within(60 * SECOND).await.unwrap();
    assert!(ticks <= 2, "{ticks}");
}
