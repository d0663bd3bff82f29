//! The same work, written manually on tokio's tasks and channels.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::{Alive, BATCH, Metrics, QUEUED, STARTS, STOPS, Steps, percentiles, period, rate, work};

#[derive(Debug)]
enum Msg {
    Add(u64),
    Get(oneshot::Sender<u64>),
    Fail,
    End,
}

type Inbox = Arc<Mutex<mpsc::UnboundedReceiver<Msg>>>;

async fn child(at: usize, inbox: Inbox) -> (usize, Result<(), ()>) {
    let mut inbox = inbox.lock().await;
    let _alive = Alive::new();
    let mut sum = 0;
    while let Some(msg) = inbox.recv().await {
        match msg {
            Msg::Add(n) => sum += n,
            Msg::Get(reply) => drop(reply.send(sum)),
            Msg::Fail => return (at, Err(())),
            Msg::End => break,
        }
    }
    (at, Ok(()))
}

/// A supervisor task, which spawns each child that has failed again, at once.
fn supervise(n: u64) -> (Vec<mpsc::UnboundedSender<Msg>>, tokio::task::JoinHandle<()>) {
    let (senders, inboxes): (Vec<_>, Vec<Inbox>) = (0..n)
        .map(|_| {
            let (sender, inbox) = mpsc::unbounded_channel();
            (sender, Arc::new(Mutex::new(inbox)))
        })
        .unzip();
    let supervisor = tokio::spawn(async move {
        let mut children: JoinSet<_> = inboxes.iter().enumerate().map(|(at, inbox)| child(at, inbox.clone())).collect();
        while let Some(ended) = children.join_next().await {
            if let Ok((at, Err(()))) = ended {
                children.spawn(child(at, inboxes[at].clone()));
            }
        }
    });
    (senders, supervisor)
}

pub async fn failing(n: u64) -> Metrics {
    let (children, _supervisor) = supervise(n);
    STARTS.wait(n).await;
    let (begun, mut rounds) = (Instant::now(), 0);
    while begun.elapsed() < period() {
        rounds += 1;
        for child in &children {
            child.send(Msg::Fail).expect("a channel");
            child.send(Msg::Add(1)).expect("a channel");
        }
        STARTS.wait((rounds + 1) * n).await;
    }
    rate(rounds * n, begun)
}

pub async fn many(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let (children, supervisor) = supervise(n);
    STARTS.wait(n).await;
    steps.done("start");
    drop(children);
    supervisor.await.expect("the supervisor");
    STOPS.wait(n).await;
    steps.done("stop");
    steps.metrics()
}

/// Sessions that end one by one.
pub async fn sessions(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let (children, supervisor) = supervise(n);
    STARTS.wait(n).await;
    steps.done("start");
    for child in children {
        child.send(Msg::End).expect("a channel");
    }
    supervisor.await.expect("the supervisor");
    STOPS.wait(n).await;
    steps.done("stop");
    steps.metrics()
}

/// Waits until all tasks have ended.
async fn join<T: 'static>(mut tasks: JoinSet<T>) {
    while tasks.join_next().await.is_some() {}
}

/// Many trees of nine tasks: two below each root, and three below each of these.
pub async fn trees(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let mut leaves = Vec::new();
    let mut trees = JoinSet::new();
    for _ in 0..n {
        let mut branches = Vec::new();
        for _ in 0..2 {
            let inboxes = [(); 3].map(|()| {
                let (sender, inbox) = mpsc::unbounded_channel();
                leaves.push(sender);
                Arc::new(Mutex::new(inbox))
            });
            branches.push(async move {
                join(inboxes.into_iter().map(|inbox| child(0, inbox)).collect::<JoinSet<_>>()).await
            });
        }
        trees.spawn(async move { join(branches.into_iter().collect::<JoinSet<_>>()).await });
    }
    STARTS.wait(6 * n).await;
    steps.done("start");
    drop(leaves);
    join(trees).await;
    STOPS.wait(6 * n).await;
    steps.done("stop");
    steps.metrics()
}

type Level = Pin<Box<dyn Future<Output = Result<(), ()>> + Send>>;

/// A task with one task below it, which fails if that one fails, and ends if the channel of the deepest is closed.
fn level(left: u64, orders: mpsc::Receiver<()>) -> Level {
    Box::pin(async move {
        let _alive = Alive::new();
        if left == 0 {
            let mut orders = orders;
            return if orders.recv().await.is_some() { Err(()) } else { Ok(()) };
        }
        let mut below = JoinSet::new();
        below.spawn(level(left - 1, orders));
        below.join_next().await.expect("a task below").expect("no panic")
    })
}

pub async fn depth(n: u64) -> Metrics {
    let (control, mut controls) = mpsc::unbounded_channel();
    let top = tokio::spawn(async move {
        while let Some(orders) = controls.recv().await {
            let _ = tokio::spawn(level(n, orders)).await;
        }
    });
    let start = || {
        let (order, orders) = mpsc::channel(1);
        control.send(orders).expect("the highest level");
        order
    };
    let mut steps = Steps::new(n);
    let order = start();
    STARTS.wait(n + 1).await;
    steps.done("start");
    order.send(()).await.expect("the deepest level");
    STOPS.wait(n + 1).await;
    steps.done("escalation");
    let order = start();
    STARTS.wait(2 * (n + 1)).await;
    steps.done("again");
    drop(order);
    drop(control);
    top.await.expect("the highest level");
    STOPS.wait(2 * (n + 1)).await;
    steps.done("stop");
    steps.metrics()
}

pub async fn tells(bound: Option<usize>, producers: u64) -> Metrics {
    match bound {
        None => {
            let (sender, mut inbox) = mpsc::unbounded_channel();
            let actor = tokio::spawn(async move {
                let mut sum = 0;
                while let Some(n) = inbox.recv().await {
                    sum += n;
                }
                sum
            });
            let begun = Instant::now();
            let tasks: Vec<_> = (0..producers)
                .map(|_| {
                    let sender = sender.clone();
                    tokio::spawn(async move {
                        let mut told = 0;
                        while begun.elapsed() < period() {
                            (0..BATCH).for_each(|n| sender.send(n).expect("a channel"));
                            told += BATCH;
                            tokio::task::yield_now().await;
                        }
                        told
                    })
                })
                .collect();
            drop(sender);
            finish(tasks, actor, begun).await
        }
        Some(bound) => {
            let (sender, mut inbox) = mpsc::channel(bound);
            let actor = tokio::spawn(async move {
                let mut sum = 0;
                while let Some(n) = inbox.recv().await {
                    sum += n;
                }
                sum
            });
            let begun = Instant::now();
            let tasks: Vec<_> = (0..producers)
                .map(|_| {
                    let sender = sender.clone();
                    tokio::spawn(async move {
                        let mut told = 0;
                        while begun.elapsed() < period() {
                            for n in 0..BATCH {
                                sender.send(n).await.expect("a channel");
                            }
                            told += BATCH;
                        }
                        told
                    })
                })
                .collect();
            drop(sender);
            finish(tasks, actor, begun).await
        }
    }
}

async fn finish(
    producers: Vec<tokio::task::JoinHandle<u64>>,
    actor: tokio::task::JoinHandle<u64>,
    begun: Instant,
) -> Metrics {
    let mut told = 0;
    for producer in producers {
        told += producer.await.expect("a producer");
    }
    actor.await.expect("an actor");
    rate(told, begun)
}

pub async fn latency(busy: bool) -> Metrics {
    let (children, _supervisor) = supervise(1);
    if busy {
        let (again, mut inbox) = mpsc::unbounded_channel();
        (0..QUEUED).for_each(|_| again.send(()).expect("a channel"));
        tokio::spawn(async move {
            while let Some(()) = inbox.recv().await {
                work();
                again.send(()).expect("a channel");
            }
        });
    }
    let (begun, mut all) = (Instant::now(), Vec::new());
    while begun.elapsed() < period() || all.len() < 100 {
        let at = Instant::now();
        let (reply, answer) = oneshot::channel();
        children[0].send(Msg::Get(reply)).expect("a channel");
        answer.await.expect("an answer");
        all.push(at.elapsed());
    }
    percentiles(all)
}
