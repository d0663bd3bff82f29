//! The macros with their documentation, which needs the whole crate for its examples.

/// Declares supervision trees: structs whose fields are handles of supervised children.
///
/// # A tree
///
/// A tree is a struct with children. Its parameters stand in parentheses, its own settings inside the
/// braces, those of a child above the child.
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
/// Order is meaning. Children start in this order, each awaited, and stop in reverse. `RestForOne`
/// restarts the failed child and those after it. What stands after `=` may name the parameters, and the
/// `let`s and children before it.
///
/// # Grammar
///
/// ```text
/// tree      = doc* cfg* vis "struct" Name [ "(" (ident ":" Type),* ")" ] body
/// body      = "{" ("#!" "[" setting "]")* (child "," | let)* [child] "}"
/// let       = "let" pattern [":" Type] "=" expression ";"
/// child     = doc* cfg* ("#" "[" setting "]")* [vis] name ":" shape        vis: default the tree's
/// item      = Type | "task"                        Type: an actor or a tree
/// shape     = item "=" start                       one child
///           | "[" item "]" "=" |args..| start      any number, spawned through the handle
///           | "struct" Name body                   an inline subtree
/// start     = any expression; `.await` and `?` work in it
/// setting   = name "(" argument,* ")"
/// duration  = a number with ns us ms s min h d, or any expression of type Duration
/// ```
///
/// Several trees may stand in one call. A tree is not generic: use concrete types, or parameters.
/// `Option<item>`, `[item; N]` and `[Key => item]` are read, but not available yet.
///
/// # Start expressions
///
/// A start expression is evaluated anew at every start and restart. Each time it gets its own clone of
/// each parameter, `let` and earlier child that it names. It runs in an async block: `.await` works, and
/// `?` works on every error that is `Into<Box<dyn Error + Send + Sync>>`. The error is kept as it was
/// thrown, so that a decider finds its type. The name of an earlier child is its handle.
///
/// # Shapes
///
/// **One actor**: `name: Type = start`. The handle is an [`ActorRef`](crate::ActorRef).
///
/// **A task**: `name: task = future`. Any future that returns `()`, `!` or `Result<(), E>`. As `|cx| future` it
/// gets a [`TaskContext`](crate::TaskContext): it is told to end, and has its `shutdown` time for that. Without one
/// it is dropped at its next `.await`. The handle is a [`TaskRef`](crate::TaskRef).
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
///     cx.stopped().await; // told to end: finish what is in hand
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
/// **A set**: `name: [Type] = |args..| start`. Any number of children of one kind, spawned through the
/// handle, which is a [`Children`](crate::Children). The closure's argument types are written out. A restart uses
/// the arguments of the spawn. A set is a supervisor of its own: each instance has its own restart budget.
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
///         sessions: [Session] = |user: u64| Session(user, greeting),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start("hello".to_owned()).await?;
/// let session = server.sessions.spawn(7).await?;
/// assert_eq!(session.ask(|reply| reply).await?, "hello");
/// # server.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// **An inline subtree**: `name: struct Name { .. }`. A supervisor as a child, with its own settings; it
/// inherits none. It names what the tree around it names.
///
/// **A subtree declared elsewhere**: `name: Tree = Tree::tree(args..)`. The handle of both is the struct of
/// the subtree.
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
/// # `let`
///
/// `let pattern = expression;` among the children is evaluated in its place, once for each incarnation of
/// the tree. Later children, `let`s and settings that name it get a clone. It survives restarts of the
/// children. It is dropped when those after it are down. Its `?` is a start failure of the tree.
///
/// # Settings
///
/// Those of the tree stand inside its braces as `#![..]`, those of a child above it as `#[..]`. Above a
/// `[..]` they are the settings of each instance. Values may be expressions over the parameters, and over
/// the `let`s before; only literals are checked by the compiler.
///
#[doc = include_str!("../docs/settings.md")]
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db {
/// #     fn handle(&mut self, _msg: ()) -> Result<(), DbError> { Ok(()) }
/// #     async fn dump(&mut self, _failure: &Failure) {}
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
///         #[backoff(3s..30s, factor = 2, random_factor = 0.2, reset = Auto(1min))]
///         #[pre_restart(Db::dump)]
///         #[mailbox(Bounded(100), ask = 500ms)]
///         db: Db = Db,
///
///         #[backoff(SlottedBackoff::new(10ms).ceiling(10).stay_at_ceiling())]
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
/// # What is generated
///
/// For `Shop` this is a struct `Shop` with a field for each child, its handle. It is `Clone + Debug + Send +
/// Sync` and keeps nothing alive. It derefs to [`TreeRef`](crate::TreeRef), which stops the whole tree and shows what
/// happens in it. Its documentation shows the tree as a drawing. Besides:
///
/// * `Shop::start(params..)` starts the tree and returns the guard [`Running<Shop>`](crate::Running). If a
///   child cannot be started, what was up is stopped again, and the failure is returned.
/// * `Shop::tree(params..)` is the tree before its start: a [`Tree`](crate::Tree), to be given a seed, to
///   subscribe to its events, or to be the child of another tree.
/// * `Shop::SPEC` is the declaration as a constant: a [`TreeSpec`](crate::TreeSpec).
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
/// let mut boot = tree.events();
/// let shop: Running<Shop> = tree.start().await?;
/// assert_eq!(boot.next().await.unwrap()?.path, "db");
///
/// let handle: Shop = shop.handle(); // goes anywhere, an axum `State` for one
/// handle.stop();
/// assert!(shop.join().await.is_orderly());
/// # Ok(())
/// # }
/// ```
///
/// # What does not compile
///
/// Among others: a setting that is unknown, misplaced, given twice or of no effect; a child that names a
/// later one; two children of one name; a range, limit or mailbox that contradicts itself; a decider that
/// forgets a variant of an enum it names; a child type that is neither an actor nor a tree. The errors
/// stand at the tokens that they are about.
#[doc(inline)]
pub use supervise_macros::supervisor;

/// Says what happens after a failure: a [`Decider`](crate::Decider) as a value.
///
/// Its arms are those of the setting `decider` of [`supervisor!`], from the failure to a
/// [`Directive`](crate::Directive). The value can be shared by several trees, or given to
/// [`Context::spawn`](crate::Context::spawn).
///
/// An arm names what it is about: a variant of an error enum, `pattern: Type`, `Cause::..`, `Phase::..`, or
/// `_`. The type has to be the very one that was thrown. An error that no arm matches escalates; what else
/// no arm matches goes by the default.
///
/// ```
/// use supervise::prelude::*;
/// use std::io;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> io::Result<()> { Err(io::ErrorKind::NotFound.into()) } }
///
/// fn patient() -> Decider {
///     decider! {
///         e: io::Error if e.kind() == io::ErrorKind::NotFound => Stop,
///         _: io::Error => Restart,
///         Cause::Panic(text) if text.contains("disk") => Escalate,
///         Phase::Restart => Restart,
///         _ => Stop,
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[decider(patient())]
///         db: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let shop = Shop::start().await.unwrap();
/// # shop.db.tell(()).await.unwrap();
/// # assert!(matches!(shop.db.terminated().await, Ok(Ended::Failed(_))));
/// # }
/// ```
#[doc(inline)]
pub use supervise_macros::decider;

/// Says how an actor supervises the children that it spawns itself: a
/// [`SupervisorStrategy`](crate::SupervisorStrategy) as a value.
///
/// It takes the settings of a tree, as in [`supervisor!`], and nothing else. Its expressions may name what is
/// in scope.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Parent { patience: u32 }
///
/// #[actor]
/// impl Parent {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[supervision]
///     fn strategy(&self) -> SupervisorStrategy {
///         strategy! {
///             #![strategy(OneForOne, max_restarts = self.patience, within = 1min)]
///             #![decider(Cause::Killed => Restart, _ => Stop)]
///         }
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::strategy;

/// Makes a struct an actor: it implements [`Actor`](trait@crate::Actor) by the struct's own methods.
///
/// The messages, and the errors if it has any, are named by `#[actor(..)]` below the derive, the hooks by
/// attributes with the name of a method. All methods are inherent, sync or async. `handle` takes `&mut self`, the
/// message and `&mut Context<Self>`.
///
/// ```
/// use supervise::prelude::*;
/// # use std::io;
///
/// #[derive(Actor)]
/// #[actor(msg = String, error = io::Error)]
/// #[pre_start(open)]
/// #[post_restart(reload)]
/// struct Log { lines: Vec<String> }
///
/// impl Log {
///     async fn handle(&mut self, line: String, cx: &mut Context<Self>) -> io::Result<()> {
///         if line == "bye" {
///             cx.stop();
///         }
///         self.lines.push(line);
///         Ok(())
///     }
///
///     fn open(&mut self) {}
///
///     async fn reload(&mut self, failure: &Failure) -> io::Result<()> {
///         self.lines.push(format!("after {failure}"));
///         Ok(())
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::Actor;

/// Makes the type of an `impl` block an actor: it implements [`Actor`](trait@crate::Actor) by the block's
/// methods.
///
/// Messages and errors are those of the method `handle`, which takes `&mut self`, the message and, if it
/// wants to, `&mut Context<Self>`. It is sync or async and returns nothing or a `Result<(), E>`. Hooks are methods
/// marked with [`pre_start`], [`post_stop`], [`pre_restart`], [`post_restart`], [`terminated`] and [`supervision`].
///
/// ```
/// use supervise::prelude::*;
///
/// struct Counter(u64);
///
/// enum Msg {
///     Add(u64),
///     Get(Reply<u64>),
/// }
///
/// #[actor]
/// impl Counter {
///     async fn handle(&mut self, msg: Msg) -> Result<(), std::io::Error> {
///         match msg {
///             Msg::Add(n) => self.0 += n,
///             Msg::Get(reply) => reply.send(self.0),
///         }
///         Ok(())
///     }
///
///     #[pre_restart]
///     fn flush(&mut self, failure: &Failure) {
///         println!("{} of {} is lost", self.0, failure.path());
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::actor;

/// Marks the method of an [`actor`](macro@actor) that runs on every new instance, before its first message.
///
/// It takes `&mut self` and, if it wants to, `&mut Context<Self>`. It returns nothing, or a `Result<(), E>` whose
/// `E` turns into the error of the actor, as all hooks do. Its failure is a failed start.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Db { lines: u32 }
/// #[actor]
/// impl Db {
///     fn handle(&mut self, _msg: ()) -> std::io::Result<()> {
///         Ok(())
///     }
///
///     #[pre_start]
///     async fn open(&mut self, cx: &mut Context<Self>) -> std::io::Result<()> {
///         self.lines = cx.incarnation();
///         Ok(())
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::pre_start;

/// Marks the method of an [`actor`](macro@actor) that runs when an instance is done.
///
/// It takes `&mut self` and, if it wants to, `&mut Context<Self>`. It runs once on each instance whose
/// `pre_start` succeeded, after the children of the instance are down. An aborted instance loses it. Its failure
/// is reported and changes nothing.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Db;
/// #[actor]
/// impl Db {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[post_stop]
///     async fn close(&mut self) {}
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::post_stop;

/// Marks the method of an [`actor`](macro@actor) that runs on the old instance before a restart.
///
/// It takes `&mut self`, and, if it wants to, `&Failure` and `&mut Context<Self>`, in this order. Its failure is
/// reported and changes nothing. The setting `pre_restart` of a child replaces it.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Db;
/// #[actor]
/// impl Db {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[pre_restart]
///     async fn flush(&mut self, failure: &Failure, cx: &mut Context<Self>) {
///         println!("{}: {failure}", cx.path());
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::pre_restart;

/// Marks the method of an [`actor`](macro@actor) that runs on the new instance after a restart.
///
/// It takes `&mut self`, and, if it wants to, `&Failure` and `&mut Context<Self>`, in this order. It runs after
/// `pre_start` and before the first message. Its failure is a failed restart. The setting `post_restart` of a
/// child replaces it.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Db;
/// #[actor]
/// impl Db {
///     fn handle(&mut self, _msg: ()) -> std::io::Result<()> {
///         Ok(())
///     }
///
///     #[post_restart]
///     async fn reload(&mut self, failure: &Failure) -> std::io::Result<()> {
///         println!("up again after {failure}");
///         Ok(())
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::post_restart;

/// Marks the method of an [`actor`](macro@actor) that is told when a watched actor has ended.
///
/// It makes the actor a [`Watcher`](crate::Watcher). It takes `&mut self`, and, if it wants to,
/// `&Watched`, `&Ended` and `&mut Context<Self>`, in this order. Its failure is a failure of the watcher.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # struct Cart { db: ActorRef<Db> }
/// #[actor]
/// impl Cart {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[pre_start]
///     fn open(&mut self, cx: &mut Context<Self>) {
///         cx.watch(&self.db);
///     }
///
///     #[terminated]
///     fn lost(&mut self, who: &Watched, ended: &Ended) {
///         println!("{} has ended: {ended}", who.path());
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::terminated;

/// Marks the method of an [`actor`](macro@actor) that says how it supervises what it spawns.
///
/// It takes `&self` and returns a [`SupervisorStrategy`](crate::SupervisorStrategy). It is read once for each
/// instance, before `pre_start`. Without it the default holds: OneForOne, 10 restarts in 1 minute.
///
/// ```
/// # use supervise::prelude::*;
/// # struct Parent;
/// #[actor]
/// impl Parent {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[supervision]
///     fn children(&self) -> SupervisorStrategy {
///         strategy! { #![strategy(AllForOne, max_restarts = 3, within = 1min)] }
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::supervision;
