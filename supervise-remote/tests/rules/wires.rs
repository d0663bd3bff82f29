//! S63: a wire is code of others. A panic of it ends its join, and no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as TaskCx, Poll};

use crate::world::*;
use supervise_remote::memory::Process;
use supervise_remote::wire::{Closing, Joining, Link, LinkEvent, Outgoing, Peer, Side, Wire};

/// Where a wire panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Join,
    Outgoing,
    Event,
    Send,
    Close,
    Drop,
}

/// A wire that panics once, at this call of this kind.
struct Panics {
    wire: Process,
    plan: Arc<(At, AtomicUsize)>,
}

fn panics(plan: &(At, AtomicUsize), at: At) {
    let is_due = |left: usize| left.checked_sub(1);
    if plan.0 == at && plan.1.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_due) == Ok(1) {
        panic!("planned, at {at:?}");
    }
}

impl Wire for Panics {
    fn name(&self) -> &str {
        self.wire.name()
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move {
            panics(&self.plan, At::Join);
            let link = self.wire.join(side).await?;
            Ok(Box::new(PanicsLink(Some(link), self.plan.clone())) as Box<dyn Link>)
        })
    }
}

struct PanicsLink(Option<Box<dyn Link>>, Arc<(At, AtomicUsize)>);

impl Link for PanicsLink {
    fn me(&self) -> &Peer {
        self.0.as_ref().unwrap().me()
    }

    fn outgoing(&self) -> Arc<dyn Outgoing> {
        panics(&self.1, At::Outgoing);
        Arc::new(PanicsOut(self.0.as_ref().unwrap().outgoing(), self.1.clone()))
    }

    fn poll_event(&mut self, cx: &mut TaskCx<'_>) -> Poll<Option<LinkEvent>> {
        panics(&self.1, At::Event);
        self.0.as_mut().unwrap().poll_event(cx)
    }

    fn close(mut self: Box<Self>) -> Closing {
        panics(&self.1, At::Close);
        self.0.take().unwrap().close()
    }
}

impl Drop for PanicsLink {
    fn drop(&mut self) {
        drop(self.0.take());
        panics(&self.1, At::Drop);
    }
}

struct PanicsOut(Arc<dyn Outgoing>, Arc<(At, AtomicUsize)>);

impl Outgoing for PanicsOut {
    fn send(&self, to: &Peer, bytes: Vec<u8>) {
        panics(&self.1, At::Send);
        self.0.send(to, bytes);
    }
}

/// The processes of an owner and of a node, one of which has a wire that panics at the nth call of this kind.
async fn heals(of: &str, at: At, nth: usize) {
    let network = supervise_remote::memory::Network::new();
    let plan = Arc::new((at, AtomicUsize::new(nth)));
    let net = |name: &str| match name == of {
        true => Net::open(Panics { wire: network.process(name), plan: plan.clone() }),
        false => Net::open(network.process(name)),
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let node = tokio::spawn({
        let net = net("one");
        async move {
            let mut until = std::pin::pin!(async move { drop(stopped.await) });
            // A join that fails for the first time is the caller's.
            while Shop::node("worker").serve(net.clone(), until.as_mut()).await.is_err() {}
        }
    });
    let owner = net("owner").fresh();
    // A node that is lost during the boot is a failed boot, as any failure of a first start.
    let mut shop = None;
    for _ in 0..10 {
        let start = Shop::tree(3, new_log()).on(owner.clone()).start();
        if let Ok(Ok(up)) = tokio::time::timeout(100 * SECOND, start).await {
            shop = Some(up);
            break;
        }
    }
    let shop = shop.expect("it does not come up");
    for n in 0..200 {
        let asked = shop.pricing.ask(|reply| PricingMsg::Quote(n, reply)).within(60 * SECOND).await;
        assert!(n < 190 || asked == Ok(3 * n), "{of} {at:?} {nth}: {asked:?}");
        tokio::time::sleep(100 * MS).await;
    }
    let report = shop.shutdown().await;
    assert_eq!(report.children.len(), 1);
    owner.close().await;
    drop(stop);
    node.await.unwrap();
    if !matches!(at, At::Close | At::Drop) || nth == 1 {
        assert_eq!(plan.1.load(Ordering::SeqCst), 0, "{of} {at:?} {nth}: it did not panic");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wire_that_panics_is_joined_again() {
    for of in ["owner", "one"] {
        for at in [At::Join, At::Outgoing, At::Event, At::Send, At::Close, At::Drop] {
            let calls: &[usize] = match at {
                At::Event | At::Send => &[1, 2, 3, 10, 50],
                _ => &[1],
            };
            for nth in calls {
                heals(of, at, *nth).await;
            }
        }
    }
}

/// The same on many threads, where one sends what another one has put into the outbox.
#[test]
fn a_wire_that_panics_on_many_threads_is_joined_again() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    for (of, nth) in [("owner", 7), ("owner", 300), ("one", 7), ("one", 300)] {
        runtime.block_on(async {
            let network = supervise_remote::memory::Network::new();
            let plan = Arc::new((At::Send, AtomicUsize::new(nth)));
            let net = |name: &str| match name == of {
                true => Net::open(Panics { wire: network.process(name), plan: plan.clone() }),
                false => Net::open(network.process(name)),
            };
            let node = tokio::spawn(Swift::node("worker").serve(net("one"), std::future::pending::<()>()));
            let swift = Swift::tree(new_log()).on(net("owner").fresh()).start().await.unwrap();
            let asks = (0..8).map(|n| {
                let pricing = swift.pricing.clone();
                tokio::spawn(async move {
                    for _ in 0..100 {
                        let _ = pricing.ask(|reply| PricingMsg::Quote(n, reply)).within(10 * SECOND).await;
                    }
                    pricing.ask(|reply| PricingMsg::Quote(n, reply)).within(10 * SECOND).await
                })
            });
            for (n, asked) in asks.collect::<Vec<_>>().into_iter().enumerate() {
                assert_eq!(asked.await.unwrap(), Ok(3 * n as u64), "{of} {nth}");
            }
            assert_eq!(plan.1.load(Ordering::SeqCst), 0, "{of} {nth}: it did not panic");
            node.abort();
        });
    }
}

supervisor! {
    struct Swift(log: u64) {
        #[on("worker", lease = 500ms, overlap = Allowed)]
        #[limit(max_restarts = 100, within = 1h)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// A wire whose frames have a limit.
struct Limited(Process);

const LIMIT: usize = 1000;

impl Wire for Limited {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn join(&self, side: Side) -> Joining<'_> {
        self.0.join(side)
    }

    fn max_frame(&self) -> Option<usize> {
        Some(LIMIT)
    }
}

/// S61: the limit of a message is that of the wire, unless it is set lower.
#[tokio::test(start_paused = true)]
async fn the_limit_of_a_wire_holds_for_messages() {
    let network = supervise_remote::memory::Network::new();
    let node = Net::open(Limited(network.process("one")));
    tokio::spawn(Shop::node("worker").serve(node, std::future::pending::<()>()));
    let net = Net::open(Limited(network.process("owner")));
    let shop = Shop::tree(3, new_log()).on(net).start().await.unwrap();
    let seen = events(shop.events());
    shop.pricing.tell(PricingMsg::Large(vec![1; LIMIT - 100])).await.unwrap();
    shop.pricing.tell(PricingMsg::Large(vec![1; LIMIT])).await.unwrap();
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert_eq!(
        count(&seen, |kind| matches!(kind, EventKind::NotWritten { why, .. } if why.contains("1000 at most"))),
        1
    );
}

#[test]
#[should_panic(expected = "the wire takes messages of at most 1000 bytes, not of 1001; raise its own limit")]
fn a_limit_above_that_of_the_wire_is_a_mistake() {
    let _ = Net::open(Limited(supervise_remote::memory::Network::new().process("one"))).max_frame(LIMIT + 1);
}
