//! The whole program against a real console: the loop, the client and a screen that the test reads.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, TestBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Size};
use supervise::prelude::*;
use supervise_console::Address;
use supervise_top::app::App;
use supervise_top::client::{Client, Error, Secret};
use supervise_top::demo::Demo;
use supervise_top::shell::{self, Exit, Input};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::common::setup;

const LOOK: &str = "8f1c0a7be2d94f63";
const CONTROL: &str = "f3a9115e0c7d2b48";

/// The time in which everything has to happen, on a busy machine.
const BOUND: Duration = Duration::from_secs(30);

struct Db;

enum Query {
    Works,
    Fails,
    Sleeps,
}

#[derive(Debug, thiserror::Error)]
#[error("no connection\u{1b}[2J to the database")]
struct Refused;

#[actor]
impl Db {
    async fn handle(&mut self, query: Query) -> Result<(), Refused> {
        match query {
            Query::Works => Ok(()),
            Query::Fails => Err(Refused),
            Query::Sleeps => {
                sleep(BOUND).await;
                Ok(())
            }
        }
    }
}

struct Session;

#[actor]
impl Session {
    fn handle(&mut self, _click: ()) {}
}

supervisor! {
    struct Shop(address: Address, tokens: bool) {
        #[lifecycle(Permanent, ready, shutdown = 1s)]
        console: task = |cx| console(cx, address.clone(), tokens, tree.clone()),

        #[lifecycle(Permanent, shutdown = 100ms)]
        #[backoff(1min..2min, random_factor = 0)]
        #[decider(_ => Restart)]
        db: Db = Db,

        #[lifecycle(Permanent, shutdown = 100ms)]
        cart: Db = Db,

        #[lifecycle(Permanent, shutdown = 100ms)]
        #[limit(max_restarts = 5000, within = 1min)]
        noisy: Db = Db,

        reports: struct Reports {
            daily: Db = Db,
        },

        sessions: [u32 => Session] = |_number: u32| Session,
    }
}

async fn console(
    cx: TaskContext,
    address: Address,
    tokens: bool,
    tree: TreeRef,
) -> Result<(), supervise_console::Error> {
    let mut console = supervise_console::serve(cx, address, tree);
    if tokens {
        console = console.token(LOOK).allow_control(CONTROL);
    }
    console.await
}

/// A path for a socket, removed with it.
struct Socket(PathBuf);

impl Socket {
    fn new() -> Socket {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Socket(std::env::temp_dir().join(format!("supervise-top-{}-{number}.sock", std::process::id())))
    }

    fn address(&self) -> Address {
        Address::Unix(self.0.clone())
    }

    fn client(&self, look: Option<&str>, control: Option<&str>) -> Client {
        let secret = |token: Option<&str>| token.map(|token| Secret::new(token).unwrap());
        Client::new(self.address().to_string().parse().unwrap(), secret(look), secret(control))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0); // an error: the console has removed it
    }
}

/// A terminal that the test reads while the program draws on it.
#[derive(Clone)]
struct Shown {
    backend: Arc<Mutex<TestBackend>>,
    /// The number of drawings.
    drawn: Arc<AtomicU32>,
}

impl Shown {
    fn with<T>(&self, f: impl FnOnce(&mut TestBackend) -> T) -> T {
        f(&mut self.backend.lock().unwrap())
    }

    fn text(&self) -> String {
        self.with(|backend| backend.to_string())
    }
}

impl Backend for Shown {
    type Error = Infallible;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<(), Infallible> {
        self.drawn.fetch_add(1, Ordering::Relaxed);
        self.with(|backend| backend.draw(content))
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.with(|backend| backend.hide_cursor())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        self.with(|backend| backend.show_cursor())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        self.with(|backend| backend.get_cursor_position())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.with(|backend| backend.set_cursor_position(position))
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        self.with(|backend| backend.clear())
    }

    fn clear_region(&mut self, kind: ClearType) -> Result<(), Infallible> {
        self.with(|backend| backend.clear_region(kind))
    }

    fn size(&self) -> Result<Size, Infallible> {
        self.with(|backend| backend.size())
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        self.with(|backend| backend.window_size())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        self.with(Backend::flush)
    }
}

/// The program, running in a task.
struct Top {
    shown: Shown,
    keys: mpsc::UnboundedSender<Input>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Exit>,
}

impl Top {
    fn start(client: Client) -> Top {
        let backend = Arc::new(Mutex::new(TestBackend::new(160, 24)));
        let shown = Shown { backend, drawn: Arc::default() };
        let (keys, input) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let mut terminal = Terminal::new(shown.clone()).unwrap();
        let mut app = App::new(setup(), (160, 24));
        let running = tokio::spawn(async move {
            let stop = async {
                _ = stopped.await;
                Exit::Signal(15)
            };
            shell::run(&mut terminal, &mut app, client, input, stop).await.unwrap()
        });
        Top { shown, keys, stop: Some(stop), running }
    }

    fn press(&self, keys: &str) {
        for letter in keys.chars() {
            let code = match letter {
                '\n' => KeyCode::Enter,
                '\u{1b}' => KeyCode::Esc,
                letter => KeyCode::Char(letter),
            };
            self.keys.send(Input::Key(KeyEvent::new(code, KeyModifiers::NONE))).unwrap();
        }
    }

    /// Waits until the screen is so.
    async fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let text = self.shown.text();
            if is_so(&text) {
                return text;
            }
            assert!(begun.elapsed() < BOUND, "not shown: {what}\n{text}");
            assert!(!self.running.is_finished(), "the program has ended");
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn shows(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text)).await
    }

    /// Waits until a row with this path is so.
    async fn row(&self, name: &str, words: &[&str]) {
        self.until(&format!("{name}: {words:?}"), |screen| {
            let row =
                screen.lines().find(|line| line.contains(&format!(" {name} ")) && line.contains(['├', '└', '▾', '▸']));
            row.is_some_and(|row| words.iter().all(|word| row.contains(word)))
        })
        .await;
    }

    async fn end(mut self) -> Exit {
        self.stop.take();
        timeout(BOUND, self.running).await.expect("it ends").unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_is_seen_live() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let top = Top::start(socket.client(None, None));
    top.shows("● live").await;
    top.row("cart", &["running", "#1", "0/10"]).await;
    for _ in 0..20 {
        shop.cart.tell(Query::Works).await.unwrap();
    }
    shop.cart.tell(Query::Fails).await.unwrap();
    top.row("cart", &["running", "#2", "1/10", "last: no connection\\u{1b}[2J to the "]).await;
    // Messages are observed while somebody looks on.
    shop.cart.tell(Query::Sleeps).await.unwrap();
    shop.cart.tell(Query::Works).await.unwrap();
    top.row("cart", &["busy", "1/1024"]).await;

    shop.db.tell(Query::Fails).await.unwrap();
    top.row("db", &["retry", "s "]).await;
    top.shows("▲ db: backing off").await;
    // The detail, with the arm that has answered.
    top.press("jji");
    top.shows("_ => Restart").await;
    top.shows("supervise-top/tests/top/live.rs").await;
    top.press("q");
    assert_eq!(timeout(BOUND, top.running).await.unwrap().unwrap(), Exit::Quit);
    shop.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_the_program() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let top = Top::start(socket.client(None, None));
    top.shows("● live").await;
    assert_eq!(top.end().await, Exit::Signal(15));
    shop.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn control_is_accepted_and_refused() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), true).await.unwrap();
    let mut events = shop.events();
    let top = Top::start(socket.client(Some(LOOK), Some(CONTROL)));
    top.row("cart", &["running"]).await;
    top.press("/cart\njj");
    top.press("a");
    top.shows("as kim").await;
    top.press("sy");
    top.shows("stop: cart: accepted").await;
    top.row("cart", &["ended", "stopped"]).await;
    let requested = timeout(BOUND, async {
        loop {
            let event = events.next().await.unwrap();
            if let supervise::event::EventKind::Requested { by, .. } = event.kind {
                return (event.path, by);
            }
        }
    });
    assert_eq!(requested.await.unwrap(), ("cart".to_owned(), "kim".to_owned()));

    // A child that has ended cannot be restarted; it can be started again.
    top.press("ary");
    top.until("the refusal", |screen| screen.contains("restart: cart: ") && !screen.contains("accepted")).await;
    top.press("aay");
    top.shows("start again: cart: accepted").await;
    top.row("cart", &["running", "#2"]).await;
    assert_eq!(top.end().await, Exit::Signal(15));

    // With the wrong token.
    let top = Top::start(socket.client(Some(LOOK), Some("0000000000000000")));
    top.row("cart", &["running", "#2"]).await;
    top.press("/cart\njjasy");
    top.shows("this is not the token for control; give it with --control-token-file").await;
    top.row("cart", &["running", "#2"]).await;
    top.end().await;
    shop.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_needed_to_look() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), true).await.unwrap();
    for (look, control, may) in [
        (None, None, false),
        (Some("0000000000000000"), None, false),
        (Some(LOOK), None, true),
        (None, Some(CONTROL), true),
    ] {
        let client = socket.client(look, control);
        let info = client.info().await.unwrap();
        assert!(info.needs_token && info.control && info.name == "Shop", "needs no token: {info:?}");
        match client.live().await {
            Ok(_) => assert!(may),
            Err(error @ Error::Token { .. }) => {
                assert!(!may);
                let text = format!("{error} {error:?} {client:?}");
                assert!(text.contains("--token-file"), "{text}");
                assert!(look.is_none_or(|token| !text.contains(token)), "{text}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    shop.shutdown().await;
}

/// A way to a console that can be cut, as a network is.
struct Bridge {
    port: u16,
    open: watch::Sender<bool>,
    _carrying: JoinHandle<()>,
}

impl Bridge {
    async fn to(socket: PathBuf) -> Bridge {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = watch::Sender::new(true);
        let mut opened = open.subscribe();
        let carrying = tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                if !*opened.borrow_and_update() {
                    continue; // closed at once
                }
                let (socket, mut opened) = (socket.clone(), opened.clone());
                tokio::spawn(async move {
                    let Ok(mut far) = UnixStream::connect(&socket).await else { return };
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        _ = opened.wait_for(|open| !*open) => {}
                    }
                });
            }
        });
        Bridge { port, open, _carrying: carrying }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_console_that_goes_away_comes_back() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let bridge = Bridge::to(socket.0.clone()).await;
    let top = Top::start(Client::new(format!("127.0.0.1:{}", bridge.port).parse().unwrap(), None, None));
    top.shows("● live").await;

    bridge.open.send_replace(false);
    let away = top.shows("away, shown as it was").await;
    assert!(away.contains("next try in") && away.contains("cart"), "what was known is still shown: {away}");
    // The pause before the next try grows.
    top.shows("next try in 2 s").await;
    shop.cart.tell(Query::Fails).await.unwrap();
    bridge.open.send_replace(true);
    top.shows("● live").await;
    top.row("cart", &["#2"]).await;
    top.end().await;
    shop.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_ends_and_starts_again_is_shown_again() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let top = Top::start(socket.client(None, None));
    shop.cart.tell(Query::Fails).await.unwrap();
    top.row("cart", &["#2"]).await;
    shop.shutdown().await;
    top.shows("the tree has ended").await;
    let shop = Shop::start(socket.address(), false).await.unwrap();
    top.shows("● live").await;
    top.row("cart", &["#1"]).await;
    top.end().await;
    shop.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_of_a_hundred_thousand_is_usable() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    for number in 0..100_000 {
        shop.sessions.spawn(number).await.unwrap();
    }
    let top = Top::start(socket.client(None, None));
    top.shows("100000 in sets").await;
    top.row("sessions", &["100000 running"]).await;
    top.press("G\n");
    top.shows("sessions  1 to 18 of 100000").await;
    top.press("G");
    top.shows("99991 to 100000 of 100000").await;
    top.press("/4242\n");
    let filtered = top.until("the filter", |screen| screen.contains("that match, 100000 in all")).await;
    assert!(filtered.contains(" 42420 ") || filtered.contains(" 4242 "), "{filtered}");
    top.press("i");
    top.shows("Declared").await;
    top.press("\u{1b}\u{1b}");
    top.row("sessions", &["100000 running"]).await;
    top.end().await;
    shop.shutdown().await;
}

/// An idle tree costs nothing to show but a drawing a second, which writes only what has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screen_is_drawn_four_times_a_second_at_most() {
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let top = Top::start(socket.client(None, None));
    top.shows("● live").await;
    let flood = tokio::spawn({
        let noisy = shop.noisy.clone();
        async move {
            // Each of them is some events, and a change of the tree.
            loop {
                let _ = noisy.try_tell(Query::Fails);
                sleep(Duration::from_millis(2)).await;
            }
        }
    });
    let (before, begun) = (top.shown.drawn.load(Ordering::Relaxed), Instant::now());
    sleep(Duration::from_secs(3)).await;
    let drawn = top.shown.drawn.load(Ordering::Relaxed) - before;
    let most = begun.elapsed().as_millis() / 250 + 2;
    assert!((3..=most).contains(&u128::from(drawn)), "{drawn} drawings in {:?}", begun.elapsed());
    flood.abort();
    top.end().await;
    shop.shutdown().await;
}

/// The own tree of `--demo` shows what it is there for, and stops when it is dropped.
#[test]
fn the_demo_is_lively() {
    let demo = Demo::start().unwrap();
    let client = Client::new(demo.address.parse().unwrap(), Some(demo.look.clone()), Some(demo.control.clone()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let top = Top::start(client.clone());
        top.row("sundial", &["ended", "killed"]).await;
        top.row("customers", &["running"]).await;
        top.row("flour", &["retry", "no flour has come today"]).await;
        top.shows("in a circle: ").await;
        top.row("oven", &["busy"]).await;
        top.row("oven", &["slow"]).await;
        top.end().await;
    });
    drop(demo);
    let gone = runtime.block_on(client.info());
    assert!(matches!(gone, Err(Error::Connect { .. })), "{gone:?}");
}

/// The state after the deltas is the one that the console would tell.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tree_that_is_shown_is_the_tree() {
    use supervise_top::model::Model;
    use supervise_top::wire::Message;
    let socket = Socket::new();
    let shop = Shop::start(socket.address(), false).await.unwrap();
    let client = socket.client(None, None);
    let mut stream = client.live().await.unwrap();
    let mut model = Model::default();
    shop.cart.tell(Query::Fails).await.unwrap();
    shop.db.tell(Query::Fails).await.unwrap();
    let begun = Instant::now();
    while model.get("db").is_none_or(|db| db.node.until_ms.is_none())
        || model.get("cart").is_none_or(|cart| cart.node.incarnation != 2)
    {
        assert!(begun.elapsed() < BOUND);
        for told in stream.next().await.unwrap().unwrap() {
            if let Some(message) = Message::of(&told.kind, &told.data).unwrap() {
                model.apply(message, begun.elapsed());
            }
        }
    }
    let mut whole = Model::default();
    whole.apply(Message::tree(&client.get("tree.json").await.unwrap()).unwrap(), Duration::ZERO);
    assert_eq!(model.paths(), whole.paths());
    for path in whole.paths() {
        let (shown, is) = (&model.get(path).unwrap().node, &whole.get(path).unwrap().node);
        assert_eq!(
            (&shown.state, shown.incarnation, &shown.last_failure),
            (&is.state, is.incarnation, &is.last_failure),
            "{path}"
        );
    }
    shop.shutdown().await;
}

/// Writes the recording for the tests of the model: `cargo test -p supervise-top --test top -- --ignored record`.
#[test]
#[ignore = "writes a file"]
fn record() {
    let demo = Demo::start().unwrap();
    let client = Client::new(demo.address.parse().unwrap(), Some(demo.look.clone()), None);
    let seq = |data: &str| serde_json::from_str::<serde_json::Value>(data).unwrap()["seq"].as_u64();
    let text = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut stream = client.live().await.unwrap();
        let begun = Instant::now();
        let mut all = Vec::new();
        while begun.elapsed() < Duration::from_secs(10) {
            all.extend(stream.next().await.unwrap().unwrap());
        }
        let last = client.live().await.unwrap().next().await.unwrap().unwrap().remove(0);
        let until = seq(&last.data).unwrap();
        while all.iter().filter_map(|told| seq(&told.data)).max().unwrap() < until {
            all.extend(stream.next().await.unwrap().unwrap());
        }
        all.retain(|told| seq(&told.data).is_none_or(|seq| seq <= until));
        all.push(last);
        all.iter().map(|told| format!("event: {}\ndata: {}\n\n", told.kind, told.data)).collect::<String>()
    });
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/bakery.sse"), text).unwrap();
}
