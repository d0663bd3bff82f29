//! `initial`: the children that a set has from its start.

use supervise::prelude::*;

use crate::common::{Do, Journal, Probe};

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
