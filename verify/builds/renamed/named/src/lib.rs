//! Depends on the library under another name.

use far::Net;
use far::memory::Network;
use serde::{Deserialize, Serialize};
use trees::prelude::*;

#[derive(Serialize, Deserialize)]
enum Ask {
    Double(u64, Reply<u64>),
}

#[derive(Clone)]
struct Doubler;

#[actor(crate = trees)]
impl Doubler {
    fn handle(&mut self, Ask::Double(n, reply): Ask) {
        reply.send(2 * n);
    }
}

#[derive(Actor)]
#[actor(msg = u64, crate = trees)]
#[pre_start(begin)]
struct Sum {
    total: u64,
    doubler: far::RemoteRef<Doubler>,
}

impl Sum {
    fn begin(&mut self) {
        self.total = 100;
    }

    async fn handle(&mut self, n: u64, _: &mut Context<Self>) {
        self.total += self.doubler.ask(|reply| Ask::Double(n, reply)).await.expect("the doubler is up");
        println!("the sum is {}", self.total);
    }
}

far::supervisor! {
    struct Sums {
        #[on("worker")]
        doubler: remote Doubler = Doubler,
        sum: Sum = Sum { total: 0, doubler },
    }
}

/// Runs the tree over two processes of a network in memory.
pub async fn check() {
    let network = Network::new();
    let node =
        tokio::spawn(Sums::node("worker").serve(Net::open(network.process("node")), std::future::pending::<()>()));
    let sums = Sums::tree().on(Net::open(network.process("owner"))).start().await.expect("the tree starts");
    sums.sum.tell(4).await.expect("the sum is up");
    let doubled = sums.doubler.ask(|reply| Ask::Double(21, reply)).await.expect("the doubler is up");
    assert_eq!(doubled, 42);
    assert!(sums.shutdown().await.is_orderly());
    node.abort();
}
