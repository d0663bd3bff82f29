//! S63: nodes in snapshots, in JSON and in drawings.

use serde_json::{Value, json};
use supervise::inspect::{Extent, NodeStateKind, NodeWait, Page, RemoteNode, Snapshot};

use crate::world::*;

/// S63: the lease is that of the child, which is renewed.
#[tokio::test(start_paused = true)]
async fn the_nodes_are_listed_with_what_they_hold() {
    let (mut cluster, shop) = shop().await;
    cluster.node("two", Shop::node("edge"));
    tokio::time::sleep(SECOND).await;
    let snapshot = shop.snapshot();
    let nodes = snapshot.remote_nodes();
    let facts = |node: &RemoteNode| (node.process().to_owned(), node.role.clone(), node.children, node.capacity);
    assert_eq!(
        nodes.iter().map(facts).collect::<Vec<_>>(),
        [("one".to_owned(), "worker".to_owned(), 1, Some(2)), ("two".to_owned(), "edge".to_owned(), 0, None)]
    );
    let left = nodes[0].lease_left.unwrap();
    assert!(left > SECOND / 2 && left <= 2 * SECOND, "{left:?}");
    assert_eq!(nodes[1].lease_left, None);
    let pricing = snapshot.find("pricing").unwrap();
    assert_eq!((pricing.runs_on.as_ref(), pricing.waits_for_node.as_ref()), (Some(&nodes[0].name), None));
    assert_eq!(snapshot.find("local").unwrap().runs_on, None);
    assert_eq!(snapshot.network.as_ref().unwrap().waiting, []);

    // A part shows the network of the whole tree, a page the node of each child.
    shop.sessions.spawn(7).await.unwrap();
    let part = shop.snapshot_of("sessions", Extent::Everything).unwrap();
    let edge = &part.remote_nodes()[1];
    assert_eq!((edge.children, edge.lease_left.is_some()), (1, true));
    assert_eq!(part.find("sessions/7").unwrap().runs_on.as_ref(), Some(&edge.name));
    assert_eq!(shop.page_of("sessions", &Page::new()).unwrap().nodes[0].runs_on.as_ref(), Some(&edge.name));

    // A node that has not renewed its lease is shown with what is left of it.
    cluster.freeze("one");
    tokio::time::sleep(SECOND).await;
    let left = shop.snapshot().remote_nodes()[0].lease_left.unwrap();
    assert!(left < 1100 * MS, "{left:?}");
}

/// S63: each tree on a network sees the nodes that follow its own owner.
#[tokio::test(start_paused = true)]
async fn a_tree_shows_its_own_nodes_only() {
    let mut cluster = Cluster::new();
    cluster.node("one", Shop::node("worker"));
    cluster.node("other", Other::node("other"));
    let net = cluster.owner();
    let shop = Shop::tree().on(net.clone()).start().await.unwrap();
    let other = Other::tree().on(net).start().await.unwrap();
    let of = |snapshot: &Snapshot| {
        let nodes = snapshot.remote_nodes().iter().map(|node| (node.process().to_owned(), node.children));
        nodes.collect::<Vec<_>>()
    };
    assert_eq!(of(&shop.snapshot()), [("one".to_owned(), 1)]);
    assert_eq!(of(&other.snapshot()), [("other".to_owned(), 1)]);

    let alone = Alone::start().await.unwrap().snapshot();
    assert_eq!((alone.remote_nodes(), &alone.network), (&[][..], &None));
}

supervisor! {
    struct Other {
        #[on("other", lease = 2s)]
        child: remote Worker = Worker,
    }
    struct Alone {
        child: Worker = Worker,
    }
}

/// S63: messages that are sent and not begun are in the window, those that have not been sent in the mailbox.
#[tokio::test(start_paused = true)]
async fn messages_in_the_window_are_counted() {
    let (_cluster, shop) = shop().await;
    for _ in 0..4 {
        shop.pricing.tell(Work::Take(1000)).await.unwrap();
    }
    tokio::time::sleep(100 * MS).await;
    let snapshot = shop.snapshot();
    let pricing = snapshot.find("pricing").unwrap();
    assert_eq!((pricing.window, pricing.mailbox.unwrap().waiting), (Some(3), 0));
    assert_eq!(snapshot.find("local").unwrap().window, None);
    let on = format!("pricing  actor  running  #1  on {}, 3 sent\n", pricing.runs_on.as_ref().unwrap());
    assert!(snapshot.render().contains(&on), "{}", snapshot.render());
}

#[tokio::test(start_paused = true)]
async fn a_child_without_a_node_says_for_which_role_it_waits() {
    let (mut cluster, shop) = shop().await;
    pricing_waits(&mut cluster, &shop).await;
    tokio::time::sleep(3 * SECOND).await;
    let snapshot = shop.snapshot();
    let pricing = snapshot.find("pricing").unwrap();
    let NodeWait { role, since, .. } = pricing.waits_for_node.as_ref().unwrap();
    assert_eq!((role.as_str(), pricing.runs_on.as_ref()), ("worker", None));
    assert!(*since >= 3 * SECOND && *since < 3 * SECOND + 10 * MS, "{since:?}");
    assert_eq!(snapshot.remote_nodes(), [], "the node is lost");
    let waiting: Vec<_> = snapshot.network.as_ref().unwrap().waiting.iter().map(ToString::to_string).collect();
    assert_eq!(waiting, ["1 child waits for a node with the role worker"]);

    cluster.node("two", Shop::node("worker"));
    shop.pricing.ask(Work::Ask).await.unwrap();
    let snapshot = shop.snapshot();
    assert_eq!(snapshot.find("pricing").unwrap().waits_for_node, None);
    assert_eq!(snapshot.network.as_ref().unwrap().waiting, []);
}

/// S63: a child that comes up on a node waits for none, and is on that node.
#[tokio::test(start_paused = true)]
async fn a_child_that_comes_up_is_on_its_node() {
    let mut cluster = Cluster::new();
    cluster.node("one", Slow::node("worker"));
    let slow = Slow::tree().on(cluster.owner()).start().await.unwrap();
    cluster.kill("one");
    tokio::time::sleep(10 * SECOND).await;
    assert!(slow.snapshot().find("child").unwrap().waits_for_node.is_some());
    cluster.node("two", Slow::node("worker"));
    tokio::time::sleep(SECOND).await;
    let snapshot = slow.snapshot();
    let child = snapshot.find("child").unwrap();
    assert_eq!(child.state.kind(), NodeStateKind::Starting);
    assert_eq!((&child.waits_for_node, child.runs_on.as_ref()), (&None, Some(&snapshot.remote_nodes()[0].name)));
    assert_eq!(slow.health().to_string(), "degraded: child is starting");
}

async fn slowly() -> Worker {
    tokio::time::sleep(5 * SECOND).await;
    Worker
}

supervisor! {
    struct Slow {
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        child: remote Worker = slowly().await,
    }
}

/// S63: a child that is stopped while it waits, waits no more.
#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_the_child() {
    let (mut cluster, shop) = shop().await;
    pricing_waits(&mut cluster, &shop).await;
    shop.pricing.shutdown().await.unwrap();
    let snapshot = shop.snapshot();
    assert_eq!(snapshot.find("pricing").unwrap().waits_for_node, None);
    assert_eq!(snapshot.network.as_ref().unwrap().waiting, []);
}

#[tokio::test(start_paused = true)]
async fn json_has_the_nodes() {
    let (mut cluster, shop) = shop().await;
    let name = shop.snapshot().remote_nodes()[0].name.clone();
    let of = |json: &Value| {
        let child = json["root"]["children"].as_array().unwrap().iter().find(|child| child["path"] == "pricing");
        child.unwrap().clone()
    };
    let mut json = serde_json::to_value(shop.snapshot()).unwrap();
    assert_eq!((&of(&json)["runs_on"], &of(&json)["window"]), (&json!(name), &json!(0)));
    let left = json["network"]["nodes"][0].as_object_mut().unwrap().remove("lease_left_ms").unwrap();
    assert!((1..=2000).contains(&left.as_u64().unwrap()), "{left}");
    let node =
        json!({ "name": name, "role": "worker", "children": 1, "capacity": 2, "build": env!("CARGO_PKG_VERSION") });
    assert_eq!(json["network"], json!({ "nodes": [node], "refused": [], "waiting": [] }));

    pricing_waits(&mut cluster, &shop).await;
    let json = serde_json::to_value(shop.snapshot()).unwrap();
    assert_eq!(of(&json)["waits_for_node"]["role"], "worker");
    assert!(of(&json)["waits_for_node"]["since_ms"].is_u64());
    assert_eq!(
        json["network"],
        json!({ "nodes": [], "refused": [], "waiting": [{ "role": "worker", "children": 1 }] })
    );
    let symptoms = serde_json::to_value(shop.health()).unwrap()["symptoms"].clone();
    assert_eq!((&symptoms[0]["reason"], &symptoms[0]["role"]), (&json!("no_node"), &json!("worker")));
    assert!(symptoms[0]["since_ms"].is_u64());

    let alone = serde_json::to_value(Alone::start().await.unwrap().snapshot()).unwrap();
    assert_eq!(alone.get("network"), None);
}

#[tokio::test(start_paused = true)]
async fn drawings_show_the_node_of_each_child() {
    let (mut cluster, shop) = shop().await;
    let snapshot = shop.snapshot();
    let name = &snapshot.remote_nodes()[0].name;
    let text = snapshot.render();
    assert!(text.contains(&format!("├── pricing  actor  running  #1  on {name}\n")), "{text}");
    let left = snapshot.remote_nodes()[0].lease_left.unwrap();
    let build = env!("CARGO_PKG_VERSION");
    assert!(
        text.ends_with(&format!("\n\n{name}  worker  1 of 2 children  lease {left:.1?}  build {build}\n")),
        "{text}"
    );
    let mermaid = snapshot.render_mermaid();
    let escaped = name.replace('#', "#35;");
    let pricing = format!("([\"pricing<br/>actor<br/>running<br/>#35;1<br/>on {escaped}\"]):::up\n");
    assert!(mermaid.contains(&pricing), "{mermaid}");
    let graphviz = snapshot.render_graphviz();
    let pricing = format!("\"pricing\\nactor\\nrunning\\n#1\\non {name}\", shape = ellipse, style = \"filled,dashed\"");
    assert!(graphviz.contains(&pricing), "{graphviz}");

    pricing_waits(&mut cluster, &shop).await;
    let text = shop.snapshot().render();
    let pricing = "pricing  actor  starting  #2  1 of 10 restarts in 60s  no node with the role worker  pricing failed";
    assert!(text.contains(pricing), "{text}");
    assert!(text.ends_with("\n\nno nodes\n1 child waits for a node with the role worker\n"), "{text}");

    // The declaration knows the role.
    assert!(Shop::SPEC.render().contains("on(\"worker\""), "{}", Shop::SPEC.render());
}
