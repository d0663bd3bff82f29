//! `PostgresLease`, against Debian's server in a private folder. Without PostgreSQL these tests check nothing.

use supervise::lease::Acquired;
use supervise_lease::PostgresLease;

use super::*;

#[path = "../../../examples/13_postgres/server.rs"]
#[allow(dead_code)]
mod server;

use server::{Binaries, Server};

const TTL: Duration = Duration::from_millis(1200);

/// The one server of these tests, one test at a time.
static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn with_server(test: impl FnOnce(&mut Server)) {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match Binaries::find() {
        Ok(binaries) => test(&mut Server::create(binaries).unwrap()),
        Err(error) => eprintln!("{error}"),
    }
}

fn lease(server: &str) -> PostgresLease {
    PostgresLease::new("it's a \"name\"", server.parse().unwrap()).table("its \"own\" table").ttl(TTL)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let out = runtime.block_on(future);
    runtime.shutdown_background();
    out
}

/// S55: one of two has the row until its time is over or it gives the row back, and the token grows.
#[test]
fn a_row_has_one_holder_and_a_token_that_grows() {
    with_server(|server| {
        let url = server.url();
        block_on(async {
            let (one, two) = (lease(&url).holder("one"), lease(&url));
            assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 1, released: false }));
            assert_eq!((two.acquire().await.unwrap(), one.acquire().await.unwrap()), (None, None));
            tokio::time::sleep(TTL * 2 / 3).await;
            assert!(one.renew(1).await.unwrap() && !two.renew(2).await.unwrap());
            tokio::time::sleep(TTL * 2 / 3).await;
            assert_eq!(two.acquire().await.unwrap(), None, "renewed");
            two.release(2).await.unwrap(); // of nobody
            one.release(1).await.unwrap();
            assert!(!one.renew(1).await.unwrap());
            assert_eq!(two.acquire().await.unwrap(), Some(Acquired { token: 2, released: true }));
            one.release(1).await.unwrap(); // late
            assert!(two.renew(2).await.unwrap());
            tokio::time::sleep(TTL).await;
            assert!(!two.renew(2).await.unwrap(), "its time is over");
            assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 3, released: false }));
        });
    });
}

/// The processes of the server, the first one last.
fn processes(server: &Server) -> Vec<u32> {
    let file = std::fs::read_to_string(server.folder().join("data/postmaster.pid")).unwrap();
    let first: u32 = file.lines().next().unwrap().trim().parse().unwrap();
    let below = Command::new("pgrep").args(["-P", &first.to_string()]).output().unwrap();
    let below = String::from_utf8(below.stdout).unwrap();
    below.lines().map(|pid| pid.parse().unwrap()).chain([first]).collect()
}

/// S55: the server is killed and frozen while a tree holds. The tree stops in time, no two act at once, tokens grow, and one
/// of the two acts again once the server answers.
#[test]
fn the_server_is_killed_and_frozen() {
    with_server(|server| {
        let (folder, url) = (Folder::new(), server.url());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        for _ in 0..2 {
            runtime.spawn(run(folder.path("log"), lease(&url)));
        }
        folder.wait("one acts", |folder| folder.acts() > 5);
        for kill in [true, false, true] {
            let frozen = processes(server);
            match kill {
                true => drop(server.kill()),
                false => frozen.iter().for_each(|process| signal("STOP", *process)),
            }
            std::thread::sleep(TTL);
            let acts = folder.acts();
            std::thread::sleep(TTL / 3);
            assert_eq!(folder.acts(), acts, "nobody acts after the time of the lease");
            match kill {
                true => server.start().unwrap(),
                false => frozen.iter().for_each(|process| signal("CONT", *process)),
            }
            folder.wait("one acts again", |folder| folder.acts() > acts + 5);
        }
        runtime.shutdown_timeout(Duration::from_secs(1));
        let tokens = folder.tokens();
        assert!(tokens.is_sorted() && tokens.len() >= 4, "{tokens:?}");
    });
}

/// A replica of the test below.
#[test]
#[ignore = "a process of another test"]
fn replica() {
    let Some(folder) = folder_of_process() else { return };
    let server = std::env::var("LEASE_SERVER").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(run(in_folder(&folder, "log"), lease(&server)));
}

/// S55: a process that holds is frozen past its time, and another one takes over. Once it thaws, it does nothing more under its
/// old token. A holder that is killed is replaced too.
#[test]
fn holders_are_frozen_and_killed() {
    with_server(|server| {
        let (folder, url) = (Folder::new(), server.url());
        let one = Process::new("postgres::replica", &folder, &url);
        folder.wait("the first acts", |folder| folder.acts() > 5);
        let two = Process::new("postgres::replica", &folder, &url);
        for (frozen, token) in [(&one, 2), (&two, 3), (&one, 4)] {
            std::thread::sleep(TTL);
            frozen.signal("STOP");
            folder.wait("the other one acts", |folder| folder.tokens().last() == Some(&token));
            frozen.signal("CONT");
        }
        std::thread::sleep(TTL);
        drop(two);
        folder.wait("the first acts again", |folder| folder.tokens().last() == Some(&5));
        let tokens = folder.tokens();
        assert_eq!(tokens, [1, 2, 3, 4, 5]);
    });
}
