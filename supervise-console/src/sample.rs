//! Samples: the declared nodes of a tree as JSON, each for itself, so that only those that have changed are sent.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use supervise::inspect::{Node, NodePage, Snapshot};
use tokio::time::Instant;

/// Writes a value as JSON. `None` if an error in it panics when it is shown, which is user code.
pub(crate) fn to_json(value: &impl Serialize) -> Option<String> {
    let text = catch_unwind(AssertUnwindSafe(|| serde_json::to_string(value)));
    match text {
        Ok(text) => text.ok(),
        Err(payload) => {
            mem::forget(payload); // its own `Drop` may panic too
            None
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the time of a snapshot in milliseconds since the start of the tree.
pub(crate) fn at_ms(snapshot: &Snapshot) -> u64 {
    millis(snapshot.at.saturating_duration_since(snapshot.started))
}

/// A node on its way to JSON.
struct Shown {
    path: String,
    /// The position of the parent in the list; its own position for the root.
    parent: usize,
    /// The position among the children of the parent.
    index: usize,
    /// The fields, without the children and without the brace at the end.
    json: String,
}

/// Takes a snapshot apart, and calls `f` with each node, a parent before its children. The depth of a tree may exceed the
/// stack, so this is a loop.
fn each(mut snapshot: Snapshot, mut f: impl FnMut(Shown)) {
    snapshot.network = None; // not part of a node
    // Only a root can be serialized, so each node in turn takes its place.
    let prefix = format!("{{\"at_ms\":{},\"root\":", at_ms(&snapshot));
    let mut position = 0;
    let mut next = Some((0, 0));
    let mut todo: Vec<(usize, usize, Node)> = Vec::new();
    while let Some((parent, index)) = next {
        let children = mem::take(&mut snapshot.root.children);
        let json = fields(&mut snapshot, &prefix);
        f(Shown { path: mem::take(&mut snapshot.root.path), parent, index, json });
        todo.extend(children.into_iter().enumerate().rev().map(|(index, child)| (position, index, child)));
        position += 1;
        next = todo.pop().map(|(parent, index, node)| {
            snapshot.root = node;
            (parent, index)
        });
    }
}

/// The end of a node without children.
const SUFFIX: &str = ",\"children\":[]}}";

/// Returns the fields of the root of the snapshot, which has no children: an object without the brace at its end.
fn fields(snapshot: &mut Snapshot, prefix: &str) -> String {
    let whole = |snapshot: &Snapshot| {
        let text = to_json(snapshot)?;
        Some(text.strip_prefix(prefix)?.strip_suffix(SUFFIX)?.to_owned())
    };
    if let Some(fields) = whole(snapshot) {
        return fields;
    }
    // An error of the node panics when it is formatted: leave out such errors, and keep the rest.
    leave_out_unspeakable(&mut snapshot.root);
    whole(snapshot).unwrap_or_else(|| {
        let node = &snapshot.root;
        let bare = json!({
            "path": node.path, "name": node.name, "kind": node.kind.to_string(), "state": "ended",
            "incarnation": node.incarnation, "streak": node.streak, "ended": { "why": "failed" },
        });
        bare.to_string().trim_end_matches('}').to_owned() + "}"
    })
}

/// Leaves out the failures that panic when they are shown.
fn leave_out_unspeakable(node: &mut Node) {
    node.last_failure.take_if(|failure| to_json(failure).is_none());
    node.failed_instances.retain(|gone| to_json(gone).is_some());
}

/// Writes nodes with their children, as one value inside of the other.
#[derive(Default)]
struct Nested {
    text: String,
    /// The positions of the nodes that are open, and whether they have a child already.
    open: Vec<(usize, bool)>,
    position: usize,
}

impl Nested {
    fn add(&mut self, parent: usize, json: &str) {
        while self.open.last().is_some_and(|(open, _)| *open != parent) {
            self.close();
        }
        if let Some((_, has_child)) = self.open.last_mut()
            && mem::replace(has_child, true)
        {
            self.text.push(',');
        }
        self.text.push_str(json);
        self.text.push_str(",\"children\":[");
        self.open.push((self.position, false));
        self.position += 1;
    }

    fn close(&mut self) {
        self.open.pop();
        self.text.push_str("]}");
    }

    fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// Writes a snapshot as JSON, as its `Serialize` does.
pub(crate) fn whole(mut snapshot: Snapshot) -> String {
    let network = network(&mut snapshot).map(|network| format!(",\"network\":{network}"));
    let mut nested = Nested { text: format!("{{\"at_ms\":{},\"root\":", at_ms(&snapshot)), ..Nested::default() };
    each(snapshot, |node| nested.add(node.parent, &node.json));
    nested.finish() + &network.unwrap_or_default() + "}"
}

/// Takes the network out of a snapshot, as JSON.
fn network(snapshot: &mut Snapshot) -> Option<String> {
    to_json(&snapshot.network.take()?)
}

/// Writes the root of a snapshot without its children.
pub(crate) fn alone(mut snapshot: Snapshot) -> String {
    snapshot.root.children.clear();
    snapshot.network = None;
    let prefix = format!("{{\"at_ms\":{},\"root\":", at_ms(&snapshot));
    fields(&mut snapshot, &prefix) + "}"
}

/// Writes a page of instances.
pub(crate) fn page(path: &str, from: usize, mut page: NodePage) -> Option<String> {
    #[derive(Serialize)]
    struct Shown<'a> {
        path: &'a str,
        from: usize,
        #[serde(flatten)]
        page: &'a NodePage,
    }
    to_json(&Shown { path, from, page: &page }).or_else(|| {
        page.nodes.iter_mut().for_each(leave_out_unspeakable);
        to_json(&Shown { path, from, page: &page })
    })
}

/// The declared nodes of a tree at one moment.
pub(crate) struct Sample {
    at: Instant,
    started: Instant,
    /// The dead letters of the whole tree since its start.
    pub(crate) dead_letters: u64,
    nodes: Vec<Shown>,
    /// The network that the tree is on.
    network: Option<String>,
    /// The tree as one value; made for the first viewer that wants it.
    text: OnceLock<Arc<str>>,
}

impl Sample {
    pub(crate) fn of(mut snapshot: Snapshot, dead_letters: u64) -> Sample {
        let (at, started) = (snapshot.at, snapshot.started);
        let network = network(&mut snapshot);
        let mut nodes = Vec::new();
        each(snapshot, |node| nodes.push(node));
        Sample { at, started, dead_letters, nodes, network, text: OnceLock::new() }
    }

    /// Returns the time of the sample, in milliseconds since the start of the tree.
    pub(crate) fn at_ms(&self) -> u64 {
        self.ms_at(self.at)
    }

    /// Returns this time in milliseconds since the start of the tree.
    pub(crate) fn ms_at(&self, at: Instant) -> u64 {
        millis(at.saturating_duration_since(self.started))
    }

    /// Returns the field of the network, with a comma before it; nothing if the tree is on none.
    pub(crate) fn network(&self) -> String {
        self.network.as_ref().map_or(String::new(), |network| format!(",\"network\":{network}"))
    }

    /// Returns the root with everything below it.
    pub(crate) fn text(&self) -> Arc<str> {
        let text = self.text.get_or_init(|| {
            let mut nested = Nested::default();
            self.nodes.iter().for_each(|node| nested.add(node.parent, &node.json));
            nested.finish().into()
        });
        text.clone()
    }

    /// Returns the lists of a `delta` that leads from `before` to this sample: the nodes that are new or have changed, the
    /// paths that are gone, and the network if it has changed. `None` if nothing has changed.
    pub(crate) fn since(&self, before: &Sample) -> Option<String> {
        let mut changed: Vec<(&Shown, bool)> = Vec::new();
        let mut removed: Vec<&str> = Vec::new();
        let is_same = self.nodes.len() == before.nodes.len()
            && self.nodes.iter().zip(&before.nodes).all(|(now, was)| now.path == was.path);
        if is_same {
            let both = self.nodes.iter().zip(&before.nodes);
            changed.extend(both.filter(|(now, was)| now.json != was.json).map(|(now, _)| (now, false)));
        } else {
            let were: HashMap<&str, &Shown> = before.nodes.iter().map(|node| (&*node.path, node)).collect();
            for now in &self.nodes {
                match were.get(&*now.path) {
                    None => changed.push((now, true)),
                    Some(was) if was.json != now.json => changed.push((now, false)),
                    Some(_) => {}
                }
            }
            let are: HashSet<&str> = self.nodes.iter().map(|node| &*node.path).collect();
            removed.extend(before.nodes.iter().map(|node| &*node.path).filter(|path| !are.contains(path)));
        }
        let is_same_network = self.network == before.network;
        if changed.is_empty() && removed.is_empty() && is_same_network && self.dead_letters == before.dead_letters {
            return None;
        }
        let mut text = String::from("\"nodes\":[");
        for (i, (node, is_new)) in changed.into_iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            text.push_str(&node.json);
            if is_new {
                let parent = json!(self.nodes[node.parent].path);
                text.push_str(&format!(",\"parent\":{parent},\"index\":{}", node.index));
            }
            text.push('}');
        }
        text.push_str(&format!("],\"removed\":{}", json!(removed)));
        if !is_same_network {
            text.push_str(&self.network());
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};
    use supervise::inspect::{Extent, NetworkView, RemoteNode, RoleWait};
    use supervise::prelude::*;
    use supervise::spec::TreeSpec;
    use supervise_remote::hooks::{Held, TreeNetwork, TreeRoot, TreeRun};

    use super::*;

    struct Room;

    #[actor]
    impl Room {
        fn handle(&mut self, _msg: ()) {}
    }

    supervisor! {
        struct House {
            hall: Room = Room,
            upstairs: struct Upstairs {
                rooms: [u32 => Room] = |_number: u32| Room,
            },
        }
    }

    fn sample(house: &Running<House>) -> Sample {
        Sample::of(house.snapshot_of("House", Extent::Everything).unwrap(), house.dead_letters())
    }

    fn delta(before: &Sample, after: &Sample) -> Option<Value> {
        after.since(before).map(|lists| serde_json::from_str(&format!("{{{lists}}}")).unwrap())
    }

    /// A new node says where it belongs; only paths are left of one that is gone.
    #[tokio::test(start_paused = true)]
    async fn nodes_come_and_go() {
        let house = House::start().await.unwrap();
        let rooms = &house.upstairs.rooms;
        rooms.spawn(1).await.unwrap();
        let before = sample(&house);
        assert_eq!(delta(&before, &sample(&house)), None);
        rooms.spawn(2).await.unwrap();
        let both = sample(&house);
        let came = delta(&before, &both).unwrap();
        let new = came["nodes"].as_array().unwrap().iter().find(|node| node["path"] == "upstairs/rooms/2").unwrap();
        assert_eq!((&new["parent"], &new["index"]), (&json!("upstairs/rooms"), &json!(1)));
        assert!(new.get("children").is_none());
        let set = came["nodes"].as_array().unwrap().iter().find(|node| node["path"] == "upstairs/rooms").unwrap();
        assert_eq!(
            (&set["instances"], set.get("parent")),
            (&json!({ "running": 2 }), None),
            "it has changed and is not new"
        );
        assert_eq!((came["nodes"].as_array().unwrap().len(), &came["removed"]), (2, &json!([])));
        rooms.get(&1).unwrap().shutdown().await.unwrap();
        let gone = delta(&both, &sample(&house)).unwrap();
        assert_eq!(gone["removed"], json!(["upstairs/rooms/1"]));
    }

    /// A network that is what a test says.
    struct Net(Mutex<NetworkView>);

    impl TreeNetwork for Net {
        fn begins(
            &self,
            _root: TreeRoot,
            _tree: &'static TreeSpec,
            _held: Option<Held>,
            _run: TreeRun,
        ) -> Result<(), String> {
            Ok(())
        }

        fn over(&self, _root: &TreeRoot, _all_down: bool) {}

        fn view(&self, _root: &TreeRoot) -> NetworkView {
            self.0.lock().unwrap().clone()
        }
    }

    fn one_node(children: usize) -> NetworkView {
        let node = RemoteNode::new("one#1".to_owned(), "worker".to_owned(), children, Some(2), None);
        NetworkView::new(vec![node], Vec::new(), vec![RoleWait::new("edge".to_owned(), 3)])
    }

    /// S63: the network is no part of a node. It is in a delta if it has changed, also if nothing else has.
    #[tokio::test(start_paused = true)]
    async fn the_network_is_sent_when_it_changes() {
        let net = Arc::new(Net(Mutex::new(one_node(1))));
        let network: Arc<dyn TreeNetwork> = net.clone();
        let house = House::tree().on(supervise_remote::hooks::on(network)).start().await.unwrap();
        let snapshot = || house.snapshot_of("House", Extent::Everything).unwrap();
        let expected = serde_json::to_value(snapshot()).unwrap();
        let json = json!({
            "nodes": [{ "name": "one#1", "role": "worker", "children": 1, "capacity": 2, "build": "" }],
            "refused": [],
            "waiting": [{ "role": "edge", "children": 3 }],
        });
        assert_eq!(expected["network"], json);
        assert_eq!(serde_json::from_str::<Value>(&whole(snapshot())).unwrap(), expected);
        let hall = house.snapshot_of("hall", Extent::Declared).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&alone(hall)).unwrap()["path"], "hall");

        let before = sample(&house);
        assert_eq!(serde_json::from_str::<Value>(&before.text()).unwrap(), expected["root"]);
        assert_eq!(
            serde_json::from_str::<Value>(&format!("{{\"at_ms\":0{}}}", before.network())).unwrap()["network"],
            json
        );
        assert_eq!(delta(&before, &sample(&house)), None);
        *net.0.lock().unwrap() = one_node(2);
        let after = sample(&house);
        let changed = delta(&before, &after).unwrap();
        assert_eq!((&changed["nodes"], &changed["network"]["nodes"][0]["children"]), (&json!([]), &json!(2)));
        house.upstairs.rooms.spawn(1).await.unwrap();
        assert_eq!(delta(&after, &sample(&house)).unwrap().get("network"), None);
    }

    /// A tree is put together from its nodes as `Serialize` writes it whole.
    #[tokio::test(start_paused = true)]
    async fn a_sample_is_the_snapshot() {
        let house = House::start().await.unwrap();
        for number in 0..3 {
            house.upstairs.rooms.spawn(number).await.unwrap();
        }
        let snapshot = house.snapshot_of("House", Extent::Everything).unwrap();
        let expected = serde_json::to_value(&snapshot).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&whole(snapshot)).unwrap(), expected);
        let text = sample(&house).text();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected["root"]);
    }
}
