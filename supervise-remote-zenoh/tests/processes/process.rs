//! A process of these tests, from both sides.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use supervise_remote::Net;
use supervise_remote_zenoh::{Settings, Zenoh};

use crate::world::{LINK, Shop};

/// Where a process has its owner, and where its journals are.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The address of its owner; of several, with commas.
    pub(crate) address: String,
    pub(crate) dir: PathBuf,
    /// The namespace of the network that it runs in.
    pub(crate) namespace: Option<String>,
    /// How many descriptors it may have.
    pub(crate) descriptors: Option<u32>,
}

/// A process that was started here, and ends with this value.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(role: &str, name: &str, place: &Place) -> Process {
        let exe = std::env::current_exe().unwrap();
        let mut command = match (&place.namespace, place.descriptors) {
            (None, None) => Command::new(exe),
            (None, Some(descriptors)) => {
                let mut command = Command::new("sh");
                command.args(["-c", &format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"")]).arg(exe);
                command
            }
            (Some(namespace), _) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace]).arg(exe);
                command
            }
        };
        command.args(["--exact", "process", "--ignored", "--nocapture", "--test-threads", "1"]);
        command.env("ROLE", role).env("NAME", name).env("ADDRESS", &place.address).env("DIR", &place.dir);
        // Its input ends when it is to leave, or this process has died.
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        Process(command.spawn().unwrap())
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// How many descriptors it has at present.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.0.id())).unwrap().count()
    }

    #[expect(unsafe_code, reason = "sends a signal")]
    pub(crate) fn signal(&self, signal: i32) {
        // SAFETY: the process was started here, and not waited for, so nobody else has its id.
        assert_eq!(unsafe { libc::kill(self.0.id() as i32, signal) }, 0);
    }

    /// Asks it to leave in order.
    pub(crate) fn leave(&mut self) {
        drop(self.0.stdin.take());
    }

    /// Waits until it has ended. Returns whether that was a success.
    pub(crate) async fn ended(&mut self, most: Duration) -> bool {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.success();
            }
            assert!(begun.elapsed() < most, "a process runs on for {most:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The process itself.
pub(crate) fn main() {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let (role, name, address, dir) = (var("ROLE"), var("NAME"), var("ADDRESS"), var("DIR"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (leave, left) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        drop(leave);
    });
    // In a task, so that a runtime whose threads are blocked serves nobody.
    let served = match role.as_str() {
        "node" => runtime.spawn(async move {
            let wire =
                Zenoh::open(Settings::new(name).connect(address.split(',')).insecure().lease(LINK)).await.unwrap();
            Shop::node("worker").serve(Net::open(wire), left).await.unwrap();
        }),
        "owner" => runtime.spawn(async move {
            let wire = Zenoh::open(Settings::new(name).listen([address]).lease(LINK)).await.unwrap();
            let net = Net::open(wire);
            Shop::tree(dir).on(net.clone()).run(left).await.unwrap();
            net.close().await;
        }),
        _ => return,
    };
    let failed = runtime.block_on(served).is_err();
    // At once: who has left in order owes nothing to anybody.
    std::process::exit(i32::from(failed));
}
