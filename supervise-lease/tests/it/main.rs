//! The leases against what they are kept in: files, a real PostgreSQL, and a server that plays the API of Kubernetes. Real
//! time and real processes: tests of rule S55 itself are those of the runtime, on the paused clock.

#![cfg(unix)]
#![allow(missing_docs, unreachable_pub)]

use std::fs::OpenOptions;
use std::future::pending;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use supervise::lease::Lease;
use supervise::prelude::*;

mod file;
#[cfg(feature = "kubernetes")]
mod kubernetes;
#[cfg(feature = "postgres")]
mod postgres;

/// The time between two acts.
const PACE: Duration = Duration::from_millis(5);

supervisor! {
    /// A tree that appends its token to a log, again and again.
    pub struct Replica(log: PathBuf) {
        acting: task = act(log, tree.lease_token()),
    }
}

async fn act(log: PathBuf, token: Option<u64>) -> std::io::Result<()> {
    let token = token.expect("it runs under a lease");
    let mut log = OpenOptions::new().append(true).create(true).open(log)?;
    loop {
        log.write_all(format!("{token}\n").as_bytes())?;
        tokio::time::sleep(PACE).await;
    }
}

/// Runs the tree under this lease for ever, with whatever happens to the lease.
async fn run(log: PathBuf, lease: impl Lease) {
    Replica::tree(log).only_with(lease).run(pending::<()>()).await.expect("a tree that does not fail");
}

/// A folder of this test, which is removed with it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    #[expect(clippy::new_without_default, reason = "each one is another folder")]
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("supervise-lease-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The tokens in the log, in the order of the acts, each as often as another one came in between.
    pub fn tokens(&self) -> Vec<u64> {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        let mut tokens: Vec<u64> = log.lines().map(|line| line.parse().unwrap()).collect();
        tokens.dedup();
        tokens
    }

    /// The number of acts so far.
    pub fn acts(&self) -> usize {
        std::fs::read_to_string(self.path("log")).unwrap_or_default().lines().count()
    }

    /// Waits until this has happened.
    pub fn wait(&self, what: &str, happened: impl Fn(&Folder) -> bool) {
        let began = Instant::now();
        while !happened(self) {
            assert!(began.elapsed() < Duration::from_secs(30), "not within 30 s: {what}; {:?}", self.tokens());
            std::thread::sleep(PACE);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A replica in a process of its own: this test binary, which runs one test.
#[derive(Debug)]
pub struct Process(Child);

impl Process {
    /// Runs the ignored test of this name, which reads the folder from the environment.
    pub fn new(test: &str, folder: &Folder, server: &str) -> Self {
        let binary = std::env::current_exe().unwrap();
        let mut command = Command::new(binary);
        command.args(["--exact", test, "--ignored"]).env("LEASE_FOLDER", &folder.0).env("LEASE_SERVER", server);
        Process(command.stdout(std::process::Stdio::null()).spawn().unwrap())
    }

    pub fn signal(&self, name: &str) {
        signal(name, self.0.id());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn signal(name: &str, process: u32) {
    let killed = Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap();
    assert!(killed.success());
}

/// The folder of a replica in a process of its own.
pub fn folder_of_process() -> Option<PathBuf> {
    std::env::var_os("LEASE_FOLDER").map(PathBuf::from)
}

pub fn in_folder(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}
