//! S63: which nodes join, leave and are refused, with their builds and the times of their answers.

use std::future::pending;
use std::sync::{Arc, Mutex};

use supervise::event::{Event, EventKind};
use supervise_remote::Net;
use supervise_remote::memory::Network;
use tokio::task::JoinHandle;

use crate::world::*;

mod billing {
    use crate::world::*;

    supervisor! {
        pub(crate) struct Root {
            #[on("worker", lease = 2s)]
            child: remote Worker = Worker,
        }
    }
}

mod search {
    use crate::world::*;

    supervisor! {
        pub(crate) struct Root {
            #[on("worker", lease = 2s)]
            child: remote Worker = Worker,
        }
    }
}

/// Notes the events of nodes.
fn joins(tree: &Running<Shop>) -> Arc<Mutex<Vec<String>>> {
    let (mut events, told) = (tree.events(), Arc::<Mutex<Vec<String>>>::default());
    let into = told.clone();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if is_of_node(&event) {
                into.lock().unwrap().push(event.to_string());
            }
        }
    });
    told
}

fn is_of_node(event: &Event) -> bool {
    matches!(event.kind, EventKind::NodeJoined { .. } | EventKind::NodeLeft { .. } | EventKind::NodeRefused { .. })
}

fn serve(node: supervise_remote::Node, net: &Net) -> JoinHandle<std::io::Result<()>> {
    tokio::spawn(node.serve(net.clone(), pending::<()>()))
}

/// S63: the tree tells of its nodes as they come and go, each once.
#[tokio::test(start_paused = true)]
async fn nodes_that_join_and_leave_are_events_of_the_tree() {
    let network = Network::new();
    let shop = Shop::tree().on(Net::open(network.process("owner")).fresh());
    let one = serve(Shop::node("worker"), &Net::open(network.process("one")).build("b7"));
    let shop = shop.start().await.unwrap();
    let told = joins(&shop);
    let take = || std::mem::take(&mut *told.lock().unwrap());
    let two = serve(Shop::node("edge"), &Net::open(network.process("two")));
    let third = Net::open(network.process("three")).max_frame(1000);
    let _three = serve(Shop::node("edge"), &third);
    tokio::time::sleep(10 * SECOND).await;
    let version = env!("CARGO_PKG_VERSION");
    let nodes = shop.snapshot().remote_nodes().to_vec();
    assert_eq!(nodes.iter().map(|node| &*node.build).collect::<Vec<_>>(), ["b7", version]);
    let [refused] = &shop.snapshot().network.unwrap().refused[..] else { panic!("one node is refused") };
    assert!(refused.name.starts_with("three#") && refused.why.contains("1000 bytes"), "{refused}");
    assert!(refused.to_string().contains(" is refused: "), "{refused}");
    let events = take();
    assert_eq!(events.len(), 2, "{events:?}");
    let joined = format!("Shop #1 node {} joined as edge, build {version}", nodes[1].name);
    assert!(events[0].contains(&joined), "{events:?} {joined}");
    assert!(events[1].contains(&format!("node {} is refused: {}", refused.name, refused.why)), "{events:?}");
    let health = third.nodes().pop().unwrap();
    assert!(health.owner.is_none() && health.refused.unwrap().contains("1000"));

    two.abort();
    network.kill("one");
    tokio::time::sleep(SECOND).await;
    let mut left = take();
    left.sort();
    assert_eq!(left.len(), 2, "{left:?}");
    for (line, node) in left.iter().zip(&nodes) {
        assert!(line.contains(&format!("Shop #1 node {} left", node.name)), "{left:?}");
    }
    drop(one);
    shop.shutdown().await;
    assert_eq!(take(), [""; 0], "the end of the tree is no news of its nodes");
}

/// S63: the time of an answer is that of the last renewal, for the owner as for the node.
#[tokio::test(start_paused = true)]
async fn the_owner_sees_how_long_its_answers_take() {
    let network = Network::new();
    network.delay(40 * MS);
    let net = Net::open(network.process("one"));
    let _one = serve(Shop::node("worker"), &net);
    let owner = Net::open(network.process("owner")).fresh().build("blue");
    let shop = Shop::tree().on(owner).start().await.unwrap();
    assert_eq!(shop.snapshot().remote_nodes()[0].round_trip, None, "no answer was there before the first renewal");
    tokio::time::sleep(3 * SECOND).await;
    let seen = shop.snapshot().remote_nodes()[0].clone();
    assert_eq!(seen.round_trip, Some(80 * MS));
    assert!(seen.to_string().ends_with(&format!("  answers 80ms  build {}", seen.build)), "{seen}");
    let followed = net.nodes()[0].owner.clone().unwrap();
    assert_eq!((&*followed.build, followed.round_trip), ("blue", 80 * MS));
    network.delay(10 * MS);
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(shop.snapshot().remote_nodes()[0].round_trip, Some(20 * MS));
}

/// S60: trees are told apart by the modules that declare them, also on one network of one process.
#[tokio::test(start_paused = true)]
async fn trees_of_one_name_keep_their_own_nodes() {
    let network = Network::new();
    let (bills, finds) = (Net::open(network.process("bills")), Net::open(network.process("finds")));
    let _nodes = [serve(billing::Root::node("worker"), &bills), serve(search::Root::node("worker"), &finds)];
    let owner = Net::open(network.process("owner")).fresh();
    let billing = billing::Root::tree().on(owner.clone()).start().await.unwrap();
    let search = search::Root::tree().on(owner.clone()).start().await.unwrap();
    let nodes = [billing.child.node().unwrap(), search.child.node().unwrap()];
    assert!(nodes[0].starts_with("bills#") && nodes[1].starts_with("finds#"), "{nodes:?}");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!([billing.child.node().unwrap(), search.child.node().unwrap()], nodes, "no link has ended");
    let refused = billing.snapshot().network.unwrap().refused;
    let [refused] = &refused[..] else { panic!("{refused:?}") };
    let module = module_path!();
    let (ours, theirs) = (format!("`{module}::billing::Root`"), format!("`{module}::search::Root`"));
    assert!(refused.name.starts_with("finds#"));
    assert!(refused.why.contains(&ours) && refused.why.contains(&theirs), "{refused}");
    assert_eq!(bills.nodes()[0].refused, None, "it follows its own owner");

    // A node alone knows why it follows nobody.
    search.shutdown().await;
    tokio::time::sleep(SECOND).await;
    let why = finds.nodes()[0].refused.clone().unwrap();
    assert!(why.contains(&ours) && why.contains(&theirs), "{why}");
    // The same tree twice is refused where it begins.
    let twice = billing::Root::tree().on(owner).start().await.unwrap_err().to_string();
    assert!(twice.contains(&ours), "{twice}");
}
