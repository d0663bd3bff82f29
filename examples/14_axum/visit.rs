//! The world outside: visitors, an operator who checks the health, and the one who sends SIGTERM.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// All visits, in this order. An unexpected answer ends the process.
pub async fn all(address: watch::Receiver<Option<SocketAddr>>) -> Result<(), Error> {
    let visited = timeout(Duration::from_secs(20), story(address)).await;
    match visited.map_err(Error::from).and_then(|visited| visited) {
        Ok(()) => Ok(()),
        // The tree waits for a signal that will not come.
        Err(error) => {
            eprintln!("14_axum: {error}");
            std::process::exit(1);
        }
    }
}

async fn story(mut address: watch::Receiver<Option<SocketAddr>>) -> Result<(), Error> {
    // The port is open a moment before the tree is notified that its front is ready.
    let address = address.wait_for(Option::is_some).await?.ok_or("no address")?;
    expect(address, "GET /livez", "200 alive").await?;
    while !get(address, "GET /readyz").await?.starts_with("200") {}
    expect(address, "GET /readyz", "200 ready").await?;
    expect(address, "POST /carts/ann/apple", "200 ann owes 30 cents").await?;

    println!("\nThe price of cake is not a number, so the actor that reads it fails:");
    expect(address, "POST /carts/ann/cake", "503 no reply will come from prices").await?;
    // The asker gets the error before the failure is decided, so the child may not back off yet.
    while !get(address, "GET /readyz").await?.ends_with("backing off") {}
    expect(address, "GET /readyz", "503 degraded: prices is backing off").await?;
    expect(address, "GET /livez", "200 alive").await?;
    println!("GET /tree\n{}", get(address, "GET /tree").await?.trim_start_matches("200 "));
    println!("The next request waits for the new instance. The cart was never down:");
    expect(address, "POST /carts/ann/pear", "200 ann owes 75 cents").await?;
    expect(address, "GET /readyz", "200 ready").await?;

    println!("\nA slow purchase is in hand when SIGTERM comes:");
    let slow = tokio::spawn(get(address, "POST /carts/bob/apple?ms=800"));
    expect(address, "GET /busy/1", "200 1 or more in hand").await?;
    let sent = Command::new("kill").args(["-TERM", &std::process::id().to_string()]).status()?;
    if !sent.success() {
        return Err("SIGTERM could not be sent".into());
    }
    // The signal is delivered a moment later.
    while TcpStream::connect(address).await.is_ok() {
        sleep(Duration::from_millis(5)).await;
    }
    let (refused, still) = (get(address, "GET /livez").await, !slow.is_finished());
    match refused {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
        other => return Err(format!("after SIGTERM a new connection is refused, not {other:?}").into()),
    }
    println!("{:<30} refused, {}", "GET /livez", if still { "while the other waits" } else { "late" });
    said("POST /carts/bob/apple?ms=800", &slow.await??, "200 bob owes 30 cents")
}

/// Makes the request and prints the answer, which has to begin like that.
async fn expect(address: SocketAddr, request: &'static str, expected: &str) -> Result<(), Error> {
    said(request, &get(address, request).await?, expected)
}

fn said(request: &str, answer: &str, expected: &str) -> Result<(), Error> {
    println!("{request:<30} {answer}");
    if answer.starts_with(expected) { Ok(()) } else { Err(format!("{expected:?} was expected").into()) }
}

/// One connection, one request, one answer: its status and its text.
async fn get(address: SocketAddr, request: &'static str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("{request} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(ErrorKind::InvalidData)?;
    let status = head.split(' ').nth(1).ok_or(ErrorKind::InvalidData)?;
    Ok(format!("{status} {body}"))
}
