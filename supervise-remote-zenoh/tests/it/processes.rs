//! A node in a process of its own, which is killed, frozen, and ends in order.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use supervise_remote::wire::{LinkEvent, Side};

use crate::common::*;

/// The node: sends back what it gets, joins again when its owner is down, and closes on an empty frame. Started by
/// the tests of this file.
#[test]
#[ignore = "a process that the other tests start"]
fn node() {
    let Ok(port) = std::env::var("NODE_PORT") else { return };
    let lease = millis(std::env::var("NODE_LEASE").unwrap().parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let wire = open(settings("node").connect(here(port.parse().unwrap())).lease(lease)).await;
        loop {
            let mut link = join(&wire, Side::Node).await;
            loop {
                match tokio::time::timeout(4 * LONG, link.event()).await.unwrap().unwrap() {
                    LinkEvent::Up(..) => {}
                    LinkEvent::Down(_) => break,
                    LinkEvent::Frame { bytes, .. } if bytes.is_empty() => {
                        wire.close().await;
                        return;
                    }
                    LinkEvent::Frame { from, bytes } => link.send(&from, bytes),
                }
            }
        }
    });
}

struct Node(Child);

impl Node {
    fn start(port: u16, lease: Duration) -> Node {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "processes::node", "--ignored", "--nocapture", "--test-threads", "1"]);
        command.env("NODE_PORT", port.to_string()).env("NODE_LEASE", lease.as_millis().to_string());
        command.stdout(std::process::Stdio::null());
        Node(command.spawn().unwrap())
    }

    #[expect(unsafe_code, reason = "sends a signal")]
    fn signal(&self, signal: i32) {
        // SAFETY: the process was started here, and not waited for, so nobody else has its id.
        assert_eq!(unsafe { libc::kill(self.0.id() as i32, signal) }, 0);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn owner(lease: Duration) -> (supervise_remote_zenoh::Zenoh, Joined, Node) {
    let port = port();
    let wire = open(settings("owner").listen(here(port)).lease(lease)).await;
    let owner = join(&wire, Side::Owner).await;
    (wire, owner, Node::start(port, lease))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_arrive_in_order_between_processes() {
    const ALL: u32 = 100_000;
    let (_wire, mut owner, mut process) = owner(LONG).await;
    let node = owner.up().await;
    for n in 0..ALL {
        owner.send(&node, n.to_le_bytes());
    }
    for n in 0..ALL {
        assert_eq!(owner.frame().await, (node.clone(), n.to_le_bytes().to_vec()));
    }
    owner.send(&node, "");
    assert_eq!(owner.down().await, node);
    assert!(process.0.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_is_down_at_once() {
    let (_wire, mut owner, process) = owner(LONG).await;
    let node = owner.up().await;
    let began = Instant::now();
    process.signal(libc::SIGKILL);
    assert_eq!(owner.down().await, node);
    println!("down {:?} after SIGKILL", began.elapsed());
    assert!(began.elapsed() < millis(500), "took {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_process_is_down_within_its_lease_and_comes_back_as_a_new_one() {
    let lease = millis(1000);
    let (_wire, mut owner, process) = owner(lease).await;
    let node = owner.up().await;
    let began = Instant::now();
    process.signal(libc::SIGSTOP);
    assert_eq!(owner.down().await, node);
    let took = began.elapsed();
    println!("down {took:?} after SIGSTOP, with a lease of {lease:?}");
    assert!(took >= lease / 2 && took < 2 * lease, "took {took:?}");
    process.signal(libc::SIGCONT);
    // Thawed, it may be seen as it was for a moment by nobody: the pair is over.
    let again = owner.up().await;
    assert_ne!(again, node);
    assert_eq!(again.name(), "node");
    owner.send(&again, "there");
    assert_eq!(owner.frame().await, (again.clone(), b"there".to_vec()));
}
