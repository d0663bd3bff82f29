//! `supervisor!`.

/// Declares supervision trees: structs whose fields are handles of supervised children.
///
/// # A tree
///
/// A tree is a struct with children. Its parameters are in parentheses, its own settings inside the braces, and the
/// settings of a child above the child.
///
/// ```
/// use supervise::prelude::*;
/// # struct Pool(String);
/// # impl Pool { async fn connect(url: String) -> std::io::Result<Pool> { Ok(Pool(url)) } }
/// # impl Clone for Pool { fn clone(&self) -> Self { Pool(self.0.clone()) } }
/// # struct Db(Pool);
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) { let _ = &self.0; } }
/// # struct Cart(ActorRef<Db>);
/// # #[actor]
/// # impl Cart { fn handle(&mut self, _msg: ()) { let _ = &self.0; } }
///
/// supervisor! {
///     /// Keeps the shop's back end alive.
///     pub struct Shop(url: String) {
///         #![strategy(RestForOne, max_restarts = 10, within = 10min)]
///
///         let pool = Pool::connect(url).await?;
///
///         /// The only actor that touches the database.
///         #[lifecycle(Permanent, shutdown = 5s)]
///         #[backoff(3s..30s, random_factor = 0.2)]
///         db: Db = Db(pool),
///
///         cart: Cart = Cart(db),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start("db://localhost".to_owned()).await?;
/// shop.cart.tell(()).await?;
/// shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// The order matters. Children start in this order, each awaited, and stop in reverse order. `RestForOne` restarts the
/// failed child and those after it. The expression after `=` may name the parameters, and the `let`s and children
/// before it.
///
/// # Grammar
///
/// ```text
/// tree      = doc* cfg* ("#" "[" strategy, decider or shutdown "]")* vis "struct" Name generics [ "(" (ident ":" Type),* ")" ] ["where" ..] body
/// generics  = [ "<" (types and constants, with bounds),* ">" ]
/// body      = "{" ("#!" "[" setting "]")* (child "," | let)* [child] "}"
/// let       = cfg* "let" pattern [":" Type] "=" expression ";"
///           | doc* cfg* vis "let" name ":" Type "=" expression ";"      returned by the handle
/// child     = doc* cfg* ("#" "[" setting "]")* [vis] name ":" shape        vis: default the tree's
/// item      = Type | "task" | "remote" Type        Type: an actor or a tree; behind `remote` an actor
/// shape     = item "=" start                               one child
///           | "Option" "<" item ">" "=" start              one or none: start gives an Option
///           | "[" item ";" N "]" "=" |index| start         N children
///           | "[" item "]" "=" |args..| start              any number, spawned through the handle
///           | "[" Key "=>" item "]" "=" |key, args..| start   the same, each found by its key
///           | "struct" Name body                           an inline subtree
/// start     = any expression; `.await` and `?` work in it, and `later(name)` for a child below
/// setting   = name "(" argument,* ")"
/// duration  = a number with ns us ms s min h d, or any expression of type Duration
/// ```
///
/// One call may declare several trees. `#[cfg]` above a
/// child removes the child together with its field, and above a `let` the `let`. A raw identifier is a name without its
/// `r#`.
///
/// # Start expressions
///
/// A start expression is evaluated at every start and restart. Each time it gets its own clone of each parameter, `let`
/// and earlier child that it names. The expression runs in an async block: `.await` works, and `?` works on every error
/// that is `Into<Box<dyn Error + Send + Sync>>`, and on [`Thrown`](crate::Thrown). The error keeps its type, so that a
/// decider can match it. The name of an earlier child is the handle of that child.
///
/// The block is a future that can move to another thread. So a guard, such as the one of a `Mutex` of the standard library
/// or of `watch::Receiver::borrow`, cannot be held over an `.await`. Take the value out in a statement of its own:
/// `db: Db = { let url = config.borrow().url.clone(); Db::open(&url).await? }`.
///
/// The compiler warns of a parameter that nothing names, and of a `cx` that a task does not use. A name that begins with
/// `_` is meant to be unused, as in any function.
///
/// # Shapes
///
/// **One actor**: `name: Type = start`. The handle is an [`ActorRef`](crate::ActorRef).
///
/// **A task**: `name: task = future`. Any future that returns `()`, `!` or `Result<(), E>`. Written as `|cx| future`,
/// the task gets a [`TaskContext`](crate::TaskContext), which signals when the task has to stop; the task then has its
/// `shutdown` time to return. A task without a context is dropped at its next `.await`. The handle is a
/// [`TaskRef`](crate::TaskRef). A task is up when it has been launched: if the future fails at its first poll, the task
/// has failed while running, and its `spawn` was `Ok`. If such a failure should fail the start instead, declare
/// `ready`, see [below](#readiness-drain-and-redelivery).
///
/// ```
/// use supervise::prelude::*;
/// use std::time::Duration;
///
/// async fn heartbeat(every: Duration) -> std::io::Result<()> {
///     loop {
///         tokio::time::sleep(every).await;
///     }
/// }
///
/// async fn serve(cx: TaskContext) {
///     cx.stopped().await; // the signal to stop: finish the current work
/// }
///
/// supervisor! {
///     struct Tasks(every: Duration) {
///         heartbeat: task = heartbeat(every),
///
///         #[lifecycle(Permanent, shutdown = 20s)]
///         server: task = |cx| serve(cx),
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let tasks = Tasks::start(Duration::from_secs(1)).await.unwrap();
/// # assert!(tasks.shutdown().await.is_orderly());
/// # }
/// ```
///
/// **A set**: `name: [Type] = |args..| start`. Any number of children of one kind, spawned through the handle, which is
/// a [`Children`](crate::Children). Write out the types of the closure's arguments. A restart uses the arguments of the
/// spawn, which therefore have to be `Clone`. A set is itself a supervisor: each instance has its own restart budget.
/// Under `lifecycle(Temporary)` an instance is started once, and its arguments are moved into it, so they may be of any
/// type that is `Send`, for example a `TcpStream`.
///
/// ```
/// use supervise::prelude::*;
/// # struct Session(u64, String);
/// # #[actor]
/// # impl Session { fn handle(&mut self, name: Reply<String>) { let _ = self.0; name.send(self.1.clone()) } }
///
/// supervisor! {
///     struct Server(greeting: String) {
///         #[max_children(10_000)]
///         #[max_starting(100)] // the others wait for their turn to start
///         sessions: [Session] = |user: u64| Session(user, greeting),
///
///         #[lifecycle(Temporary)]
///         jobs: [task] = |job: Box<dyn FnOnce() + Send>| async move { job() },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start("hello".to_owned()).await?;
/// let session = server.sessions.spawn(7).await?;
/// assert_eq!(session.ask(|reply| reply).await?, "hello");
/// server.jobs.spawn(Box::new(|| println!("done once"))).await?;
/// # server.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// **A set with keys**: `name: [Key => Type] = |key, args..| start`. A set whose instances are found by a key, which is
/// `Clone + Eq + Hash + Display` and the last part of the path. The handle is a [`Keyed`](crate::Keyed): however many
/// callers ask for one key at once, only one instance is started. The setting `initial` lists the children that a set
/// has from its start on.
///
/// ```
/// use supervise::prelude::*;
/// # struct Room(String, usize);
/// # #[actor]
/// # impl Room { fn handle(&mut self, name: Reply<String>) { let _ = self.1; name.send(self.0.clone()) } }
///
/// supervisor! {
///     struct Chat(seats: usize) {
///         #[initial([("lobby".to_owned(), seats * 10)])]
///         rooms: [String => Room] = |name: String, seats: usize| Room(name, seats),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let chat = Chat::start(8).await?;
/// assert!(chat.rooms.get("lobby").is_some());
/// let rust = chat.rooms.get_or_spawn("rust".to_owned(), 20).await?; // the one that is there, or a new one
/// assert_eq!(rust.path(), "rooms/rust");
/// chat.rooms.stop("rust");
/// # chat.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// **An optional child**: `name: Option<Type> = start`, where the start expression returns an `Option`. The first start
/// decides whether the child exists; the handle is an `Option` as well. A `None` at a later start ends the child.
///
/// **An array**: `name: [Type; N] = |index| start`. N children, started in the order of their index and called
/// `name/0`, `name/1` and so on; each is a member of the tree like any other. The handle is a
/// [`Handles`](crate::Handles), which is used like a slice and is as cheap to clone as a single handle.
///
/// The item of any shape may be `task`. The start expression then returns a future instead of an actor: for an
/// `Option<task>` it is `Some(future)` or `None`, for a `[task]` it is `|args..| future` or, with a context,
/// `|args..| |cx| future`.
///
/// ```
/// use supervise::prelude::*;
/// # struct Audit(String);
/// # #[actor]
/// # impl Audit { fn handle(&mut self, _msg: String) { let _ = &self.0; } }
/// # struct Shard(usize);
/// # #[actor]
/// # impl Shard { fn handle(&mut self, index: Reply<usize>) { index.send(self.0) } }
///
/// async fn flush(cx: TaskContext, shard: ActorRef<Shard>) {
///     cx.stopped().await;
///     let _ = shard.path();
/// }
///
/// async fn import(file: &str) -> std::io::Result<()> {
///     println!("importing {file}");
///     Ok(())
/// }
///
/// supervisor! {
///     struct Store(log: Option<String>) {
///         audit: Option<Audit> = log.clone().map(Audit),
///         replay: Option<task> = log.map(|log| async move { import(&log).await }),
///         shards: [Shard; 4] = |index| Shard(index),
///         flushers: [task; 4] = |index| |cx| flush(cx, shards[index].clone()),
///         imports: [task] = |file: String| import(&file),
///         feeds: [String => task] = |name: String, shard: usize| |cx| {
///             println!("{name} is up");
///             flush(cx, shards[shard].clone())
///         },
///         // A tree may contain itself.
///         replicas: [Store] = |log: Option<String>| Store::tree(log),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Store::start(None).await?;
/// assert!(store.audit.is_none());
/// assert_eq!(store.shards[3].ask(|reply| reply).await?, 3);
/// assert_eq!(store.flushers[0].path(), "flushers/0");
/// assert!(matches!(store.imports.spawn("a.csv".to_owned()).await?.terminated().await?, Ended::Done));
/// assert_eq!(store.feeds.spawn("orders".to_owned(), 2).await?.path(), "feeds/orders");
/// let replica = store.replicas.spawn(Some("log".to_owned())).await?;
/// assert_eq!(replica.shards[0].path(), "replicas/#1/shards/0");
/// # store.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// **An inline subtree**: `name: struct Name { .. }`. A supervisor as a child, with its own settings; none are
/// inherited. Its expressions may name everything that the outer tree may name there.
///
/// **A subtree declared elsewhere**: `name: Tree = Tree::tree(args..)`. The handle of both kinds is the struct of the
/// subtree.
///
/// ```
/// use supervise::prelude::*;
/// # struct Worker(u32);
/// # #[actor]
/// # impl Worker { fn handle(&mut self, _msg: ()) { let _ = self.0; } }
///
/// supervisor! {
///     struct Ingest(first: u32) {
///         reader: Worker = Worker(first),
///     }
///
///     struct App(first: u32) {
///         ingest: Ingest = Ingest::tree(first),
///
///         reports: struct Reports {
///             #![strategy(AllForOne, max_restarts = 3, within = 100ms)]
///             daily: Worker = Worker(first),
///             index: Worker = Worker(first),
///         },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start(1).await?;
/// app.reports.daily.tell(()).await?;
/// assert_eq!(app.ingest.reader.path(), "ingest/reader");
/// # app.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # Generic trees
///
/// A tree may have type parameters and constants, with bounds and a `where` clause: `struct Cache<T: Row, const N:
/// usize>(first: T) where ..`. Their types and the tree's handle are used like those of any generic struct, for example
/// `Cache::<User, 4>::start(user)`. An inline subtree has the parameters of the tree around it: its struct is
/// `Inner<T, N>`. A parameter of the tree that is of type `T` is kept, so it needs `T: Clone + Send`; `'static` is
/// implied. Lifetimes are not possible, since a tree may outlive its caller.
///
/// An argument may contain `dyn`, `&'static` or `Cow<'static, _>`, for example `Cache::<Arc<dyn Clock>, 4>`. One place
/// is left where rustc forgets such a lifetime: the handle struct itself, as a variable of a future that is spawned,
/// or a borrow of it over an `.await` ("higher-ranked lifetime error"). Keep the [`Running`](crate::Running), or the handle
/// of a child, in that variable; or give the argument a name: `#[derive(Clone)] struct AnyClock(Arc<dyn Clock>);`.
///
/// The macro checks less in a generic tree, because only the compiler knows what `T` can be. A forgotten bound is
/// reported at each mention. A `shutdown` time that is too short for children which depend on `T` is found when the
/// tree is used with a type, by `cargo build` and not by `cargo check`.
///
/// ```
/// use supervise::prelude::*;
///
/// trait Row: Clone + Send + 'static {}
/// # #[derive(Clone, Debug, PartialEq)]
/// struct User(u32);
/// impl Row for User {}
///
/// struct Table<T>(Vec<T>);
///
/// #[actor]
/// impl<T: Row> Table<T> {
///     fn handle(&mut self, all: Reply<Vec<T>>) {
///         all.send(self.0.clone());
///     }
/// }
///
/// supervisor! {
///     struct Cache<T: Row, const N: usize>(first: T) {
///         table: Table<T> = Table(vec![first]),
///         copies: [Table<T>; N] = |_index| Table(vec![first]),
///     }
///
///     struct App {
///         users: Cache<User, 2> = Cache::tree(User(1)),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// assert_eq!(app.users.table.ask(|reply| reply).await?, [User(1)]);
/// assert_eq!(app.users.copies[1].path(), "users/copies/1");
/// # app.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # A sibling below
///
/// A child can name only what is above it. `later(sibling)` in a start or a `let` is the handle of an actor or a task that
/// is declared below in the same braces, for two children that need each other. The order of starts does not change.
/// Until the sibling was up for the first time, nothing waits for it: a `tell` that finds room waits in its mailbox, and
/// any other `tell`, and every `ask`, fails at once with `Down`. An optional child, a subtree and a set have no handle
/// before they were up (S47).
///
/// ```
/// use supervise::prelude::*;
///
/// struct Store {
///     index: ActorRef<Index>,
///     lines: Vec<String>,
/// }
///
/// enum Msg {
///     Add(String),
///     Line(usize, Reply<Option<String>>),
/// }
///
/// #[actor]
/// impl Store {
///     async fn handle(&mut self, msg: Msg) -> Result<(), supervise::BoxError> {
///         match msg {
///             Msg::Add(line) => {
///                 self.index.tell(Find::Added(line.len(), self.lines.len())).await?;
///                 self.lines.push(line);
///             }
///             Msg::Line(number, reply) => reply.send(self.lines.get(number).cloned()),
///         }
///         Ok(())
///     }
/// }
///
/// struct Index {
///     store: ActorRef<Store>,
///     by_length: Vec<(usize, usize)>,
/// }
///
/// enum Find {
///     Added(usize, usize),
///     Longest(Reply<Option<String>>),
/// }
///
/// #[actor]
/// impl Index {
///     async fn handle(&mut self, msg: Find) -> Result<(), supervise::BoxError> {
///         match msg {
///             Find::Added(length, number) => self.by_length.push((length, number)),
///             Find::Longest(reply) => {
///                 let longest = self.by_length.iter().max().map_or(0, |(_, number)| *number);
///                 reply.send(self.store.ask(|reply| Msg::Line(longest, reply)).await?);
///             }
///         }
///         Ok(())
///     }
/// }
///
/// supervisor! {
///     struct Archive {
///         store: Store = Store { index: later(index), lines: Vec::new() },
///         index: Index = Index { store, by_length: Vec::new() },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let archive = Archive::start().await?;
/// for line in ["a line", "a longer line", "short"] {
///     archive.store.tell(Msg::Add(line.to_owned())).await?;
/// }
/// # archive.store.ask(|reply| Msg::Line(0, reply)).await?;
/// assert_eq!(archive.index.ask(Find::Longest).await?.as_deref(), Some("a longer line"));
/// # archive.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # `let`
///
/// `let pattern = expression;` among the children is evaluated in declaration order, once for each incarnation of the
/// tree. Later children, `let`s and settings that name the value get a clone. The value survives restarts of the
/// children, and is dropped when the children after it are down. An error returned with `?` fails the start of the
/// tree.
///
/// `pub let name: Type = expression;` also gives the tree's handle a method `name()`, which returns a clone: an address
/// that was bound, a pool, the configuration in use. It returns an `Option`: the value is there while the tree keeps
/// it, so `None` means that the tree has ended, or is down for a restart. After a restart, a handle from before returns
/// the new value. The documentation above the `pub let` becomes that of the method. The type must be written, and must
/// be `Clone`; the name must not be that of a method which every handle has, such as `path`.
///
/// ```
/// use std::net::SocketAddr;
/// use std::sync::Arc;
/// use supervise::prelude::*;
/// use tokio::net::TcpListener;
///
/// async fn serve(cx: TaskContext, listener: Arc<TcpListener>) -> std::io::Result<()> {
///     tokio::select! {
///         _ = cx.stopped() => Ok(()),
///         accepted = listener.accept() => accepted.map(|_| ()),
///     }
/// }
///
/// supervisor! {
///     struct Server {
///         let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await?);
///         /// The address of the server, whose port the system has chosen.
///         pub let addr: SocketAddr = listener.local_addr()?;
///         #[lifecycle(Permanent)]
///         serve: task = |cx| serve(cx, listener),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start().await?;
/// assert_ne!(server.addr().ok_or("down")?.port(), 0);
///
/// let handle = server.handle();
/// server.shutdown().await;
/// assert_eq!(handle.addr(), None);
/// # Ok(())
/// # }
/// ```
///
#[cfg_attr(not(doctest), doc = include_str!("../links.md"))]
#[doc = include_str!("../../docs/settings.md")]
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db {
/// #     fn handle(&mut self, _msg: ()) -> Result<(), DbError> { Ok(()) }
/// #     async fn dump(&mut self, _failure: &Failure) {}
/// #     async fn reload(&mut self) -> Result<(), DbError> { Ok(()) }
/// # }
/// # #[derive(Debug)]
/// # enum DbError { Timeout { ms: u64 }, Corrupt }
/// # impl std::fmt::Display for DbError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
/// #         match self { DbError::Timeout { ms } => write!(f, "after {ms} ms"), DbError::Corrupt => f.write_str("corrupt") }
/// #     }
/// # }
/// # impl std::error::Error for DbError {}
///
/// supervisor! {
///     struct Shop(most: u32) {
///         #![strategy(OneForOne, max_restarts = most, within = 10min, on_limit = Escalate)]
///         #![decider(
///             DbError::Timeout { ms } if *ms < 100 => Resume,
///             DbError::Timeout { .. } => Restart,
///             DbError::Corrupt => Escalate,
///             e: std::io::Error if e.kind() == std::io::ErrorKind::PermissionDenied => Stop,
///             Cause::Killed => Stop,
///             _ => Restart,
///         )]
///
///         #[lifecycle(Permanent, shutdown = 5s)]
///         #[backoff(3s..30s, factor = 2, random_factor = 0.2, reset = 1min)]
///         #[pre_restart(Db::dump)]
///         #[post_restart(Db::reload)]
///         #[mailbox(Bounded(100), ask = 500ms)]
///         db: Db = Db,
///
///         #[backoff([2s, 5s, 10s], random_factor = 0)] // then 10 s again and again
///         archive: Db = Db,
///
///         #[backoff(Backoff::slotted(10ms).ceiling(10).stay_at_ceiling())]
///         #[limit(max_restarts = Unlimited)]
///         mirror: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # Shop::start(10).await.unwrap().shutdown().await;
/// # }
/// ```
///
/// # Readiness, drain and redelivery
///
/// The children after a task with `ready` start only when the task has called
/// [`cx.ready()`](crate::TaskContext::ready). `start` limits how long that, or any start, may take. With `drain` a stop
/// first handles the queued messages, and finishes the futures of `cx.run`. `handler` limits how long an actor may take
/// for each message. `while_down(Reject)` returns messages at once while their actor is down. `redeliver` handles a message again if its actor failed with it, with the same
/// `Reply`. When a `significant` child has ended by itself, the whole tree ends; above a set, when the last of its
/// children has.
///
/// ```
/// use supervise::prelude::*;
///
/// #[derive(Clone)]
/// enum Work { Convert(u32, Reply<String>) }
///
/// struct Converter(u32);
/// #[actor]
/// impl Converter {
///     fn handle(&mut self, work: Work) -> Result<(), std::fmt::Error> {
///         let Work::Convert(number, reply) = work;
///         self.0 += 1;
///         if self.0 == 1 { return Err(std::fmt::Error) } // fails at its first message
///         reply.send(format!("{number:x}"));
///         Ok(())
///     }
/// }
///
/// async fn listen(cx: TaskContext) -> std::io::Result<()> {
///     let _listener = std::net::TcpListener::bind("127.0.0.1:0")?;
///     cx.ready(); // only now the next child is started
///     cx.stopped().await;
///     Ok(())
/// }
///
/// supervisor! {
///     struct Press(tries: std::sync::Arc<std::sync::atomic::AtomicU32>) {
///         #[lifecycle(Permanent, ready, start = 10s, shutdown = 20s)]
///         listener: task = |cx| listen(cx),
///
///         #[lifecycle(Permanent, start = 5s, handler = 30s, drain)]
///         #[while_down(Reject)]
///         #[redeliver(attempts = 3)]
///         converter: Converter = Converter(tries.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
///
///         #[lifecycle(Transient, significant)]
///         job: task = async { tokio::time::sleep(std::time::Duration::from_millis(20)).await },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let press = Press::start(Default::default()).await?;
/// let hex = press.converter.ask(|reply| Work::Convert(255, reply)).await?;
/// assert_eq!(hex, "ff"); // by the second incarnation
/// assert_eq!(press.converter.incarnation(), 2);
/// assert!(press.join().await.is_orderly()); // the job is done, and with it the tree
/// # Ok(())
/// # }
/// ```
///
/// # Another runtime
///
/// `runtime` lets a child run on another tokio runtime, together with its own children unless they say otherwise. If that
/// runtime goes, the child has ended with [`Ended::RuntimeGone`](crate::Ended::RuntimeGone), and is not started again.
///
/// ```
/// use supervise::prelude::*;
/// use tokio::runtime::{Builder, Handle};
///
/// struct Encoder;
/// #[actor]
/// impl Encoder {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(std::thread::current().name().unwrap_or_default().to_owned()); // long calculations
///     }
/// }
///
/// supervisor! {
///     struct Studio(heavy: Handle) {
///         #[runtime(heavy)]
///         encoder: Encoder = Encoder,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let heavy = Builder::new_multi_thread().worker_threads(1).thread_name("heavy").enable_all().build()?;
/// let studio = Studio::start(heavy.handle().clone()).await?;
/// assert_eq!(studio.encoder.ask(|reply| reply).await?, "heavy");
/// studio.shutdown().await;
/// heavy.shutdown_background();
/// # Ok(())
/// # }
/// ```
///
/// # Remote children
///
/// `remote T` is an actor on another machine, in every shape: `remote T`, `Option<remote T>`, `[remote T; N]`,
/// `[remote T]` and `[Key => remote T]`. The process that starts the tree owns it and decides about each failure; other
/// processes of the same program are nodes, and run such children for it. `#[on(role)]` says on which. The crate
/// `supervise-remote` has what owner and nodes need. The handle is a `RemoteRef<T>`, also where a sibling names it.
///
/// * `on("worker")` is the role of the nodes. The owner picks one of them at each start.
/// * `lease = D` is how long a node may run the child without having been heard of. After that, and the child's
///   `shutdown`, nothing of it acts any more. At least 100 ms, by default 5 s.
/// * `overlap = Allowed` starts a replacement at once. The default, `Forbidden`, waits until the lost child cannot act
///   any more; it needs a `shutdown` that is not `Infinity`.
/// * `spread = OnePerNode` keeps the instances of one declaration apart, by default `Any`.
/// * `window = N` is how many messages may be sent to the node and not begun, by default 256.
///
/// Inside the braces, `#![on(..)]` gives these to all remote children of the tree.
///
/// The start expression is evaluated on the node. Each value that it names crosses to there, and crosses **whole**:
/// `config.rates` takes all of `config` along. So cut out what is needed by a `let`, and write its type, which the node
/// has to know. Values that cross are `Serialize` and `DeserializeOwned`, and so are the messages. A sibling that is an
/// actor arrives as its `RemoteRef`. Tasks, sets, subtrees and `tree` do not cross.
///
/// `start`, `shutdown`, `handler`, `drain`, `pre_restart` and `post_restart` hold on the node, all other settings at the
/// owner. The values of `on`, and these times, are literals or constants. Whether there is an `Option<remote T>`, the
/// owner decides: only the inside of `Some(..)` is evaluated on the node.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use supervise::policy::{Overlap, Spread};
/// use supervise::prelude::*;
/// use supervise_remote::RemoteRef;
/// # struct Db;
/// # #[derive(Serialize, Deserialize)]
/// # struct Query;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: Query) {} }
///
/// #[derive(Clone)]
/// struct Config {
///     rates: Vec<u32>,
///     password: String, // stays here
/// }
///
/// #[derive(Serialize, Deserialize)]
/// enum PricingMsg {
///     Reload,
/// }
///
/// struct Pricing {
///     rates: Vec<u32>,
///     db: RemoteRef<Db>,
/// }
///
/// #[actor]
/// impl Pricing {
///     fn handle(&mut self, msg: PricingMsg) {
///         match msg {
///             PricingMsg::Reload => self.rates.clear(),
///         }
/// #       let _ = &self.db;
///     }
/// }
///
/// supervisor! {
///     struct Shop(config: Config) {
///         #![on("worker", lease = 2s)]
///
///         let rates: Vec<u32> = config.rates.clone();
///         db: Db = Db,
///
///         #[backoff(1s..30s)]
///         pricing: remote Pricing = Pricing { rates, db },
///
///         #[on("edge", spread = OnePerNode, overlap = Allowed)]
///         shards: [remote Pricing; 4] = |_index| Pricing { rates, db },
///     }
/// }
///
/// let [_, pricing, shards] = Shop::SPEC.children else { panic!("three") };
/// let (pricing, shards) = (pricing.remote.unwrap(), shards.remote.unwrap());
/// assert_eq!((pricing.role, pricing.lease.as_secs(), pricing.overlap), ("worker", 2, Overlap::Forbidden));
/// assert_eq!((shards.role, shards.lease.as_secs(), shards.spread), ("edge", 2, Spread::OnePerNode));
/// # let _ = (|config: &Config| config.password.len(), |msg: PricingMsg| matches!(msg, PricingMsg::Reload));
/// # let _ = PricingMsg::Reload;
/// ```
///
/// # One of several replicas
///
/// `only_with` lets a subtree run only while this process holds a lease, a [`Lease`](crate::Lease). Of several replicas of a
/// service, one has the subtree, and the others stand by. The boot of the tree around it goes on in any case, and losing the
/// lease takes the subtree down in order and is no failure. The handle is a [`Leased`](crate::lease::Leased): it is there
/// whether or not the subtree is. [`Tree::only_with`](crate::lease::RunsUnder::only_with) does the same for a whole tree (S55).
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::MemoryLease; // the crate `supervise-lease` has others
///
/// struct Invoices;
/// #[actor]
/// impl Invoices {
///     fn handle(&mut self, reply: Reply<&'static str>) {
///         reply.send("written once");
///     }
/// }
///
/// supervisor! {
///     struct Nightly {
///         invoices: Invoices = Invoices,
///     }
/// }
///
/// supervisor! {
///     struct Shop(lease: MemoryLease) {
///         #[only_with(lease)]
///         nightly: Nightly = Nightly::tree(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let lease = MemoryLease::new("nightly");
/// let (one, two) = (Shop::start(lease.clone()).await?, Shop::start(lease).await?);
/// let nightly = one.nightly.held().await.expect("the tree lives");
/// assert_eq!(nightly.invoices.ask(|reply| reply).await?, "written once");
/// assert!(two.nightly.here().is_none());
/// # Ok(())
/// # }
/// ```
///
/// # Requested stops and restarts
///
/// Every handle has `stop()` and `kill()`, and the following methods, which return a
/// [`CommandError`](crate::error::CommandError) at once if the command is refused:
///
/// * `restart()` restarts this child alone, whatever the strategy, and does not count against its budget;
/// * `start_again()` starts a declared child that has ended; if that start fails, no sibling is affected;
/// * [`drain()`](crate::ActorRef::drain) stops an actor after the messages that are already queued and the futures that
///   are already running.
///
/// A subtree has the first two methods on its handle, a set has them on `shop.sessions.tree()`.
///
/// ```
/// use supervise::error::CommandError;
/// use supervise::prelude::*;
/// # struct Cache(Vec<u32>);
/// # #[actor]
/// # impl Cache { fn handle(&mut self, msg: u32) { self.0.push(msg) } }
///
/// supervisor! {
///     struct App {
///         cache: Cache = Cache(Vec::new()),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// app.cache.restart()?; // its messages and its handle stay
/// assert!(matches!(app.cache.start_again(), Err(CommandError::NotEnded { .. })));
/// assert!(matches!(app.restart(), Err(CommandError::NotDeclared { .. })), "a root");
/// # app.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # Generated items
///
/// For `Shop` the macro generates a struct `Shop` with a field for the handle of each child. The struct is `Clone +
/// Debug + Send + Sync` and keeps nothing alive. It derefs to [`TreeRef`](crate::TreeRef), which stops the whole tree
/// and shows what happens in it. The documentation of the struct shows a drawing of the tree. The macro also generates:
///
/// * `Shop::start(params..)` starts the tree and returns the guard [`Running<Shop>`](crate::Running). If a child cannot
///   be started, the children that were up are stopped again, and the failure is returned.
/// * `Shop::run(params.., until)` starts the tree, waits for the future `until` or the tree's own end, shuts down, and
///   returns the [`Report`](crate::inspect::Report), which converts to an exit code. With the feature `signal`,
///   `supervise::signal()` is an `until` that waits for SIGINT or SIGTERM; a second signal aborts the shutdown. So a
///   whole `main` is:
///
///   ```
///   # use supervise::prelude::*;
///   # async fn serve() {}
///   # supervisor! { struct Shop { serve: task = serve() } }
///   #[tokio::main]
///   async fn main() -> Result<supervise::inspect::Report, Failure> {
///       # #[cfg(any())]
///       Shop::run(supervise::signal()).await
///       # ; Shop::run(std::future::ready(())).await
///   }
///   ```
/// * `Shop::tree(params..)` is the tree before its start: a [`Tree`](crate::Tree). Use it to set a seed, to subscribe
///   to the events, or as the child of another tree.
/// * For each `pub let`, the handle has a method of its name.
/// * `Shop::SPEC` is the declaration as a constant: a [`TreeSpec`](crate::spec::TreeSpec).
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(AllForOne)]
///         #[backoff(3s..30s)]
///         db: Db = Db,
///         mirror: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// println!("{}", Shop::SPEC.render());
///
/// let mut tree = Shop::tree().seed(42); // the same random delays again
/// let mut starts = tree.events();
/// let shop: Running<Shop> = tree.start().await?;
/// assert_eq!(starts.next().await.unwrap().path, "db");
///
/// let handle: Shop = shop.handle(); // can go anywhere, for example into an axum `State`
/// handle.stop();
/// assert!(shop.join().await.is_orderly());
/// # Ok(())
/// # }
/// ```
///
/// # Observing a tree
///
/// A handle shows what the tree is doing without waiting for any of its children:
/// [`snapshot`](crate::inspect::Inspect::snapshot) has every node with its state, incarnation, restarts, mailbox and last
/// failure; [`health`](crate::inspect::Inspect::health) says whether the tree is healthy, and otherwise which nodes are not, and
/// why; [`events`](crate::TreeRef::events) is a stream of all changes. Declaration and snapshot can be drawn as text,
/// Mermaid and Graphviz. [`SPEC.shutdown_budget()`](crate::spec::TreeSpec::shutdown_budget) is the longest time that an
/// orderly stop can take.
///
/// # Defaults for all children
///
/// `lifecycle`, `backoff`, `mailbox` and `on` inside the braces, as `#![..]`, are defaults of all children of the tree. What
/// stands above a child goes first, argument by argument. A child passes over what it cannot take, such as a task the
/// mailbox. A default backoff says how long restarts wait, and nothing else: the restart limit stays, and a failed first
/// start is not tried again because of it (S45).
///
/// ```
/// use supervise::prelude::*;
/// use std::time::Duration;
/// # struct Client;
/// # #[actor]
/// # impl Client { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Clients(patience: Duration) {
///         #![lifecycle(shutdown = 2s)]
///         #![backoff(1s..1min)]
///         #![mailbox(Bounded(64), ask = patience)]
///         weather: Client = Client,
///         prices: Client = Client,
///         #[mailbox(Unbounded)]
///         #[while_down(Reject)]
///         news: Client = Client, // an `ask` waits `patience` here, too
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(Clients::SPEC.shutdown_budget(), Some(Duration::from_secs(6)));
/// # assert!(Clients::start(Duration::from_secs(1)).await.unwrap().shutdown().await.is_orderly());
/// # }
/// ```
///
/// # The end of a tree
///
/// Children stop one after the other, in reverse order, each within its own time. `#![shutdown(D)]` gives the tree a time
/// in which every end is through, whatever its children declare: a stop, a failure, the roll-back of a start. What is
/// still up after it is aborted and reported. `#![shutdown(Together)]` lets the children go down at the same time
/// instead, for children that do not need each other to finish (S44).
///
/// ```
/// use supervise::prelude::*;
/// use std::time::Duration;
/// # struct Consumer;
/// # #[actor]
/// # impl Consumer { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Ingest {
///         #![shutdown(10s, Together)]
///         #[lifecycle(Permanent, drain, shutdown = 1min)]
///         consumers: [Consumer; 8] = |_partition| Consumer,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// // All of them drain at the same time, and after 10 s nothing is up.
/// assert_eq!(Ingest::SPEC.shutdown_budget(), Some(Duration::from_secs(10)));
/// # assert!(Ingest::start().await.unwrap().shutdown().await.is_orderly());
/// # }
/// ```
///
/// Inside a tree the name `tree` is the tree's own [`TreeRef`](crate::TreeRef). A status server that is declared first
/// starts before all other children and stops after them:
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// struct Status(TreeRef);
///
/// #[actor]
/// impl Status {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(format!("{}\n{}", self.0.health(), self.0.snapshot().render()));
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         status: Status = Status(tree.clone()),
///         #[lifecycle(Permanent, shutdown = 2s)]
///         db: Db = Db,
///     }
/// }
///
/// // The service manager kills the shop 10 s after the request to stop.
/// const _: () = assert!(matches!(Shop::SPEC.shutdown_budget(), Some(time) if time.as_secs() < 10));
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert!(shop.status.ask(|reply| reply).await?.starts_with("healthy\nShop  tree  running"));
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # Mistakes that do not compile
///
/// Among others: a setting that is unknown, misplaced, given twice or without effect; a child that names a later one;
/// two children with the same name; a range, limit or mailbox that contradicts itself; a tree's decider that misses a
/// variant of an enum that it names; a child type that is neither an actor nor a tree; a value that a remote child names
/// and that cannot be sent to its node. The errors point at the tokens
/// that cause them; [`errors`](crate::errors) shows each of them.
#[macro_export]
macro_rules! supervisor {
    ($($tokens:tt)*) => { $crate::expansion::supervisor! { @[$crate]; $($tokens)* } };
}
