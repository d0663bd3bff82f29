//! Settings out of a file and out of the environment, and that the network is as they say.

use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use supervise_remote::Net;
use supervise_remote::wire::{Side, Wire};
use supervise_remote_zenoh::{Settings, Zenoh};

use crate::common::*;

/// The longest message of these networks.
const MOST: usize = 4096;

struct Lengths;

#[derive(Serialize, Deserialize)]
enum LengthsMsg {
    Of(String, Reply<usize>),
}

#[actor]
impl Lengths {
    fn handle(&mut self, LengthsMsg::Of(text, reply): LengthsMsg) {
        reply.send(text.len());
    }
}

supervisor! {
    struct Shop {
        #[on("worker", lease = 30s)]
        lengths: remote Lengths = Lengths,
    }
}

/// Settings out of a file of an owner.
fn owner(port: u16) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.toml");
    let text =
        format!("name = 'shop'\nlisten = ['127.0.0.1:{port}']\nnetwork = 'prod'\nmax_frame = {MOST}\nlease = '30s'\n");
    std::fs::write(&file, text).unwrap();
    toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap()
}

/// The variables of a node.
fn vars(name: &str, port: u16, network: &str) -> [(String, String); 5] {
    [
        ("NAME", name.to_owned()),
        ("CONNECT", format!("127.0.0.1:{port}")),
        ("NETWORK", network.to_owned()),
        ("MAX_FRAME", MOST.to_string()),
        ("LEASE", "30s".to_owned()),
    ]
    .map(|(of, value)| (format!("SUPERVISE_{of}"), value))
}

/// The node: takes its settings from its environment, and serves until its input ends. Started by the tests of this file.
#[test]
#[ignore = "a process that the other tests start"]
fn node() {
    if std::env::var_os("SUPERVISE_NAME").is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let wire = Zenoh::open(Settings::from_env("SUPERVISE_").unwrap()).await.unwrap();
        let input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
        Shop::node("worker").serve(Net::open(wire), input_ends).await.unwrap();
    });
}

struct Node(Child);

impl Node {
    fn start(vars: impl IntoIterator<Item = (String, String)>) -> Node {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "configured::node", "--ignored", "--nocapture", "--test-threads", "1"]);
        Node(command.envs(vars).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Lets it leave in order.
    fn leave(&mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_runs_by_a_file_and_its_node_by_the_environment() {
    let port = port();
    let net = Net::open(open(owner(port)).await).fresh();
    assert_eq!(net.name(), "shop");
    let mut node = Node::start(vars("host-7", port, "prod"));
    let shop = within(LONG, Shop::tree().on(net.clone()).start()).await.unwrap();
    assert!(shop.lengths.node().unwrap().starts_with("host-7#"));

    let of = |length: usize| shop.lengths.ask(move |reply| LengthsMsg::Of("a".repeat(length), reply)).within(LONG);
    assert_eq!(of(MOST / 2).await.unwrap(), MOST / 2);
    // Only by the setting is the message too long.
    let mut events = shop.events();
    of(MOST + 1).await.unwrap_err();
    let not_written = async {
        loop {
            if let EventKind::DeadLetter { reason, .. } = events.next().await.unwrap().kind {
                break reason;
            }
        }
    };
    assert_eq!(within(LONG, not_written).await, DeadLetterReason::NotWritten);

    shop.shutdown().await;
    net.close().await;
    node.leave();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_addresses_the_network_and_the_longest_message_are_those_of_the_settings() {
    let port = port();
    let [shop, near, far] = [
        owner(port),
        Settings::from_vars("SUPERVISE_", vars("near", port, "prod")).unwrap(),
        Settings::from_vars("SUPERVISE_", vars("far", port, "test")).unwrap(),
    ];
    let wires = [open(shop).await, open(near).await, open(far).await];
    assert_eq!(wires.each_ref().map(Wire::name), ["shop", "near", "far"]);
    assert_eq!(wires.each_ref().map(Wire::max_frame), [Some(MOST); 3]);
    // The listener has this very port.
    assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_err());

    let mut far = join(&wires[2], Side::Node).await;
    let mut owner = join(&wires[0], Side::Owner).await;
    far.quiet(millis(1000)).await;
    let mut near = join(&wires[1], Side::Node).await;
    assert_eq!(owner.up().await, *near.me());
    assert_eq!(near.up().await, *owner.me());
    talk(&mut owner, &mut near).await;
    assert!(far.arrived().await.is_none() && owner.arrived().await.is_none(), "networks of two names have met");

    // A frame may be 1 MiB longer than a message.
    owner.send(near.me(), vec![0; MOST + (1 << 20) + 1]);
    assert_eq!(owner.down().await, *near.me());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_files_of_tls_are_those_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let [cert, key, ca] = ["cert", "key", "ca"].map(|of| folder.path().join(of).display().to_string());
    let given: Settings = toml::from_str(&format!(
        "name = 'a'\nlisten = ['127.0.0.1:{}']\ntls = {{ cert = '{cert}', key = '{key}', ca = '{ca}' }}",
        port()
    ))
    .unwrap();
    let error = Zenoh::open(given).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{cert} cannot be used for TLS")), "{error}");
    let listen = format!("127.0.0.1:{}", port());
    let vars = [("NAME", "a"), ("LISTEN", &listen), ("TLS_CERT", &cert), ("TLS_KEY", &key), ("TLS_CA", &ca)];
    let error = Zenoh::open(Settings::from_vars("", vars).unwrap()).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{cert} cannot be used for TLS")), "{error}");
}

#[test]
fn the_page_shows_a_file_that_is_read_and_each_variable() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/remote.md")).unwrap();
    let section = page.split("\n## ").find(|of| of.starts_with("Settings from a file and the environment\n")).unwrap();
    let file = section.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let _ = toml::from_str::<Settings>(file).unwrap();

    // The error names the variables that are known.
    let error = Settings::from_vars("SUPERVISE_", [("SUPERVISE_", "")]).unwrap_err().to_string();
    let known = error.split_once("expected one of ").unwrap().1.split(", ");
    let rows = section.lines().filter(|line| line.starts_with("| `SUPERVISE_"));
    let shown = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(',')).map(|of| of.trim().trim_matches('`'));
    let [mut known, mut shown] = [known.collect::<Vec<_>>(), shown.collect()];
    known.sort_unstable();
    shown.sort_unstable();
    assert_eq!(shown, known);
}
