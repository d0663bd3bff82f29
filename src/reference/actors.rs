//! `derive(Actor)`, `#[actor]` and the marks of its methods.

/// Makes a struct an actor: implements [`Actor`](trait@crate::Actor) with the struct's own methods.
///
/// `#[actor(..)]` below the derive names the type of the messages, and that of the errors if there are any. Attributes
/// with the name of a method name the hooks. All methods are inherent. `handle` is async and takes `&mut self`, the
/// message and `&mut Context<Self>`; hooks are sync or async. With the attribute [`actor`](macro@actor) on the `impl`
/// block instead, you need not name types and hooks a second time.
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
///
/// # The context
///
/// Every function of an actor may ask for `&mut Context<Self>`:
///
/// | to | call | gone at a restart |
/// |---|---|---|
/// | know itself | [`actor_ref`], [`path`], [`incarnation`] | |
/// | end | [`stop`] | |
/// | send itself a message later | [`send_after`], [`send_every`] | with the ticks that wait in the mailbox |
/// | run a future while messages are handled | [`run`] | with results that wait in the mailbox |
/// | get the items of a stream or a channel as messages | [`follow`] | with an item that waits, as a dead letter |
/// | get notified when another actor ends | [`watch`], [`unwatch`], [`depend_on`] | no |
/// | spawn children | [`spawn`], [`keep`] | unless kept |
/// | take over a top-level actor, release a child | [`link`], [`unlink`] | like children |
/// | reset its backoff | [`reset_backoff`] | |
/// | get a `CancellationToken` (feature `tokio-util`) | `token` | cancelled |
///
/// [`actor_ref`]: crate::Context::actor_ref
/// [`path`]: crate::Context::path
/// [`incarnation`]: crate::Context::incarnation
/// [`stop`]: crate::Context::stop
/// [`send_after`]: crate::Context::send_after
/// [`send_every`]: crate::Context::send_every
/// [`run`]: crate::Context::run
/// [`follow`]: crate::Context::follow
/// [`watch`]: crate::Context::watch
/// [`unwatch`]: crate::Context::unwatch
/// [`depend_on`]: crate::Context::depend_on
/// [`spawn`]: crate::Context::spawn
/// [`keep`]: crate::Context::keep
/// [`link`]: crate::Context::link
/// [`unlink`]: crate::Context::unlink
/// [`reset_backoff`]: crate::Context::reset_backoff
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// struct Feed { read: u32 }
///
/// enum Msg {
///     Poll,
///     Polled(Vec<String>),
///     Read(Reply<u32>),
/// }
///
/// async fn download() -> Vec<String> {
///     tokio::time::sleep(Duration::from_secs(2)).await;
///     vec!["news".to_owned()]
/// }
///
/// #[actor]
/// impl Feed {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.send_every(Duration::from_secs(60), || Msg::Poll);
///     }
///
///     fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) {
///         match msg {
///             Msg::Poll => cx.run(download(), Msg::Polled), // `Read` is answered meanwhile
///             Msg::Polled(lines) => self.read += lines.len() as u32,
///             Msg::Read(reply) => reply.send(self.read),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // An actor need not belong to a tree: this one is a top-level actor, under the guardian.
/// let feed = supervise::spawn(child! { "feed": Feed = Feed { read: 0 } }).await?;
/// tokio::time::sleep(Duration::from_secs(61)).await;
/// assert_eq!(feed.ask(Msg::Read).await?, 0);
/// tokio::time::sleep(Duration::from_secs(2)).await;
/// assert_eq!(feed.ask(Msg::Read).await?, 1);
/// # feed.stop();
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use supervise_macros::Actor;

/// Makes the type of an `impl` block an actor: implements [`Actor`](trait@crate::Actor) with the methods of the block.
///
/// Methods that are marked with [`message`] are called on every handle of the actor:
///
/// ```
/// use supervise::prelude::*;
///
/// struct Counter(u64);
///
/// #[actor]
/// impl Counter {
///     /// Returns the new sum.
///     #[message]
///     fn add(&mut self, n: u64) -> u64 {
///         self.0 += n;
///         self.0
///     }
///
///     #[pre_restart]
///     fn flush(&mut self, failure: &Failure) {
///         println!("{} of {} is lost", self.0, failure.path());
///     }
/// }
///
/// supervisor! { struct App { counter: Counter = Counter(0) } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// assert_eq!(app.counter.add(2).await?, 2);
/// # Ok(())
/// # }
/// ```
///
/// # One type of messages
///
/// An actor may have a `handle` instead, for messages of a type of your own. The types of messages and errors are then
/// those of `handle`, which takes `&mut self`, the message and,
/// optionally, `&mut Context<Self>`. `handle` is sync or async and returns nothing or a `Result<(), E>`. Hooks are
/// methods marked with [`pre_start`], [`post_stop`], [`pre_restart`], [`post_restart`], [`terminated`] and
/// [`supervision`].
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
///
/// # Arguments
///
/// `#[actor(crate = path)]` is for a program that has `supervise` under another name; see
/// [there](crate#under-another-name). Three more are for messages, see [`message`]: `derive(..)`, `msg = Name` and
/// `calls = Name`.
#[doc(inline)]
pub use supervise_macros::actor;

/// Marks a method of an [`actor`](macro@actor) that is a message: it is called on the handles of the actor.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// pub struct Account {
///     owner: String,
///     balance: u64,
/// }
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("only {0} are there")]
/// pub struct Overdrawn(u64);
///
/// #[actor]
/// impl Account {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.send_every(Duration::from_secs(86_400), AccountMsg::interest);
///     }
///
///     /// Puts money in, and returns the new balance.
///     #[message]
///     pub fn deposit(&mut self, amount: u64) -> Result<u64, Thrown> {
///         self.balance = self.balance.checked_add(amount).ok_or("more money than there is")?; // fails the actor
///         Ok(self.balance)
///     }
///
///     #[message]
///     pub fn withdraw(&mut self, amount: u64) -> Result<u64, Overdrawn> {
///         self.balance = self.balance.checked_sub(amount).ok_or(Overdrawn(self.balance))?; // goes to the caller
///         Ok(self.balance)
///     }
///
///     #[message]
///     pub async fn transfer(&mut self, to: ActorRef<Account>, amount: u64) -> Result<Result<(), Overdrawn>, Thrown> {
///         if let Err(refused) = self.withdraw(amount) {
///             return Ok(Err(refused)); // a plain call of a method
///         }
///         to.deposit(amount).await?; // a message
///         Ok(Ok(()))
///     }
///
///     #[message]
///     pub fn rename(&mut self, to: &str) {
///         self.owner = to.to_owned();
///     }
///
///     #[message]
///     fn interest(&mut self) {
///         self.balance += self.balance / 100;
///     }
/// }
///
/// supervisor! {
///     struct Bank {
///         savings: Account = Account { owner: "ann".to_owned(), balance: 100 },
///         account: Account = Account { owner: "ann".to_owned(), balance: 10 },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bank = Bank::start().await?;
/// assert_eq!(bank.account.deposit(5).await?, 15); // waits for the answer, at most 5 s
/// bank.account.transfer(bank.savings.clone(), 12).within(Duration::from_secs(1)).await??;
/// bank.account.rename("bob").await?;
/// assert!(bank.account.withdraw(99).await?.is_err());
/// bank.account.deposit(1).forget().await?; // waits for no answer
/// # Ok(())
/// # }
/// ```
///
/// # The items beside the actor
///
/// * `AccountCalls`, a trait: the methods of every handle, for all messages that are not private. It has the visibility of
///   these methods. Other modules import it; rustc says so where that is forgotten. [`CallTo`](crate::CallTo) shows code
///   that works with any handle, and a double for tests. Private messages are called in their own module alone.
/// * `AccountMsg`, the type of the messages: its functions make a message for [`Context::send_after`](crate::Context),
///   [`Context::run`](crate::Context), or a `tell`. Its `Debug` shows the name of the method.
///
/// `#[actor(msg = Command, calls = Api)]` gives them other names. `#[actor(derive(Clone))]` derives for the messages:
/// `Clone` for the setting `redeliver`, `serde::Serialize, serde::Deserialize` for remote children.
/// `#[message(name = "put")]` gives a message another name than its method, for events and for processes of another build.
///
/// # What a method may be
///
/// Sync or async, with `&mut self` or `&self`. Its arguments are owned and `Send`; a `&str`, `&[T]` or `&Path` is given as
/// anything that becomes a `String`, a `Vec<T>` or a `PathBuf`, and any other `&T` as a `T`. `cx: &mut Context<Self>` is
/// not a part of the message. With an argument `reply: Reply<R>` the method answers by itself, now or later.
///
/// # What a method returns
///
/// | written | the caller gets | the actor |
/// |---|---|---|
/// | nothing, or `T` | `Result<T, AskError>` | |
/// | `Result<T, E>` | `Result<Result<T, E>, AskError>`: `.await??` | goes on |
/// | `Result<T, Thrown>` | `Result<T, AskError>`; for an error `NoReply`, at once | fails with this error |
/// | `Result<Result<T, E>, Thrown>` | as the second | as the third |
///
/// [`Thrown`](crate::Thrown) is known by its name. An error for the caller that nobody reads is the event
/// [`Unread`](crate::event::EventKind::Unread).
#[doc(inline)]
pub use supervise_macros::message;

/// Marks the method of an [`actor`](macro@actor) that runs on every new instance, before its first message.
///
/// The method takes `&mut self` and, optionally, `&mut Context<Self>`. Like all hooks, it returns nothing, or a
/// `Result<(), E>` whose `E` converts into the error of the actor. A failure of the method is a failed start.
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
/// The method takes `&mut self` and, optionally, `&mut Context<Self>`. It runs once on each instance whose `pre_start`
/// succeeded, after the children of the instance are down, but not on an aborted instance. A failure of the method is
/// reported, when the child ends also in the [`Report`](crate::inspect::Report), and changes nothing else.
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
/// The method takes `&mut self` and, optionally, `&Failure` and `&mut Context<Self>`, in this order. A failure of the
/// method is reported and changes nothing. The setting `pre_restart` of a child replaces the method.
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
/// The method takes `&mut self` and, optionally, `&Failure` and `&mut Context<Self>`, in this order. It runs after
/// `pre_start` and before the first message. A failure of the method is a failed restart. The setting `post_restart` of
/// a child replaces the method.
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

/// Marks the method of an [`actor`](macro@actor) that runs when a watched actor has ended.
///
/// The method makes the actor a [`Watcher`](crate::Watcher). It takes `&mut self` and, optionally, `&Watched`, `&Ended`
/// and `&mut Context<Self>`, in this order. A failure of the method is a failure of the watcher.
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

/// Marks the method of an [`actor`](macro@actor) that says how the actor supervises the children that it spawns.
///
/// The method takes `&self` and returns a [`SupervisorStrategy`](crate::policy::SupervisorStrategy). It is called once
/// for each instance, before `pre_start`. Without it the default applies: OneForOne, 10 restarts in 1 minute.
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
