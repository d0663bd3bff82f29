//! A remote child in a program whose only dependency is the crate that re-exports everything.

use kit::prelude::*;
use kit::remote::memory::Network;
use kit::remote::{Net, supervisor};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Length(String, Reply<usize>);

struct Counter;

#[kit::actor(crate = kit::inner::trees)]
impl Counter {
    fn handle(&mut self, Length(text, reply): Length) {
        reply.send(text.len());
    }
}

supervisor! {
    struct Counters {
        #[on("worker")]
        counter: remote Counter = Counter,
    }
}

pub async fn check() {
    let network = Network::new();
    let net = Net::open(network.process("node"));
    let node = tokio::spawn(Counters::node("worker").serve(net, std::future::pending::<()>()));
    let net = Net::open(network.process("owner"));
    let counters = Counters::tree().on(net).start().await.expect("the tree starts");
    let length = counters.counter.ask(|reply| Length("twelve bytes".to_owned(), reply)).await;
    assert_eq!(length.expect("the counter is up"), 12);
    assert!(counters.shutdown().await.is_orderly());
    node.abort();
}
