//! The end of a link: who leaves in order waits until the others know. Part of rule S62.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use supervise_remote::memory::{Network, Process};
use supervise_remote::wire::{Closing, Joining, Link, LinkEvent, Outgoing, Peer, Side, Wire};

use crate::world::*;

/// A network on which closing takes a second, and is counted.
struct Slow(Process, Arc<AtomicUsize>);

struct SlowLink(Box<dyn Link>, Arc<AtomicUsize>);

impl Wire for Slow {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move { Ok(Box::new(SlowLink(self.0.join(side).await?, self.1.clone())) as Box<dyn Link>) })
    }
}

impl Link for SlowLink {
    fn me(&self) -> &Peer {
        self.0.me()
    }

    fn outgoing(&self) -> Arc<dyn Outgoing> {
        self.0.outgoing()
    }

    fn poll_event(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Option<LinkEvent>> {
        self.0.poll_event(cx)
    }

    fn close(self: Box<Self>) -> Closing {
        Box::pin(async move {
            tokio::time::sleep(SECOND).await;
            self.1.fetch_add(1, Ordering::SeqCst);
        })
    }
}

fn slow(network: &Network, name: &str) -> (Net, Arc<AtomicUsize>) {
    let closed = Arc::new(AtomicUsize::new(0));
    (Net::open(Slow(network.process(name), closed.clone())).fresh(), closed)
}

#[tokio::test(start_paused = true)]
async fn a_node_that_leaves_closes_its_link_before_it_returns() {
    let network = Network::new();
    let (net, closed) = slow(&network, "one");
    Shop::node("worker").serve(net, tokio::time::sleep(SECOND)).await.unwrap();
    assert_eq!(closed.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_dropped_closes_nothing() {
    let network = Network::new();
    let (net, closed) = slow(&network, "one");
    let serve = Shop::node("worker").serve(net, std::future::pending::<()>());
    assert!(tokio::time::timeout(SECOND, serve).await.is_err());
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(closed.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn the_network_of_an_owner_waits_until_its_trees_have_left() {
    let network = Network::new();
    let (net, closed) = slow(&network, "owner");
    let node =
        tokio::spawn(Shop::node("worker").serve(Net::open(network.process("one")), std::future::pending::<()>()));
    let shop = Shop::tree(2, new_log()).on(net.clone()).start().await.unwrap();
    // A tree that runs is not waited for.
    tokio::time::timeout(MS, net.close()).await.expect("no tree has ended");
    shop.shutdown().await;
    assert_eq!(closed.load(Ordering::SeqCst), 0);
    // Cancelled, and waited for again.
    assert!(tokio::time::timeout(SECOND / 2, net.close()).await.is_err());
    net.close().await;
    assert_eq!(closed.load(Ordering::SeqCst), 1);
    node.abort();
}

#[tokio::test(start_paused = true)]
async fn the_network_of_an_owner_that_never_joined_waits_for_nothing() {
    struct Never;
    impl Wire for Never {
        fn name(&self) -> &str {
            "owner"
        }
        fn join(&self, _: Side) -> Joining<'_> {
            Box::pin(std::future::pending())
        }
    }
    let net = Net::open(Never);
    Shop::tree(2, new_log()).on(net.clone()).run(tokio::time::sleep(SECOND)).await.unwrap();
    tokio::time::timeout(MS, net.close()).await.expect("nothing was joined");
}
