//! `initial`: the children that a set has from its start.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct Halls(journal: Journal, count: u32) {
        #[initial(0..count)]
        counted: [Probe] = |n: u32| Probe::start(format!("c{n}"), journal.clone()).await?,
        #[initial([("first".to_owned(), 7), ("second".to_owned(), 8)])]
        keyed: [String => Probe] = |name: String, sum: u64| {
            let mut probe = Probe::start(name, journal.clone()).await?;
            probe.sum = sum;
            probe
        },
        without: [Probe] = |n: u32| Probe::start(format!("w{n}"), journal.clone()).await?,
    }
}

/// S27: the initial children are up when the tree is up.
#[tokio::test(start_paused = true)]
async fn initial_expression_is_obeyed() {
    let journal = Journal::default();
    let tree = Halls::start(journal.clone(), 3).await.unwrap();
    assert_eq!([tree.counted.len(), tree.keyed.len(), tree.without.len()], [3, 2, 0]);
    let starts: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect();
    assert_eq!(starts, ["c0 start", "c1 start", "c2 start", "first start", "second start"]);
    let second = tree.keyed.get("second").expect("the child was declared");
    assert_eq!(second.ask(Do::Get).await.unwrap(), 8);
}

/// Counts the tickets that there are, clones included.
#[derive(Clone, Default)]
struct Tickets(Arc<AtomicUsize>);

impl Tickets {
    fn print(&self) -> Ticket {
        self.0.fetch_add(1, SeqCst);
        Ticket(self.clone())
    }

    fn there_are(&self) -> usize {
        self.0.load(SeqCst)
    }
}

struct Ticket(Tickets);

impl Clone for Ticket {
    fn clone(&self) -> Self {
        self.0.print()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, SeqCst);
    }
}

supervisor! {
    struct Fair(journal: Journal, tickets: Tickets) {
        #![decider(_ => Restart)]
        stand: Stand = Stand::tree(journal, tickets),
        other: task = |cx| cx.stopped(),
    }

    struct Stand(journal: Journal, tickets: Tickets) {
        #![decider(_ => Escalate)]
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Temporary)]
        #[initial([tickets.print(), tickets.print()])]
        sold: [task] = |ticket: Ticket| async move { drop(ticket) },
        #[initial([(1, tickets.print())])]
        numbered: [u32 => task] = |_number: u32, ticket: Ticket| async move { drop(ticket) },
    }
}

/// S27, S30: the arguments are kept for a restart of the set, and go with the values of the tree: a restart of the tree
/// makes new ones, and handles keep none.
#[tokio::test(start_paused = true)]
async fn the_arguments_go_with_their_tree() {
    let (journal, tickets) = (Journal::default(), Tickets::default());
    let fair = Fair::start(journal.clone(), tickets.clone()).await.unwrap();
    settle().await;
    fair.stand.sold.tree().restart().unwrap();
    settle().await;
    assert_eq!(tickets.there_are(), 3);

    journal.plan("first start", 1, Fault::Slow(secs(60)));
    fair.stand.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tickets.there_are(), 0, "down for the restart");
    pass(secs(61)).await;
    assert_eq!(tickets.there_are(), 3, "made anew");

    // The subtree stays declared, and can be started again.
    let stand = fair.stand.clone();
    soon(stand.shutdown()).await.unwrap();
    assert_eq!(tickets.there_are(), 0, "the tree of the set has ended");
    soon(stand.start_again().unwrap()).await.unwrap();
    settle().await;
    assert_eq!(tickets.there_are(), 3);
    soon(fair.shutdown()).await;
    assert_eq!(tickets.there_are(), 0);
    drop(stand);
}
