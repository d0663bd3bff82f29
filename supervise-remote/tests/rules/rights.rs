//! S56, S60: a process is what its certificate lets it be, and nothing else.

use std::sync::Arc;
use std::task::{Context as TaskCx, Poll};

use crate::listen::listen;
use crate::world::*;
use supervise_remote::memory::Process;
use supervise_remote::wire::{Joining, Link, LinkEvent, Outgoing, Peer, Rights, Side, Wire};

/// Says what the process of a name may be on a side.
type Says = fn(&str, Side) -> Rights;

/// A wire with certificates.
struct Certified(Process, Says);

impl Wire for Certified {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn rights(&self, side: Side) -> Rights {
        // A process that says nothing of itself, so that the others have to.
        if self.0.name().starts_with("liar") { Rights::all() } else { self.1(self.0.name(), side) }
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move {
            let other = if side == Side::Owner { Side::Node } else { Side::Owner };
            let link = CertifiedLink(self.0.join(side).await?, other, self.1);
            Ok(Box::new(link) as Box<dyn Link>)
        })
    }
}

struct CertifiedLink(Box<dyn Link>, Side, Says);

impl Link for CertifiedLink {
    fn me(&self) -> &Peer {
        self.0.me()
    }

    fn outgoing(&self) -> Arc<dyn Outgoing> {
        self.0.outgoing()
    }

    fn poll_event(&mut self, cx: &mut TaskCx<'_>) -> Poll<Option<LinkEvent>> {
        self.0.poll_event(cx).map(|event| match event {
            Some(LinkEvent::Up(peer, _)) => {
                let rights = self.2(peer.name(), self.1);
                Some(LinkEvent::Up(peer, rights))
            }
            event => event,
        })
    }
}

fn says(name: &str, side: Side) -> Rights {
    match (name, side) {
        ("owner", Side::Owner) => Rights::only(["Shop"]),
        ("worker" | "liar-spot", Side::Node) => {
            Rights::only(["spot", "worker"].into_iter().filter(|of| name.ends_with(of)))
        }
        _ => Rights::only([""; 0]),
    }
}

/// S56: a node of another role than its certificate says gets nothing to run, and hears why. A node with the right runs the child.
#[tokio::test(start_paused = true)]
async fn a_node_is_of_no_role_that_its_certificate_does_not_name() {
    let texts = Texts::default();
    let _guard = listen(texts.clone());
    let network = supervise_remote::memory::Network::new();
    let net = |name: &str| Net::open(Certified(network.process(name), says));
    let never = std::future::pending::<()>;
    let liar = tokio::spawn(Shop::node("worker").serve(net("liar-spot"), never()));
    let mut starting = std::pin::pin!(Shop::tree(3, new_log()).on(net("owner").fresh()).start());
    assert!(tokio::time::timeout(60 * SECOND, starting.as_mut()).await.is_err(), "it runs on a node without the right");
    tokio::spawn(Shop::node("worker").serve(net("worker"), never()));
    let shop = starting.await.unwrap();
    let why = "the certificate of liar-spot does not let it be a node of the role `worker`, only of `spot`";
    let lines = texts.lines();
    assert!(lines.iter().any(|line| line.contains(&format!("why=\"{why}"))), "{lines:#?}");
    let told = lines.iter().filter(|line| line.contains(&format!("the owner says: {why}"))).count();
    assert!((1..100).contains(&told), "it tries again once a second, and no more often: {told}");
    assert!(shop.pricing.node().unwrap().starts_with("worker#"));
    drop(liar);
}

/// S60: an owner without the right to a tree takes no node, also if it is newer than the owner that has it.
#[tokio::test(start_paused = true)]
async fn an_owner_without_the_right_takes_no_node() {
    let texts = Texts::default();
    let _guard = listen(texts.clone());
    let network = supervise_remote::memory::Network::new();
    let net = |name: &str| Net::open(Certified(network.process(name), says));
    tokio::spawn(Shop::node("worker").serve(net("worker"), std::future::pending::<()>()));
    let shop = Shop::tree(3, new_log()).on(net("owner").fresh()).start().await.unwrap();
    let liar = Shop::tree(3, new_log()).on(net("liar").fresh()).start();
    assert!(tokio::time::timeout(60 * SECOND, liar).await.is_err(), "it runs something");
    let why = "the certificate of liar does not let it be the owner of the tree `Shop`";
    let lines = texts.lines();
    assert!(lines.iter().any(|line| line.contains(why)), "{lines:#?}");
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await, Ok(3));
    assert_eq!(shop.pricing.incarnation(), Some(1));
}

/// S56, S60: a process says at once what its own certificate does not let it be.
#[tokio::test(start_paused = true)]
async fn a_process_knows_its_own_rights() {
    let network = supervise_remote::memory::Network::new();
    let net = |name: &str| Net::open(Certified(network.process(name), says));
    let error = Shop::node("worker").serve(net("owner"), std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            std::io::ErrorKind::PermissionDenied,
            "the certificate of this process does not let it be a node of the role `worker`"
        )
    );
    let started = Shop::tree(3, new_log()).on(net("worker")).start();
    let error = tokio::time::timeout(SECOND, started).await.unwrap().map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Shop failed while starting: the certificate of this process does not let it be the owner of the tree `Shop`"
    );
}
