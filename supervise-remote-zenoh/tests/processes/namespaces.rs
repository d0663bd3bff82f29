//! A network between two namespaces that is cut without a word, and mended.

use std::io::Write as _;
use std::process::Command;

use crate::process::Place;
use crate::world::*;

/// A namespace of this test, and the link to it. Removed when dropped.
struct Namespace {
    name: String,
    /// Of this side; the name of the other side has an `n` for the last letter.
    link: String,
    here: String,
}

fn ip(words: &str) -> Result<(), String> {
    let output = Command::new("ip").args(words.split(' ')).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ip {words}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

impl Namespace {
    fn make() -> Result<Namespace, String> {
        let id = std::process::id();
        let (name, link) = (format!("supervise-{id}"), format!("sv{id}h"));
        let (a, b) = (id / 250 % 250, id % 250);
        let (here, there) = (format!("10.{a}.{b}.1"), format!("10.{a}.{b}.2"));
        ip(&format!("netns add {name}"))?;
        let made = Namespace { name, link, here };
        let Namespace { name, link, here } = &made;
        let other = made.other();
        ip(&format!("link add {link} type veth peer name {other} netns {name}"))?;
        ip(&format!("addr add {here}/24 dev {link}"))?;
        ip(&format!("link set {link} up"))?;
        ip(&format!("-n {name} addr add {there}/24 dev {other}"))?;
        ip(&format!("-n {name} link set lo up"))?;
        made.mend();
        Ok(made)
    }

    fn other(&self) -> String {
        format!("{}n", self.link.trim_end_matches('h'))
    }

    fn set(&self, state: &str) {
        ip(&format!("-n {} link set {} {state}", self.name, self.other())).unwrap();
    }

    fn cut(&self) {
        self.set("down");
    }

    fn mend(&self) {
        self.set("up");
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = ip(&format!("link del {}", self.link));
        let _ = ip(&format!("netns del {}", self.name));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_network_overlaps_nothing_and_is_used_again() {
    let namespace = match Namespace::make() {
        Ok(namespace) => namespace,
        Err(why) => {
            // Not by `eprintln!`, which a test that passes does not show.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no namespaces for networks here, nothing was cut: {why}");
            return;
        }
    };
    let mut place = place();
    place.address = format!("{}:{}", namespace.here, port());
    let there = Place { namespace: Some(namespace.name.clone()), ..place.clone() };
    // The node in the namespace is the only one, and has both children.
    let mut world = World::start_at(place.clone(), &[("far", &there)]).await;
    let (cache, ledger) = (world.shop.cache.clone(), world.shop.ledger.clone());
    world.answers(&ledger).await;
    world.answers(&cache).await;
    world.node("near", &place);
    let began = [world.begun("ledger"), world.begun("cache")];

    namespace.cut();
    let took = until("both run here", || world.begun("ledger") > began[0] && world.begun("cache") > began[1]).await;
    println!("replaced {took:?} after the cut");
    for child in [&ledger, &cache] {
        world.answers(child).await;
        assert_eq!(world.node_of(child).await, "near");
    }

    namespace.mend();
    world.kill(&ledger).await;
    for child in [&ledger, &cache] {
        world.answers(child).await;
        assert_eq!(world.node_of(child).await, "far", "it has joined again");
    }
    assert!(world.nodes.get_mut("far").unwrap().runs(), "it is the same process");
    world.ends(0).await;
}
