//! `child!`.

/// Declares one child that is spawned at run time, in the language of a tree.
///
/// The value is a [`NewChild`](crate::NewChild), for [`Context::spawn`](crate::Context::spawn), which makes it a child
/// of the actor, or for [`spawn`](crate::spawn()), which makes it a top-level child. Inside the braces stand the
/// settings, and `name: Type = start`: the settings, shapes and start expressions of a child in
/// [`supervisor!`](crate::supervisor).
///
/// ```
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
///
/// #[derive(Clone)]
/// struct Service(&'static str);
///
/// struct Fetcher {
///     service: Service,
///     target: String,
/// }
///
/// #[actor]
/// impl Fetcher {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(format!("{} of {}", self.target, self.service.0));
///     }
/// }
///
/// struct Manager {
///     service: Service,
/// }
///
/// #[actor]
/// impl Manager {
///     async fn handle(
///         &mut self,
///         (target, reply): (String, Reply<ActorRef<Fetcher>>),
///         cx: &mut Context<Self>,
///     ) -> Result<(), SpawnError> {
///         let service = self.service.clone();
///         let fetcher = cx.spawn(child! {
///             #[lifecycle(Transient)]
///             #[limit(max_restarts = 3, on_limit = Stop)]
///             format!("fetch {target}"): Fetcher = Fetcher { service, target }
///         });
///         reply.send(fetcher.await?);
///         Ok(())
///     }
/// }
///
/// # supervisor! { struct App { manager: Manager = Manager { service: Service("the archive") } } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = App::start().await?;
/// let fetcher = app.manager.ask(|reply| ("page 7".to_owned(), reply)).await?;
/// assert_eq!(fetcher.path(), "manager/fetch page 7");
/// assert_eq!(fetcher.ask(|reply| reply).await?, "page 7 of the archive");
/// # Ok(())
/// # }
/// ```
///
/// # Grammar
///
/// ```text
/// child   = ("#" "[" setting "]")* name ":" item "=" start [","]
/// name    = any expression that is `Into<Cow<str>>`, evaluated at once
/// item    = Type | "task"                  Type: an actor or a tree
/// start   = any expression; `.await` and `?` work in it
/// ```
///
/// The settings are those of a child in a tree, but for `best_effort`. The lifecycle is `Transient` unless it is
/// written. A child that is not one actor, task or tree is declared in a tree, which can be spawned.
///
/// # Local variables
///
/// The start runs again at every restart, long after the code around it. So it owns what it names: each local variable
/// that it uses is cloned for each start, and stays usable behind the `child!`. A variable that is named inside of a
/// macro of another crate, or called as a function, is moved into the child instead; it has to be `Clone`, too. `self`
/// cannot be kept. Take what the start needs before, as in `let service = self.service.clone();`. In the name and in
/// the settings, which are evaluated at once, `self` may be used.
///
/// A `Temporary` child is started once, so its variables are moved and need not be `Clone`: a socket, a reply, a
/// receiver. A [`restart()`](crate::ActorRef::restart) of it is refused.
///
/// ```
/// use supervise::prelude::*;
/// use tokio::sync::oneshot;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (answer, question) = oneshot::channel::<u32>();
/// let task: TaskRef = spawn(child! {
///     #[lifecycle(Temporary)]
///     "answer": task = async move { answer.send(42).map_err(|_| std::fmt::Error) }
/// })
/// .await?;
/// assert_eq!(question.await?, 42);
/// assert!(matches!(task.terminated().await?, Ended::Done));
/// # Ok(())
/// # }
/// ```
///
/// # Tasks and trees
///
/// `"name": task = future` and `"name": task = |cx| future` spawn a task, `"name": Tree = Tree::tree(args..)` a tree.
/// They are children like an actor: [`keep`](crate::Context::keep), [`children`](crate::Context::children) and
/// [`child`](crate::Context::child) take them.
///
/// ```
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
///
/// struct Page(u32);
///
/// #[actor]
/// impl Page {
///     fn handle(&mut self, number: Reply<u32>) {
///         number.send(self.0);
///     }
/// }
///
/// supervisor! {
///     struct Book(first: u32) {
///         pages: [Page; 2] = |i| Page(first + i as u32),
///     }
///
///     struct Library {
///         librarian: Librarian = Librarian,
///     }
/// }
///
/// struct Librarian;
///
/// #[actor]
/// impl Librarian {
///     async fn handle(&mut self, reply: Reply<Book>, cx: &mut Context<Self>) -> Result<(), SpawnError> {
///         let book = cx.spawn(child! { "book": Book = Book::tree(7) }).await?;
///         assert!(cx.child::<Book>("book").is_some());
///         reply.send(book);
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let library = Library::start().await?;
/// let book = library.librarian.ask(|reply| reply).await?;
/// assert_eq!(book.pages[1].ask(|reply| reply).await?, 8);
/// assert_eq!(book.pages[1].path(), "librarian/book/pages/1");
/// # library.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # Mistakes that do not compile
///
/// The errors of a child in a tree, with the same messages; a variable that is not `Clone`, in a child that is
/// restarted; `self` in the start. See [`errors`](crate::errors).
#[macro_export]
macro_rules! child {
    ($($tokens:tt)*) => { $crate::expansion::child! { @[$crate]; $($tokens)* } };
}
