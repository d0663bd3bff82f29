//! Whom a restart takes along: OneForOne, AllForOne and RestForOne.
//!
//! The same tree thrice, but for one word, and in each of them `b` fails at the same time. An instance takes 100 ms to
//! go down and 100 ms to start, so that the table shows who waits for whom. Look at three things:
//!
//! * the order: down from the last to the first, up from the first to the last, one at a time;
//! * whoever's turn has not come goes on working: under AllForOne `a` is up for 200 ms while the others go down;
//! * the number behind `up`, the incarnation: 1 is still the first instance, 2 is a new one.
//!
//! OneForOne is for children that do not need each other. AllForOne is for those that are worth nothing without each
//! other. RestForOne is for a chain: each was made with what the earlier ones gave it. The rule is S17.

use std::time::Duration;

use anyhow::ensure;
use supervise::prelude::*;
use supervise::{Node, NodeState};
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
#[error("told to fail")]
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

// A paused clock jumps to the next timer when all others wait: the times are exact, and nobody has to wait for them.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let (one, all, rest) = (One::start().await?, All::start().await?, Rest::start().await?);
    let trees: [&TreeRef; 3] = [&one, &all, &rest];

    println!("up 1: at work, the first instance; up 2: a new one; failed: it has, and waits for its turn to go down");
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
    ensure!(incarnations == [[1, 2, 1], [2, 2, 2], [1, 2, 2]], "the restarts were others: {incarnations:?}");
    tokio::join!(one.shutdown(), all.shutdown(), rest.shutdown());
    Ok(())
}

/// What all children of the three trees are doing at this moment.
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
        NodeState::Waiting | NodeState::BackingOff { .. } => "down".to_owned(),
        NodeState::Starting => "starts".to_owned(),
        _ => node.state.to_string(),
    }
}
