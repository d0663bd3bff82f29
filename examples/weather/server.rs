//! The world outside: a weather service that does not always answer.
//!
//! The service implements just enough HTTP/1.1 for the example, one request per connection:
//!
//! ```text
//! GET /weather/7/predicted?seed=1&try=2    a temperature, or a fault
//! GET /stats                               the number of faults served so far
//! ```
//!
//! A fault depends only on the content of the request, so that two runs with one seed meet the same faults, in whatever
//! order their requests arrive.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::system::MAX_RESTARTS;
use crate::tally::Served;

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// An answer, after this number of milliseconds.
    Answer(u64),
    /// No answer at all.
    Silence,
    /// `500 Internal Server Error`.
    Error,
    /// The connection is closed without an answer.
    Closed,
}

/// The content of a request.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    request: u64,
    /// 0 for the predicted temperature, 1 for the actual one.
    kind: u64,
    seed: u64,
    /// The incarnation of the fetcher that sends the request, counted from 1.
    attempt: u64,
}

/// Serves forever. Each connection has its own task, so that a silent one delays no other.
pub async fn serve(listener: TcpListener) {
    let counters = Arc::new(Counters::default());
    loop {
        // The process may have run out of file descriptors; the next accept may succeed.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let counters = counters.clone();
        tokio::spawn(async move {
            // A client that disconnects in the middle of an answer does not matter.
            let _ = answer(stream, &counters).await;
        });
    }
}

/// Opens the port; 0 takes a free one.
pub async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn answer(stream: TcpStream, counters: &Counters) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let target = read_head(&mut stream).await?;

    if target == "/stats" {
        return respond(&mut stream, "200 OK", &counters.read().to_string()).await;
    }
    let Some(question) = Question::parse(&target) else {
        return respond(&mut stream, "404 Not Found", "no such thing").await;
    };

    // Counted before the answer: once the client sees a fault, `/stats` includes it.
    let fate = question.fate();
    counters.count(&fate, question.attempt);
    match fate {
        Fate::Answer(millis) => {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            respond(&mut stream, "200 OK", &question.temperature()).await
        }
        Fate::Silence => {
            // The connection stays open until the client gives up.
            stream.read_to_end(&mut Vec::new()).await.map(drop)
        }
        Fate::Error => respond(&mut stream, "500 Internal Server Error", "the station is on fire").await,
        Fate::Closed => Ok(()),
    }
}

/// Reads up to the empty line and returns the target of the request, for example `/stats`.
async fn read_head(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut first = String::new();
    stream.read_line(&mut first).await?;
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 2 {
        line.clear();
    }
    Ok(first.split_ascii_whitespace().nth(1).unwrap_or_default().to_owned())
}

async fn respond(stream: &mut BufReader<TcpStream>, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let response = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

impl Question {
    /// Reads `/weather/7/predicted?seed=1&try=2`.
    fn parse(target: &str) -> Option<Question> {
        let (path, query) = target.strip_prefix("/weather/")?.split_once('?')?;
        let (request, kind) = path.split_once('/')?;
        let value = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?.parse::<u64>().ok()
        };
        Some(Question {
            request: request.parse().ok()?,
            kind: match kind {
                "predicted" => 0,
                "actual" => 1,
                _ => return None,
            },
            seed: value("seed")?,
            attempt: value("try")?,
        })
    }

    fn fate(&self) -> Fate {
        // Some stations are permanently broken. Only for these, all restarts fail.
        if self.random(0) % 100 < 3 {
            return Fate::Error;
        }
        let random = self.random(self.attempt);
        match random % 100 {
            0..5 => Fate::Silence,
            5..15 => Fate::Error,
            15..25 => Fate::Closed,
            // Well below the client's limit.
            _ => Fate::Answer(random / 100 % 20),
        }
    }

    fn temperature(&self) -> String {
        format!("{}.{}", self.random(u64::MAX) % 30, self.random(u64::MAX - 1) % 10)
    }

    /// A random number that is the same in every run, by splitmix64 over the content of the request.
    fn random(&self, salt: u64) -> u64 {
        [self.seed, self.request, self.kind, salt].into_iter().fold(0, |state: u64, word| {
            let mut z = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        })
    }
}

/// The faults served so far.
#[derive(Default)]
struct Counters {
    silent: AtomicU64,
    errors: AtomicU64,
    closed: AtomicU64,
    last: AtomicU64,
}

impl Counters {
    fn count(&self, fate: &Fate, attempt: u64) {
        match fate {
            Fate::Answer(_) => return,
            Fate::Silence => self.silent.fetch_add(1, Relaxed),
            Fate::Error => self.errors.fetch_add(1, Relaxed),
            Fate::Closed => self.closed.fetch_add(1, Relaxed),
        };
        // After its last restart a fetcher has no further attempt.
        if *fate != Fate::Silence && attempt > u64::from(MAX_RESTARTS) {
            self.last.fetch_add(1, Relaxed);
        }
    }

    fn read(&self) -> Served {
        Served {
            silent: self.silent.load(Relaxed),
            errors: self.errors.load(Relaxed),
            closed: self.closed.load(Relaxed),
            last: self.last.load(Relaxed),
        }
    }
}
