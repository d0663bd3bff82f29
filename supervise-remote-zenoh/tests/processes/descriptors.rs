//! An owner with few descriptors, and more connections than it has descriptors for.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::process::Process;
use crate::world::*;

/// Greets as a process that nobody knows, and says nothing more.
fn greet(address: &str, process: u128) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(LONG))?;
    stream.write_all(&[&b"supervis\x01"[..], &process.to_be_bytes(), &[0]].concat())?;
    // Its greeting, and the number of the connection.
    stream.read_exact(&mut [0; 25 + 8])?;
    Ok(stream)
}

/// Connections that get no session take nothing along, so there is room again when they are gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_had_no_descriptors_takes_nodes_again() {
    let mut place = place();
    place.descriptors = Some(150);
    let mut owner = Process::start("owner", "owner", &place);
    until("it listens", || TcpStream::connect(&place.address).is_ok()).await;
    // Greater than any id of the owner, which decides.
    let mut process = u128::MAX;
    drop(greet(&place.address, process));
    tokio::time::sleep(Duration::from_secs(2)).await; // the first session begins what all of them use
    let before = owner.descriptors();
    for _ in 0..2 {
        let mut streams = Vec::new();
        for _ in 0..100 {
            process -= 1;
            streams.extend(greet(&place.address, process));
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(streams.len() > 20, "too few were greeted: {}", streams.len());
        drop(streams);
        until("all descriptors are free", || owner.descriptors() <= before + 2).await;
    }
    assert!(owner.runs());
    place.descriptors = None;
    let _node = Process::start("node", "node", &place);
    until("it runs", || place.dir.join("cache").exists()).await;
    owner.leave();
    assert!(owner.ended(LONG).await);
    let _ = std::fs::remove_dir_all(&place.dir);
}
