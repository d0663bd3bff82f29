//! The shell around the pure parts: the connection, the terminal, and the loop between them.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyEvent, KeyEventKind, read};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute, terminal};
use ratatui::layout::Rect;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use crate::app::{App, Effect, Numbered, QUICK, Size};
use crate::client::{Client, Error};
use crate::wire::Message;

/// The pauses between two tries to connect: the first, and the longest.
const RETRY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));

/// The messages that wait for the screen. If there are more, the console waits, and reports a gap in the end.
const QUEUE: usize = 64;

/// The time for which `--once` measures the messages a second.
const MEASURE: Duration = Duration::from_secs(2);

/// The threads whose panics belong to the tree of `--demo`.
pub const DEMO_THREAD: &str = "demo-tree";

/// News of the connection.
#[derive(Debug)]
pub enum News {
    /// A message.
    Message(Message),
    /// A message that could not be read.
    Unreadable(String),
    /// The connection is lost: the reason, and the pause before the next try.
    Lost(String, Duration),
}

/// Follows the console, and connects again whenever it is away, until the receiver is dropped.
pub async fn follow(client: Client, news: mpsc::Sender<News>) {
    let mut pause = RETRY.0;
    loop {
        let why = match follow_once(&client, &news, &mut pause).await {
            Ok(Over::Unwanted) => return,
            Ok(Over::Ended) => {
                // Nothing will change soon.
                pause = RETRY.1;
                "the tree has ended".to_owned()
            }
            Ok(Over::Closed) => "the console has closed the connection".to_owned(),
            Err(error) => error.to_string(),
        };
        if news.send(News::Lost(why, pause)).await.is_err() {
            return;
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = news.closed() => return,
        }
        pause = (pause * 2).min(RETRY.1);
    }
}

enum Over {
    Unwanted,
    Ended,
    Closed,
}

async fn follow_once(client: &Client, news: &mpsc::Sender<News>, pause: &mut Duration) -> Result<Over, Error> {
    let mut stream = client.live().await?;
    let mut has_ended = false;
    loop {
        let told = tokio::select! {
            told = stream.next() => told?,
            () = news.closed() => return Ok(Over::Unwanted),
        };
        let Some(told) = told else {
            return Ok(if has_ended { Over::Ended } else { Over::Closed });
        };
        for told in told {
            let message = match Message::of(&told.kind, &told.data) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                Err(error) => {
                    if news.send(News::Unreadable(error.to_string())).await.is_err() {
                        return Ok(Over::Unwanted);
                    }
                    continue;
                }
            };
            match &message {
                Message::Snapshot { .. } => *pause = RETRY.0,
                Message::End(_) => has_ended = true,
                _ => {}
            }
            if news.send(News::Message(message)).await.is_err() {
                return Ok(Over::Unwanted);
            }
        }
    }
}

/// Input of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(KeyEvent),
    /// The terminal has another size.
    Resize(Size),
}

/// The way in which the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The user has left.
    Quit,
    /// A signal with this number has come.
    Signal(i32),
    /// The terminal is gone.
    Gone,
}

/// Runs the program on this terminal until the user leaves, or `stop` is ready.
///
/// # Errors
///
/// Returns the errors of the terminal.
pub async fn run<B: Backend>(
    terminal: &mut Terminal<B>,
    app: &mut App,
    client: Client,
    mut input: mpsc::UnboundedReceiver<Input>,
    stop: impl Future<Output = Exit>,
) -> Result<Exit, B::Error> {
    let mut stop = std::pin::pin!(stop);
    let (told, mut news) = mpsc::channel(QUEUE);
    let (answered, mut answers) = mpsc::unbounded_channel::<(Numbered, Result<String, String>)>();
    let _following = Aborted(tokio::spawn(follow(client.clone(), told)));
    let begun = Instant::now();
    let mut drawn = begun;
    let (mut is_urgent, mut is_stale) = (true, false);
    loop {
        for ask in app.requests(begun.elapsed()) {
            let (client, answered) = (client.clone(), answered.clone());
            tokio::spawn(async move {
                let answer = client.ask(&ask.1).await.map_err(|error| error.to_string());
                let _ = answered.send((ask, answer)); // an error: the program ends
            });
        }
        if is_urgent || is_stale && drawn.elapsed() >= QUICK {
            let now = begun.elapsed();
            app.settle(now);
            terminal.draw(|frame| crate::view::draw(app, frame.buffer_mut(), now))?;
            drawn = Instant::now();
            (is_urgent, is_stale) = (false, false);
        }
        let next = drawn + if is_stale { QUICK } else { app.tick(begun.elapsed()) };
        tokio::select! {
            biased; // a signal and a key come before what floods
            exit = &mut stop => return Ok(exit),
            input = input.recv() => {
                let now = begun.elapsed();
                is_urgent = true;
                match input {
                    None => return Ok(Exit::Gone),
                    Some(Input::Resize(size)) => {
                        terminal.autoresize()?;
                        app.resize(size, now);
                    }
                    Some(Input::Key(key)) => match app.key(key, now) {
                        Some(Effect::Quit) => return Ok(Exit::Quit),
                        Some(Effect::Redraw) => terminal.clear()?,
                        None => {}
                    },
                }
            }
            answer = answers.recv() => {
                if let Some((ask, answer)) = answer {
                    app.answer(&ask, answer, begun.elapsed());
                    is_urgent = true;
                }
            }
            Some(first) = news.recv() => {
                take(app, first, begun.elapsed());
                for _ in 0..QUEUE {
                    let Ok(next) = news.try_recv() else { break };
                    take(app, next, begun.elapsed());
                }
                is_stale = true;
            }
            () = sleep_until(next) => is_stale = true,
        }
    }
}

/// Gives news to the program.
fn take(app: &mut App, news: News, now: Duration) {
    match news {
        News::Message(message) => app.apply(message, now),
        News::Unreadable(why) => app.model.cannot_read(why),
        News::Lost(why, pause) => app.model.lose(why, now + pause, now),
    }
}

/// A task that ends with its owner.
struct Aborted(tokio::task::JoinHandle<()>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Prints one screen as text. Returns whether there is a warning on it.
///
/// # Errors
///
/// Returns the error of the console, or of the output.
pub async fn once(app: &mut App, client: Client, out: &mut impl Write) -> Result<bool, OnceError> {
    let begun = Instant::now();
    let mut stream = client.live().await?;
    let mut is_measured = false;
    while !is_measured {
        let told = match tokio::time::timeout_at(begun + MEASURE, stream.next()).await {
            Err(_) if app.model.is_empty() => stream.next().await?, // the snapshot of a large tree takes longer
            Err(_) => break,
            Ok(told) => told?,
        };
        let Some(told) = told else { break };
        for told in told {
            match Message::of(&told.kind, &told.data) {
                Ok(Some(message)) => app.apply(message, begun.elapsed()),
                Ok(None) => {}
                Err(error) => app.model.cannot_read(error.to_string()),
            }
        }
        is_measured = app.model.rate().is_some();
    }
    let now = begun.elapsed();
    if app.model.is_empty() {
        return Err(OnceError::Empty(app.model.unreadable.1.clone()));
    }
    // The height that all rows need, without the line of keys.
    let rows =
        app.rows(now).len() + crate::view::above((app.size.0, u16::MAX)) + crate::view::below((app.size.0, u16::MAX));
    app.size.1 = u16::try_from(rows).unwrap_or(u16::MAX);
    app.settle(now);
    let text = text_of(app, now);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.len().saturating_sub(crate::view::below(app.size));
    for line in &lines[..shown] {
        writeln!(out, "{line}")?;
    }
    let warnings = app.model.warnings(now);
    for warning in &warnings {
        let text = crate::text::clean(&format!("{}: {}", warning.path, warning.text), app.setup.ascii);
        writeln!(out, "{} {text}", if app.setup.ascii { "!" } else { "▲" })?;
    }
    out.flush()?;
    Ok(!warnings.is_empty())
}

/// The error of [`once`].
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// The console does not answer as it should.
    #[error(transparent)]
    Console(#[from] Error),
    /// There was no snapshot.
    #[error("the console has sent no tree that can be read{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Empty(String),
    /// The output cannot be written to.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Draws the screen as text, one line for each row, without spaces at the ends.
pub fn text_of(app: &App, now: Duration) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, app.size.0, app.size.1));
    crate::view::draw(app, &mut buffer, now);
    let mut text = String::new();
    for y in 0..app.size.1 {
        let mut line = String::new();
        let mut skip = 0_usize;
        for x in 0..app.size.0 {
            // A character of two columns hides the cell after it.
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = crate::text::width(symbol).saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The terminal of the user, which is as it was once this is dropped.
#[derive(Debug)]
pub struct Screen {
    /// The terminal.
    pub terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

static IS_OPEN: AtomicBool = AtomicBool::new(false);

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    ///
    /// Returns an error if standard output is no terminal, or cannot be set up.
    pub fn open() -> io::Result<Screen> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other("the output is no terminal; --once prints one screen as text"));
        }
        restore_on_panic();
        IS_OPEN.store(true, Ordering::SeqCst);
        // From here on, `restore` undoes whatever was done.
        let opened = (|| {
            enable_raw_mode()?;
            execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)?;
            // One write for a screen: one packet over ssh.
            Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
        })();
        opened.map(|terminal| Screen { terminal }).inspect_err(|_| restore())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        // Errors: the terminal is gone.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}

/// Gives the terminal back before a panic is printed. The panics of the tree of `--demo` are part of the show.
fn restore_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() == Some(DEMO_THREAD) {
            return;
        }
        let was_open = IS_OPEN.load(Ordering::SeqCst);
        restore();
        before(info);
        if was_open {
            // A panic in a task would leave the rest drawing over the text.
            std::process::exit(101);
        }
    }));
}

/// Reads keys and sizes in a thread of its own.
pub fn input() -> mpsc::UnboundedReceiver<Input> {
    let (tell, input) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = read() {
            let one = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => Input::Key(key),
                Event::Resize(columns, rows) => Input::Resize((columns, rows)),
                _ => continue,
            };
            if tell.send(one).is_err() {
                return;
            }
        }
    });
    input
}

/// Returns the size of the terminal.
pub fn size() -> Option<Size> {
    terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// Waits for a signal that ends a program.
///
/// # Errors
///
/// Returns an error if the signals cannot be caught.
#[cfg(unix)]
pub fn signals() -> io::Result<impl Future<Output = Exit>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate, hangup) = (SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup());
    let mut caught = (signal(interrupt)?, signal(terminate)?, signal(hangup)?);
    Ok(async move {
        let kind = tokio::select! {
            _ = caught.0.recv() => interrupt,
            _ = caught.1.recv() => terminate,
            _ = caught.2.recv() => hangup,
        };
        Exit::Signal(kind.as_raw_value())
    })
}

/// Waits for a signal that ends a program.
///
/// # Errors
///
/// None on this system.
#[cfg(not(unix))]
pub fn signals() -> io::Result<impl Future<Output = Exit>> {
    Ok(async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Signal(2),
            Err(_) => std::future::pending().await, // the key Ctrl-C is read anyway
        }
    })
}
