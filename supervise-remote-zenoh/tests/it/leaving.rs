use std::sync::Arc;

use supervise_remote::wire::{LinkEvent, Side, Wire};

use crate::common::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_leaves_is_down_behind_its_last_frame() {
    let Two { wires, mut owner, node, to_node, to_owner } = two().await;
    for n in 0..20_000_u32 {
        node.send(&to_owner, n.to_le_bytes());
    }
    drop(node);
    for n in 0..20_000_u32 {
        assert_eq!(owner.frame().await.1, n.to_le_bytes());
    }
    assert_eq!(owner.down().await, to_node);
    // The connection is still there.
    let mut again = join(&wires[1], Side::Node).await;
    assert_eq!(again.up().await, to_owner);
    let second = owner.up().await;
    assert_eq!(second, *again.me());
    assert_ne!(second, to_node, "each join is a new peer");
    assert_eq!(second.name(), to_node.name());
    talk(&mut owner, &mut again).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_closes_has_delivered_everything() {
    let Two { wires, mut owner, mut node, to_node, to_owner } = two().await;
    // Far more than is written by the time of the next line.
    for n in 0..4_000_u32 {
        node.send(&to_owner, n.to_le_bytes().repeat(1 << 13));
    }
    within(LONG / 2, wires[1].close()).await;
    assert!(node.event().await.is_none(), "a link that is closed has no events");
    for n in 0..4_000_u32 {
        assert_eq!(owner.frame().await.1[..4], n.to_le_bytes());
    }
    assert_eq!(owner.down().await, to_node);
    wires[1].close().await;
    node.send(&to_owner, "nothing");
    drop(node);
    assert!(wires[1].join(Side::Node).await.is_err());
    owner.quiet(millis(100)).await;
}

/// The way of `Node::serve` and of a tree that has ended: the link alone is closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_is_closed_has_delivered_everything() {
    let Two { wires: _wires, mut owner, node, to_node, to_owner } = two().await;
    for n in 0..4_000_u32 {
        node.send(&to_owner, n.to_le_bytes().repeat(1 << 13));
    }
    within(LONG / 2, node.close()).await;
    // All of it is here by now, and is not waited for.
    for n in 0..4_000_u32 {
        match owner.arrived().await {
            Some(LinkEvent::Frame { bytes, .. }) => assert_eq!(bytes[..4], n.to_le_bytes()),
            other => panic!("{other:?} in place of frame {n}"),
        }
    }
    assert!(matches!(owner.arrived().await, Some(LinkEvent::Down(peer)) if peer == to_node));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_is_closed_is_not_joined() {
    let wire = open(settings("a").listen(here(port()))).await;
    let mut joining = wire.join(Side::Node);
    let began = std::future::poll_fn(|cx| std::task::Poll::Ready(joining.as_mut().poll(cx).is_pending())).await;
    wire.close().await;
    // Whichever of them was first, no link is left on a network that is closed.
    if began && let Ok(mut link) = joining.await {
        assert!(within(LONG / 2, std::future::poll_fn(|cx| link.poll_event(cx))).await.is_none());
    }
    assert!(wire.join(Side::Owner).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_may_leave_at_once() {
    let Two { wires, owner, node, .. } = two().await;
    drop((owner, node));
    within(LONG / 2, async { tokio::join!(wires[0].close(), wires[1].close()) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_join_that_is_given_up_leaves() {
    let Two { wires, mut owner, node, .. } = two().await;
    {
        use std::future::poll_fn;
        use std::task::Poll;
        let mut joining = wires[1].join(Side::Node);
        let first = poll_fn(|cx| Poll::Ready(joining.as_mut().poll(cx))).await;
        assert!(first.is_pending());
    }
    let came = owner.up().await;
    assert_eq!(owner.down().await, came);
    drop(node);
}

/// A link is a value of a task, and tasks are dropped anywhere.
#[test]
fn links_and_wires_may_be_dropped_in_any_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let Two { wires, mut owner, node, to_node, .. } = runtime.block_on(two());
    let sender = node.sender.clone();
    let alone = runtime.block_on(open(settings("alone").listen(here(port()))));
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let [one, other] = wires;
    single.block_on(async {
        drop(alone);
        drop(node);
        drop(other);
        let sender = Arc::downgrade(&{ sender });
        assert_eq!(owner.down().await, to_node);
        // The last one that knows the session is dropped in here, too.
        within(LONG / 2, async {
            while sender.strong_count() > 0 {
                tokio::time::sleep(millis(5)).await;
            }
        })
        .await;
        drop(owner);
        drop(one);
    });
    drop(single);
    drop(runtime);
}

/// A network that is closed stays closed, though its peers go on trying, and its clones are still there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_is_closed_takes_and_makes_no_connection() {
    let (a, b) = (port(), port());
    let [one, two] = [
        open(settings("one").listen(here(a)).connect(here(b))).await,
        open(settings("two").listen(here(b)).connect(here(a))).await,
    ];
    let mut node = join(&two, Side::Node).await;
    let owner = join(&one, Side::Owner).await;
    node.up().await;
    within(LONG / 2, one.close()).await;
    node.down().await;
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", a)).await.is_err(), "it still listens");
    let third = join(&two, Side::Node).await;
    tokio::time::sleep(millis(500)).await;
    drop((third, owner, node));
    within(LONG / 2, one.close()).await;
    within(LONG / 2, two.close()).await;
}

/// The connections do not belong to the runtime that opened them: they go on when it is dropped in the middle. A network that is
/// dropped without a word leaves its port free for the next one.
#[test]
fn a_runtime_of_the_user_may_go_in_the_middle() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let port = port();
    for _ in 0..5 {
        let first = runtime();
        let Two { wires, mut owner, mut node, to_node, .. } =
            first.block_on(pair(settings("owner").listen(here(port)), settings("node").connect(here(port))));
        drop(first);
        let second = runtime();
        second.block_on(talk(&mut owner, &mut node));
        drop((node, wires));
        assert_eq!(second.block_on(owner.down()), to_node);
        drop((owner, second));
        let by = std::time::Instant::now() + LONG;
        while std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
            assert!(std::time::Instant::now() < by, "the port is not free");
            std::thread::sleep(millis(20));
        }
    }
}
