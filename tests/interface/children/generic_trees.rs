//! Trees with type parameters and constants (S28).

use std::marker::PhantomData;

use supervise::Child;
use supervise::error::SpawnError;
use supervise::prelude::*;
use supervise::spec::TreeSpec;

use crate::common::{Boom, Do, Journal, Probe, settle};

/// A row of a table.
trait Row: Clone + Send + Sync + 'static {
    const NAME: &'static str;
}

#[derive(Clone, Debug, PartialEq)]
struct User(u32);

impl Row for User {
    const NAME: &'static str = "user";
}

#[derive(Clone, Debug, PartialEq)]
struct Order(String);

impl Row for Order {
    const NAME: &'static str = "order";
}

/// Keeps rows, and fails on request.
struct Loader<T: Row> {
    rows: Vec<T>,
}

enum Load<T> {
    Add(T),
    All(Reply<Vec<T>>),
    Fail,
}

impl<T: Row> Loader<T> {
    fn new(first: T) -> Self {
        Loader { rows: vec![first] }
    }
}

impl<T: Row> Actor for Loader<T> {
    type Msg = Load<T>;
    type Error = Boom;

    async fn receive(&mut self, load: Load<T>, _: &mut Context<Self>) -> Result<(), Boom> {
        match load {
            Load::Add(row) => self.rows.push(row),
            Load::All(reply) => reply.send(self.rows.clone()),
            Load::Fail => return Err(Boom::Told),
        }
        Ok(())
    }
}

struct Bell;

#[actor]
impl Bell {
    fn handle(&mut self, _: ()) {}
}

/// Not `Clone`, `Send` or `Sync`, and in no child.
struct Tag(PhantomData<*const ()>);

supervisor! {
    /// A cache for rows of one type.
    struct Cache<T: Row, const N: usize = 2>(first: T)
    where
        T: Sync,
    {
        #![decider(_: Boom => Restart, _ => Escalate)]

        let copy: T = first;
        /// The row with which the cache begins.
        pub let begun: T = copy;
        loader: Loader<T> = Loader::new(copy),
        shards: [Loader<T>; N] = |_i: usize| Loader::new(first),
        maybe: Option<Loader<T>> = (N > 2).then(|| Loader::new(first)),
        #[initial([(0, first)])]
        by_key: [u64 => Loader<T>] = |_key: u64, row: T| Loader::new(row),
        #[lifecycle(Temporary)]
        once: [Loader<T>] = |row: T| Loader::new(row),
        named: task = async { assert_ne!(T::NAME, ""); std::future::pending::<()>().await },
        #[lifecycle(Permanent, shutdown = 40s)]
        below: struct Below {
            #![strategy(AllForOne)]
            pub let depth: usize = N;
            inner: Loader<T> = Loader::new(first),
            deeper: struct Deeper {
                leaf: task = std::future::pending::<()>(),
            },
        },
    }

    /// Contains itself by key, and another generic tree.
    struct Node<T: Row>(first: T) {
        own: Loader<T> = Loader::new(first),
        cache: Cache<T, 1> = Cache::tree(first),
        nodes: [u64 => Node<T>] = |_key: u64| Node::tree(first),
    }

    /// Parameters that no child names.
    struct Tagged<T: ?Sized, U>(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }

    /// Children of any kind.
    struct Pair<C: Child>(make: fn() -> C::Start) {
        one: C = make(),
        two: C = make(),
        more: [C] = || make(),
    }

    struct Top(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 3min)]
        users: Cache<User, 3> = Cache::tree(User(1)),
        orders: Cache<Order> = Cache::tree(Order("a".into())),
        row: [Cache<User, 1>; 2] = |i: usize| Cache::tree(User(i as u32)),
        any: [u8 => Cache<Order, 1>] = |key: u8| Cache::tree(Order(key.to_string())),
        node: Node<User> = Node::tree(User(7)),
        tagged: Tagged<str, Tag> = Tagged::tree(journal),
        pair: Pair<Bell> = Pair::tree(bell),
    }
}

fn bell() -> Bell {
    Bell
}

fn is_shared<T: Clone + std::fmt::Debug + Send + Sync + 'static>(_: &T) {}

/// S28: a tree may have type parameters and constants, as a root, as a child of a concrete tree in every shape, in
/// another generic tree, and inside of itself.
#[tokio::test(start_paused = true)]
async fn a_tree_may_be_generic() {
    let cache = Cache::<User, 3>::start(User(5)).await.unwrap();
    assert_eq!(cache.begun(), Some(User(5)));
    assert_eq!((cache.shards.len(), cache.maybe.is_some(), cache.below.depth()), (3, true, Some(3)));
    cache.loader.tell(Load::Add(User(6))).await.unwrap();
    assert_eq!(cache.loader.ask(Load::All).await.unwrap(), [User(5), User(6)]);
    assert_eq!(cache.by_key.get(&0).unwrap().ask(Load::All).await.unwrap(), [User(5)]);
    cache.by_key.spawn(1, User(9)).await.unwrap();
    cache.once.spawn(User(9)).await.unwrap();
    assert_eq!(cache.below.inner.path(), "below/inner");
    assert!(cache.shutdown().await.is_orderly());

    let top = Top::start(Journal::default()).await.unwrap();
    assert_eq!(top.orders.loader.ask(Load::All).await.unwrap(), [Order("a".into())]);
    assert!(top.orders.maybe.is_none());
    assert_eq!(top.row[1].begun(), Some(User(1)));
    let spawned = top.any.spawn(4).await.unwrap();
    assert_eq!((spawned.path(), spawned.begun()), ("any/4".into(), Some(Order("4".into()))));
    assert_eq!(top.node.cache.shards[0].path(), "node/cache/shards/0");
    let below = top.node.nodes.spawn(1).await.unwrap().nodes.spawn(2).await.unwrap();
    assert_eq!(below.cache.below.deeper.leaf.path(), "node/nodes/1/nodes/2/cache/below/deeper/leaf");
    assert_eq!(below.own.ask(Load::All).await.unwrap(), [User(7)]);
    is_shared(&top.tagged);
    assert_eq!(top.tagged.probe.ask(Do::Get).await.unwrap(), 0);
    assert!(top.shutdown().await.is_orderly());
}

/// S28: an actor in a generic tree is restarted like any other, with fresh clones, and the handles stay.
#[tokio::test(start_paused = true)]
async fn children_of_a_generic_tree_are_restarted() {
    let top = Top::start(Journal::default()).await.unwrap();
    let users = top.users.clone();
    for loader in [&users.loader, &users.shards[2], users.maybe.as_ref().unwrap(), &users.below.inner] {
        loader.tell(Load::Add(User(2))).await.unwrap();
        loader.tell(Load::Fail).await.unwrap();
        assert_eq!(loader.ask(Load::All).await.unwrap(), [User(1)]);
        assert_eq!(loader.incarnation(), 2);
    }
    users.restart().unwrap();
    settle().await;
    assert_eq!((users.incarnation(), users.begun()), (2, Some(User(1))));
    assert_eq!(users.loader.incarnation(), 3);
}

/// S28: a type parameter may be a child of any kind: an actor or a tree.
#[tokio::test(start_paused = true)]
async fn a_child_may_be_a_type_parameter() {
    async fn check<C: Child>(pair: Running<Pair<C>>) -> Result<C::Handle, SpawnError> {
        is_shared(&pair.one);
        let made = pair.more.spawn().await;
        assert!(pair.shutdown().await.is_orderly());
        made
    }
    let actors = Pair::<Bell>::start(bell).await.unwrap();
    assert_eq!(actors.two.path(), "two");
    assert_eq!(check(actors).await.unwrap().path(), "more/#1");
    let trees = Pair::<Cache<User>>::start(|| Cache::tree(User(1))).await.unwrap();
    assert_eq!(trees.two.loader.path(), "two/loader");
    check(trees).await.unwrap();
    let tasks = Pair::<Tagged<str, Tag>>::start(|| Tagged::tree(Journal::default())).await.unwrap();
    assert_eq!(check(tasks).await.unwrap().probe.path(), "more/#1/probe");
}

/// S28: each choice of types has a declaration of its own, with the times of its children (S24).
#[tokio::test]
async fn a_generic_tree_has_a_declaration_for_each_choice_of_types() {
    let number = |spec: TreeSpec| spec.children[1].shape;
    assert!(matches!(number(Cache::<User, 7>::SPEC), supervise::spec::Shape::Array(7)));
    assert!(matches!(number(Cache::<Order>::SPEC), supervise::spec::Shape::Array(2)));
    let text = Top::SPEC.render();
    assert!(text.contains("users: Cache<User, 3>") && text.contains("loader: Loader<T>"), "{text}");
    let budget = |spec: TreeSpec| spec.shutdown_budget().unwrap();
    assert_eq!(budget(Cache::<User, 7>::SPEC) - budget(Cache::<User, 2>::SPEC), 5 * crate::common::secs(5));
}
