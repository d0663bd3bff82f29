//! Restarts of one child, of all, and of the rest: OneForOne, AllForOne and RestForOne.
//!
//! The same tree is declared three times, with different strategies, and in each tree `b` fails at the same time. An
//! instance takes 100 ms to stop and 100 ms to start, so that the table shows which child waits for which. Look at
//! three things:
//!
//! * the order: children stop from the last to the first, and start from the first to the last, one at a time;
//! * a child whose turn has not come continues to work: under AllForOne `a` is up for 200 ms while the others stop;
//! * the number after `up`, the incarnation: 1 is still the first instance, 2 is a new one.
//!
//! OneForOne is for children that do not need each other. AllForOne is for children that are useless without each
//! other. RestForOne is for a chain, in which each child depends on the earlier ones. The rule is S17.

use std::time::Duration;

use anyhow::ensure;
use supervise::inspect::{Node, NodeState};
use supervise::prelude::*;
use tokio::time::sleep;

supervisor! {
    struct One {
        #![strategy(OneForOne)]
        a: Worker = Worker::start().await,
        b: Worker = Worker::start().await,
        c: Worker = Worker::start().await,
    }

    struct All {
        #![strategy(AllForOne)]
        a: Worker = Worker::start().await,
        b: Worker = Worker::start().await,
        c: Worker = Worker::start().await,
    }

    struct Rest {
        #![strategy(RestForOne)]
        a: Worker = Worker::start().await,
        b: Worker = Worker::start().await,
        c: Worker = Worker::start().await,
    }
}

struct Worker;

struct Fail;

#[derive(Debug, thiserror::Error)]
#[error("failed on request")]
struct Told;

#[actor]
impl Worker {
    async fn start() -> Worker {
        sleep(Duration::from_millis(100)).await;
        Worker
    }

    fn handle(&mut self, _: Fail) -> Result<(), Told> {
        Err(Told)
    }

    #[post_stop]
    async fn clean_up(&mut self) {
        sleep(Duration::from_millis(100)).await;
    }
}

// A paused clock jumps to the next timer when no task can run: the times are exact, and no real time passes.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let (one, all, rest) = (One::start().await?, All::start().await?, Rest::start().await?);
    let trees: [&TreeRef; 3] = [&one, &all, &rest];

    println!(
        "up 1: the first instance works; up 2: a new instance works; failed: the child waits for its turn to stop"
    );
    println!("         | OneForOne               | AllForOne               | RestForOne");
    println!("         | a       b       c       | a       b       c       | a       b       c");
    row("before", &trees);
    for b in [&one.b, &all.b, &rest.b] {
        b.tell(Fail).await?;
    }
    println!("    0 ms |         b fails         |         b fails         |         b fails");
    sleep(Duration::from_millis(50)).await;
    for at in (50..=650).step_by(100) {
        row(&format!("{at:3} ms"), &trees);
        sleep(Duration::from_millis(100)).await;
    }

    let incarnations =
        trees.map(|tree| tree.snapshot().root.children.iter().map(|node| node.incarnation).collect::<Vec<_>>());
    ensure!(incarnations == [[1, 2, 1], [2, 2, 2], [1, 2, 2]], "the restarts were different: {incarnations:?}");
    tokio::join!(one.shutdown(), all.shutdown(), rest.shutdown());
    Ok(())
}

/// Prints what all children of the three trees are doing at this moment.
fn row(when: &str, trees: &[&TreeRef; 3]) {
    let mut line = format!("{when:>8} ");
    for tree in trees {
        line += "| ";
        for node in &tree.snapshot().root.children {
            line += &format!("{:8}", doing(node));
        }
    }
    println!("{}", line.trim_end());
}

fn doing(node: &Node) -> String {
    match node.state {
        NodeState::Running => format!("up {}", node.incarnation),
        NodeState::GoingDown => "stops".to_owned(),
        NodeState::Queued | NodeState::BackingOff { .. } => "down".to_owned(),
        NodeState::Starting => "starts".to_owned(),
        _ => node.state.to_string(),
    }
}
