//! The `BackoffSupervisor`: an actor whose server is down is restarted after 3, 6, 12, 24 and then every 30 seconds,
//! with up to 20 % of jitter on top of each delay.
//!
//! ```text
//! cargo run --example backoff              on a paused clock: ends at once
//! cargo run --example backoff -- --real    in real time: about a minute and a half
//! ```
//!
//! In Akka this takes a separate supervisor actor, `BackoffSupervisor.props(Backoff.onFailure(..))`, whose path and
//! reference differ from those of the actor inside it. Here it takes one line above the child, and users of the child's
//! handle do not notice: a message sent while the actor is down waits in its mailbox.
//!
//! The jitter depends on the tree's seed, which is fixed here: two runs print the same.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{self, SocketAddr};
use std::process::ExitCode;
use std::thread;

use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::spawn_blocking;
use tokio::time::Instant;

/// The number of attempts before the server is started.
const REFUSED: u32 = 5;

supervisor! {
    /// Restarts an echo actor, at growing intervals.
    struct EchoSupervisor(server: SocketAddr, clock: Clock) {
        // With a declared backoff, a failed start is retried by default, without a limit unless one is declared as
        // well. The delays start over when the actor has been up for (3 s + 30 s) / 2; `reset = 10s` would
        // change that.
        #[backoff(3s..30s, random_factor = 0.2)]
        my_echo: EchoActor = EchoActor { connection: Connection::open(server, clock).await? },
    }
}

/// Sends text to its server, and replies with the answer of the server.
struct EchoActor {
    connection: Connection,
}

struct Echo {
    text: &'static str,
    reply: Reply<String>,
}

#[actor]
impl EchoActor {
    async fn handle(&mut self, Echo { text, reply }: Echo) -> io::Result<()> {
        // A broken connection is a failure like one at the start: the asker gets an error at once, and the next
        // instance connects again.
        reply.send(self.connection.echo(text).await?);
        Ok(())
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let clock = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Clock::Paused,
        ["--real"] => Clock::Real,
        _ => {
            eprintln!("backoff: takes --real or nothing");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // A paused clock jumps to the next timer whenever no task can run.
        .start_paused(clock == Clock::Paused)
        .build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run(clock))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("backoff: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(clock: Clock) -> Result<(), Box<dyn Error>> {
    println!("{}", EchoSupervisor::SPEC.render());

    // The port is bound, but no server listens on it yet: connections are refused.
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let server = socket.local_addr()?;

    let mut tree = EchoSupervisor::tree(server, clock).seed(2017);
    let events = tree.events();
    // This returns although the first attempt has failed. The supervisor is up, and retries the start of its child;
    // `supervisor.ready()` would wait for the child too.
    let supervisor = tree.start().await?;

    // The question is sent while the actor is down, and it is sent only once.
    let question = supervisor.my_echo.ask(|reply| Echo { text: "is anybody there?", reply }).forever();
    let (followed, answer) = tokio::join!(follow(events, socket), question);
    followed?;
    println!("it answers: {:?}", answer?);

    supervisor.shutdown().await;
    Ok(())
}

/// Prints the events until the actor is up, and starts the server after some of them.
async fn follow(mut events: Events, socket: TcpSocket) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let mut socket = Some(socket);
    while let Some(Event { path, at, incarnation, kind, .. }) = events.next().await {
        if path != "my_echo" {
            continue;
        }
        let at = at.saturating_duration_since(began).as_secs_f64();
        match kind {
            EventKind::Failed { failure, .. } => {
                println!("{at:7.3} s  attempt {incarnation} failed: {}", failure.cause());
            }
            EventKind::RestartScheduled { after } => {
                println!("{at:7.3} s  the next one in {:.3} s", after.as_secs_f64());
                if incarnation == REFUSED
                    && let Some(socket) = socket.take()
                {
                    serve(socket)?;
                    println!("{at:7.3} s  meanwhile the server comes up");
                }
            }
            EventKind::Started { .. } | EventKind::Restarted => {
                println!("{at:7.3} s  attempt {incarnation}: up");
                break;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The server, in its own thread and with the standard library only: it stands for the outside world, which does not
/// use the paused clock.
fn serve(socket: TcpSocket) -> io::Result<()> {
    let listener = socket.listen(1)?.into_std()?;
    listener.set_nonblocking(false)?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream?;
            let mut text = [0; 64];
            while let Ok(read @ 1..) = stream.read(&mut text) {
                stream.write_all(&text[..read])?;
            }
        }
        io::Result::Ok(())
    });
    Ok(())
}

/// The clock that the example runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    Paused,
    Real,
}

/// A connection that works with either clock.
///
/// On a paused clock you must not wait for a tokio socket: since no other task can run, the clock would jump to the
/// next timer before the answer of the kernel arrives. `spawn_blocking` stops the clock until its closure has returned.
enum Connection {
    Blocking(net::TcpStream),
    Async(TcpStream),
}

impl Connection {
    async fn open(server: SocketAddr, clock: Clock) -> io::Result<Connection> {
        match clock {
            Clock::Paused => {
                let stream = spawn_blocking(move || net::TcpStream::connect(server)).await??;
                Ok(Connection::Blocking(stream))
            }
            Clock::Real => Ok(Connection::Async(TcpStream::connect(server).await?)),
        }
    }

    async fn echo(&mut self, text: &'static str) -> io::Result<String> {
        let mut echo = vec![0; text.len()];
        let echo = match self {
            Connection::Blocking(stream) => {
                let mut stream = stream.try_clone()?;
                let exchange = spawn_blocking(move || {
                    stream.write_all(text.as_bytes())?;
                    stream.read_exact(&mut echo)?;
                    io::Result::Ok(echo)
                });
                exchange.await??
            }
            Connection::Async(stream) => {
                stream.write_all(text.as_bytes()).await?;
                stream.read_exact(&mut echo).await?;
                echo
            }
        };
        Ok(String::from_utf8_lossy(&echo).into_owned())
    }
}
