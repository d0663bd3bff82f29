//! The example `14_axum` under SIGTERM, as a separate process: it answers the requests that have begun, refuses later
//! ones, and exits with 0.
#![cfg(unix)]

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

#[path = "../common/built.rs"]
mod built;

use built::{binary, out_of_date};

const REQUESTS: usize = 200;
/// The time of the slowest request, in milliseconds; the fastest takes three quarters of it.
const SLOWEST: usize = 2_000;

/// The server. The process ends with the test, however the test ends.
struct Server {
    process: Child,
    address: SocketAddr,
    lines: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Server {
        let program = binary("14_axum");
        if let Some(why) = out_of_date(&program) {
            panic!("14_axum {why}");
        }
        let mut process =
            Command::new(program).args(["--port", "0"]).stdout(Stdio::piped()).spawn().expect("the example can be run");
        let mut lines = BufReader::new(process.stdout.take().expect("the process has an output"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("the first line can be read");
        let address = first.trim().strip_prefix("serving on http://").and_then(|address| address.parse().ok());
        Server { address: address.unwrap_or_else(|| panic!("an address, not {first:?}")), process, lines }
    }

    fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().expect("`kill`");
        assert!(sent.success());
    }

    fn is_running(&mut self) -> bool {
        self.process.try_wait().expect("the process has a status").is_none()
    }

    /// Waits a limited time for the exit, and returns the status and the rest of the output.
    async fn exit(&mut self) -> (ExitStatus, String) {
        let begun = Instant::now();
        while self.is_running() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the process does not end");
            sleep(Duration::from_millis(10)).await;
        }
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("the output can be read");
        (self.process.wait().expect("the process has a status"), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One connection that stays open, like those of browsers and proxies.
struct Connection {
    stream: TcpStream,
}

impl Connection {
    async fn open(address: SocketAddr) -> Connection {
        Connection { stream: TcpStream::connect(address).await.expect("a connection") }
    }

    async fn send(&mut self, request: &str) {
        let head = format!("{request} HTTP/1.1\r\nhost: shop\r\ncontent-length: 0\r\n\r\n");
        self.stream.write_all(head.as_bytes()).await.expect("the request can be sent");
    }

    /// One whole answer: its status line, and the body, as long as the head promises.
    async fn answer(&mut self) -> Result<(String, String), String> {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes);
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
                let length = length.ok_or_else(|| format!("a length in {head:?}"))?;
                if body.len() >= length {
                    let status = head.lines().next().unwrap_or_default();
                    return Ok((status.to_owned(), body.to_owned()));
                }
            }
            match self.stream.read_buf(&mut bytes).await {
                Ok(1..) => {}
                ended => return Err(format!("{ended:?} after {:?}", String::from_utf8_lossy(&bytes))),
            }
        }
    }

    /// Whether the server has closed the connection without sending anything more.
    async fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 64]).await, Ok(0))
    }
}

/// S24, S29, S43: requests that arrive in time are answered in full, all later ones are refused, and nothing delays the
/// exit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_in_hand_is_answered_before_the_exit() {
    timeout(Duration::from_secs(60), scenario()).await.expect("the test ends within a minute");
}

async fn scenario() {
    let mut server = Server::start();
    let address = server.address;

    // Idle connections, some of which have been used.
    let mut idle = Vec::new();
    for n in 0..10 {
        let mut connection = Connection::open(address).await;
        if n % 2 == 0 {
            connection.send("GET /livez").await;
            assert_eq!(connection.answer().await, Ok(("HTTP/1.1 200 OK".into(), "alive".into())));
        }
        idle.push(connection);
    }

    let answered = Arc::new(AtomicUsize::new(0));
    let mut requests = Vec::new();
    for n in 0..REQUESTS {
        let answered = answered.clone();
        requests.push(tokio::spawn(async move {
            let mut connection = Connection::open(address).await;
            let ms = SLOWEST - SLOWEST / 4 * n / REQUESTS;
            connection.send(&format!("POST /carts/c{n}/apple?ms={ms}")).await;
            let answer = connection.answer().await;
            answered.fetch_add(1, SeqCst);
            assert_eq!(answer, Ok(("HTTP/1.1 200 OK".into(), format!("c{n} owes 30 cents"))));
            assert!(connection.is_closed().await, "the connection is closed, too");
        }));
    }
    // The server confirms that it has read the heads of all requests, and has not answered one.
    let mut operator = Connection::open(address).await;
    operator.send(&format!("GET /busy/{REQUESTS}")).await;
    let busy = operator.answer().await;
    assert_eq!(busy, Ok(("HTTP/1.1 200 OK".into(), format!("{REQUESTS} or more in hand"))));
    assert_eq!(answered.load(SeqCst), 0);

    server.terminate();

    // The signal takes a moment. From then on every connection is refused, long before the last answer.
    while let Err(error) = refused(address).await {
        // A connection that the listener had not accepted when it was closed is reset.
        assert!(error == "connected" || error.contains("reset"), "{error}");
        sleep(Duration::from_millis(2)).await;
    }
    for _ in 0..20 {
        assert_eq!(refused(address).await, Ok(()));
    }
    assert!(server.is_running(), "the server still has requests in hand");
    assert!(answered.load(SeqCst) < REQUESTS);

    // Idle connections are closed at once.
    for connection in &mut idle {
        assert!(connection.is_closed().await);
    }
    assert!(operator.is_closed().await);
    assert!(answered.load(SeqCst) < REQUESTS, "the exit does not wait for idle connections");

    for request in requests {
        request.await.expect("a complete answer");
    }
    let (status, printed) = server.exit().await;
    assert_eq!(status.code(), Some(0), "{printed}");
    assert_eq!(printed, "the shop is closed: stopped\n");
}

async fn refused(address: SocketAddr) -> Result<(), String> {
    match TcpStream::connect(address).await {
        Ok(_) => Err("connected".into()),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
