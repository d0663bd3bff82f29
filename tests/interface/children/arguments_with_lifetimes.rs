//! Actors and trees whose type argument contains a lifetime: `dyn`, `&'static`, `Cow<'static, _>`. The compiler forgets
//! lifetimes in the state of a future, so nothing that is held over an `.await` may need a proof about such a type.

use std::borrow::Cow;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use supervise::prelude::*;
use tokio::task::yield_now;

struct Holder<T>(T);

enum Msg<T> {
    Put(T),
    Get(Reply<T>),
}

#[actor]
impl<T: Clone + Send + Sync + 'static> Holder<T> {
    async fn handle(&mut self, msg: Msg<T>, cx: &mut Context<Self>) {
        yield_now().await;
        match msg {
            Msg::Put(value) => self.0 = value,
            Msg::Get(reply) => reply.send(self.0.clone()),
        }
        assert!(cx.incarnation() > 0);
    }
}

trait Clock: Send + Sync {
    fn now(&self) -> u64;
}

struct At(u64);

impl Clock for At {
    fn now(&self) -> u64 {
        self.0
    }
}

type AnyClock = Arc<dyn Clock>;
type Job = Box<dyn FnOnce() -> u32 + Send>;

/// An actor for one type argument only.
struct Jobs<T>(Vec<T>);

#[actor]
impl Jobs<Job> {
    async fn handle(&mut self, job: Job, cx: &mut Context<Self>) {
        self.0.push(job);
        self.rest(cx).await;
    }

    /// A user's own function that lends the context over an `.await`.
    async fn rest(&mut self, cx: &mut Context<Self>) {
        yield_now().await;
        assert_eq!(cx.name_of_jobs(), "jobs");
    }
}

trait NameOfJobs {
    fn name_of_jobs(&self) -> String;
}

impl NameOfJobs for Context<Jobs<Job>> {
    fn name_of_jobs(&self) -> String {
        self.path()
    }
}

supervisor! {
    struct Pool<T: Clone + Send + Sync + 'static>(first: T) {
        one: Holder<T> = Holder(first.clone()),
        two: [Holder<T>; 2] = |_i| Holder(first.clone()),
        maybe: Option<Holder<T>> = Some(Holder(first.clone())),
        set: [Holder<T>] = |value: T| Holder(value),
        by_name: [String => Holder<T>] = |_name: String, value: T| Holder(value),
        inner: struct PoolInner {
            deep: Holder<T> = Holder(first),
        },
        follower: task = |cx| follow(cx, one.clone(), set.clone()),
    }

    struct App {
        pool: Pool<AnyClock> = Pool::tree(Arc::new(At(3)) as AnyClock),
        pools: [Pool<AnyClock>] = |at: u64| Pool::tree(Arc::new(At(at)) as AnyClock),
        words: Pool<&'static str> = Pool::tree("hello"),
        cows: Pool<Cow<'static, str>> = Pool::tree(Cow::Borrowed("hello")),
        debugs: [Holder<Arc<dyn Debug + Send + Sync>>] = |n: u8| Holder(Arc::new(n) as Arc<dyn Debug + Send + Sync>),
        jobs: Jobs<Job> = Jobs(Vec::new()),
        user: task = user(pool.one.clone(), pool.set.clone()),
    }
}

async fn follow<T: Clone + Send + Sync + 'static>(
    cx: TaskContext,
    one: ActorRef<Holder<T>>,
    set: Children<Holder<T>, (T,)>,
) {
    cx.stopped().await;
    assert!(!one.path().is_empty() && set.is_empty());
}

async fn user(one: ActorRef<Holder<AnyClock>>, set: Children<Holder<AnyClock>, (AnyClock,)>) {
    yield_now().await;
    one.tell(Msg::Put(Arc::new(At(5)))).await.unwrap();
    let own = set.spawn(Arc::new(At(6))).await.unwrap();
    assert_eq!(own.ask(Msg::Get).await.unwrap().now(), 6);
    own.shutdown().await.unwrap();
}

/// A future of a user, which has to be `Send`, as all that `tokio::spawn` takes.
fn sent<F: Future + Send + 'static>(future: F) -> F {
    future
}

/// S2: a handle is `Send + Sync`, whatever the actor is.
#[tokio::test]
async fn a_type_argument_may_have_a_lifetime() {
    let app = App::start().await.unwrap();
    let done = app.user.terminated().await.unwrap();
    assert!(matches!(done, Ended::Done));
    assert_eq!(app.pool.one.ask(Msg::Get).await.unwrap().now(), 5);
    app.jobs.tell(Box::new(|| 4)).await.unwrap();
    assert_eq!(app.words.maybe.as_ref().unwrap().ask(Msg::Get).await.unwrap(), "hello");
    assert_eq!(app.cows.inner.deep.ask(Msg::Get).await.unwrap(), "hello");
    let debug = app.debugs.spawn(7).await.unwrap();
    assert_eq!(format!("{:?}", debug.ask(Msg::Get).await.unwrap()), "7");
    let pool = app.pools.spawn(9).await.unwrap();
    assert_eq!(pool.two[1].ask(Msg::Get).await.unwrap().now(), 9);
    assert!(app.shutdown().await.is_orderly());
}

/// S2: so it, and what its methods return, may be held over an `.await` of a spawned future.
#[tokio::test]
async fn every_handle_of_it_may_be_held_over_an_await() {
    let pool = Pool::<AnyClock>::start(Arc::new(At(1))).await.unwrap();
    let (handle, deep) = (pool.handle(), pool.inner.deep.clone());
    let held = tokio::spawn(sent(async move {
        let one = handle.one.clone();
        let (tell, ask) = (one.tell(Msg::Put(Arc::new(At(2)))), one.ask(Msg::Get));
        yield_now().await;
        tell.await.unwrap();
        assert_eq!(ask.await.unwrap().now(), 2);
        let (set, by_name) = (handle.set.clone(), handle.by_name.clone());
        let starts = set.spawn(Arc::new(At(3)));
        yield_now().await;
        let first = starts.await.unwrap();
        let ann = by_name.get_or_spawn("ann".to_owned(), Arc::new(At(4))).await.unwrap();
        let again = by_name.replace("ann".to_owned(), Arc::new(At(5))).await.unwrap();
        yield_now().await;
        assert_eq!((first.ask(Msg::Get).await.unwrap().now(), ann.is_alive()), (3, false));
        assert_eq!(again.ask(Msg::Get).await.unwrap().now(), 5);
        deep.stop();
        deep.terminated().await.unwrap()
    }));
    assert!(matches!(held.await.unwrap(), Ended::Stopped));
    pool.shutdown().await;
}

/// S2: the guard of a tree, too.
#[tokio::test]
async fn a_tree_of_it_is_started_and_ended_in_a_spawned_future() {
    let done = tokio::spawn(sent(async {
        let pool = Pool::<AnyClock>::start(Arc::new(At(1))).await.unwrap();
        yield_now().await;
        assert_eq!(pool.one.ask(Msg::Get).await.unwrap().now(), 1);
        pool.shutdown().await.is_orderly()
    }));
    assert!(done.await.unwrap());
    let run = tokio::spawn(sent(Pool::<Cow<'static, str>>::run(Cow::Borrowed("x"), std::future::ready(()))));
    assert!(run.await.unwrap().unwrap().is_orderly());
}
