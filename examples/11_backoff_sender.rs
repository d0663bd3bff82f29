//! The `BackOffSender` of 2012: messages go to a server that answers 500 for a while, and none of them is lost.
//!
//! That sender was an actor that stopped, recreated and watched another actor, kept the messages without an
//! acknowledgement in a vector, and counted slots with a random delay each. Here this takes three settings above one
//! child, and one call:
//!
//! * `backoff`: after a failure the sender waits, in the slots of that algorithm, 10 ms times up to 1, 3, 7, 15 and so
//!   on;
//! * `cx.reset_backoff()` in the handler is the acknowledgement: after a success the slots start over;
//! * `redeliver`: the message that the actor failed with is handled again, before the messages after it, so the order
//!   is kept;
//! * `mailbox`: messages without an acknowledgement wait here. The vector of 2012 could grow without limit, a problem
//!   that its author left to the reader. This mailbox has room for five messages; if it is full, a sender gets the
//!   message back, or waits.
//!
//! Look at the delays of the second outage, which are short again, and at messages 6 to 10.
//!
//! A message may arrive twice if a server accepts it and fails before it answers. The server can tell by its number.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use supervise::error::SendRejection;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

/// The server answers these requests with 500, counted from 1.
const OUTAGES: [std::ops::RangeInclusive<u32>; 2] = [3..=9, 14..=16];

supervisor! {
    struct Sending(server: SocketAddr, begun: Instant) {
        #[backoff(Backoff::slotted(10ms).ceiling(10))]
        #[redeliver(attempts = 20)] // after that the message is a dead letter: an event, and counted
        #[mailbox(Bounded(5))]
        sender: BackOffSender = BackOffSender { server, begun },
    }
}

struct BackOffSender {
    server: SocketAddr,
    begun: Instant,
}

/// A message and its sender, which is notified when the message has arrived.
#[derive(Clone)]
struct Msg {
    id: u32,
    sender: mpsc::UnboundedSender<u32>,
}

#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("the server answers message {id} with {status}")]
    Status { id: u32, status: String },
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[actor]
impl BackOffSender {
    async fn handle(&mut self, Msg { id, sender }: Msg, cx: &mut Context<Self>) -> Result<(), SendError> {
        let server = self.server;
        // On a paused clock, wait for the network in a blocking thread, which stops the clock from jumping.
        let status = spawn_blocking(move || post(server, id)).await.map_err(io::Error::from)??;
        if status != "200 OK" {
            return Err(SendError::Status { id, status });
        }
        println!("{} message {id} has arrived", at(self.begun.elapsed()));
        cx.reset_backoff();
        let _ = sender.send(id); // the sender may no longer exist
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("11_backoff_sender: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    println!("{}", Sending::SPEC.render());
    let (server, log) = serve()?;

    // The seed of the tree determines the slots: two runs print the same.
    let begun = Instant::now();
    let mut tree = Sending::tree(server, begun).seed(2012);
    let following = tokio::spawn(follow(tree.events()));
    let tree = tree.start().await?;

    let (sender, mut receipts) = mpsc::unbounded_channel();
    let mut too_many = Vec::new();
    for id in 1..=10 {
        match tree.sender.try_tell(Msg { id, sender: sender.clone() }) {
            Ok(()) => println!("{} message {id} is accepted", at(begun.elapsed())),
            // The refused message comes back: neither this message nor an older one is dropped.
            Err(error) if error.reason() == SendRejection::Full => {
                println!("{} message {id} comes back, because the mailbox is full", at(begun.elapsed()));
                too_many.push(error.into_message());
            }
            Err(error) => return Err(error.into()),
        }
    }
    // The waiting way: each `tell` waits until there is room.
    println!("{} these {} messages wait for room now", at(begun.elapsed()), too_many.len());
    for message in too_many {
        tree.sender.tell(message).await?;
    }
    drop(sender);
    let mut acknowledged = Vec::new();
    while let Some(id) = receipts.recv().await {
        acknowledged.push(id);
    }

    let dead = tree.dead_letters();
    tree.shutdown().await;
    let restarts = following.await??;
    let Log { arrived, refused } = &*log.lock().expect("the server has not panicked");
    println!("\narrived: {arrived:?}");
    println!("{refused} answers were 500, {restarts} restarts, {dead} dead letters");
    let all: Vec<u32> = (1..=10).collect();
    if *arrived == all && acknowledged == all && restarts == *refused && dead == 0 {
        Ok(())
    } else {
        Err("not every message arrived, once and in order".into())
    }
}

fn at(time: Duration) -> String {
    format!("{:5} ms ", time.as_millis())
}

/// Prints what happens to the sender, and counts its restarts.
async fn follow(mut events: Events) -> Result<u32, String> {
    let (mut restarts, mut why) = (0, String::new());
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Failed { failure, .. } => why = failure.cause().to_string(),
            EventKind::RestartScheduled { after } => {
                println!("{} {why}; again in {} ms", at(event.since_start()), after.as_millis());
            }
            EventKind::Restarted => restarts += 1,
            EventKind::Missed { .. } => return Err(event.to_string()),
            _ => {}
        }
    }
    Ok(restarts)
}

/// Posts one message, and returns the status of the answer.
fn post(server: SocketAddr, id: u32) -> io::Result<String> {
    let mut stream = TcpStream::connect(server)?;
    let body = id.to_string();
    let length = body.len();
    write!(stream, "POST /messages HTTP/1.1\r\nhost: {server}\r\ncontent-length: {length}\r\n\r\n{body}")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.lines().next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    Ok(status.ok_or(io::ErrorKind::InvalidData)?.to_owned())
}

/// Records what the server did.
#[derive(Default)]
struct Log {
    arrived: Vec<u32>,
    refused: u32,
}

/// The server: handles one request for each connection, in a thread that is independent of the paused clock.
fn serve() -> io::Result<(SocketAddr, Arc<Mutex<Log>>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let log = Arc::new(Mutex::new(Log::default()));
    let mine = log.clone();
    thread::spawn(move || {
        for (request, stream) in (1..).zip(listener.incoming()) {
            let mut stream = BufReader::new(stream?);
            let id = read(&mut stream)?;
            let mut log = mine.lock().expect("no thread has panicked");
            let status = if OUTAGES.iter().any(|outage| outage.contains(&request)) {
                log.refused += 1;
                "500 Internal Server Error"
            } else {
                log.arrived.push(id);
                "200 OK"
            };
            write!(stream.get_mut(), "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")?;
        }
        io::Result::Ok(())
    });
    Ok((address, log))
}

fn read(stream: &mut impl BufRead) -> io::Result<u32> {
    let (mut line, mut length) = (String::new(), 0);
    while stream.read_line(&mut line)? > 2 {
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(String::from_utf8_lossy(&body).parse().map_err(|_| io::ErrorKind::InvalidData)?)
}
