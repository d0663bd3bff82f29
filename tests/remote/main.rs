//! Remote children as the macro declares them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::RemoteRef;
use supervise_remote::testing::Cluster;

#[derive(Serialize, Deserialize)]
struct Seen(Reply<String>);

struct Db(u64);

#[actor]
impl Db {
    fn handle(&mut self, Seen(reply): Seen) {
        reply.send(format!("db {}", self.0));
    }
}

/// Shows what its start has given it.
struct Shown<T = ()>(String, Option<T>);

#[actor]
impl<T: Send + 'static> Shown<T> {
    fn handle(&mut self, Seen(reply): Seen) {
        reply.send(self.0.clone());
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Config {
    rates: BTreeMap<String, u8>,
    audit: Option<String>,
}

fn path<A: Actor<Msg = Seen>>(db: &RemoteRef<A>) -> String {
    format!("{db:?}")
}

const LEASE: std::time::Duration = std::time::Duration::from_secs(7);
const ROLE: &str = "edge";

supervisor! {
    struct Shop<T: Send + 'static>(config: Config, some: Vec<T>)
    where
        T: Clone + std::fmt::Debug + Serialize + serde::de::DeserializeOwned,
    {
        #![on("worker", lease = LEASE, spread = OnePerNode)]
        #![lifecycle(shutdown = 2s)]

        let rates: BTreeMap<String, u8> = config.rates.clone();
        let (a, b): (u8, Vec<u8>) = (1, vec![2]);
        db: Db = Db(7),
        dbs: [Db; 2] = |i: usize| Db(i as u64),
        maybe: Option<Db> = Some(Db(8)),

        one: remote Shown = Shown(format!("{:?} {a} {b:?} {} {} {} {}", rates, path(&db), path(&dbs[1]), maybe.is_some(), path(&later(last))), None),
        #[on(ROLE, window = 5)]
        generic: remote Shown<T> = Shown(format!("{some:?}"), some.first().cloned()),
        audit: Option<remote Shown> = if let Some("x") = config.audit.as_deref() { Some(Shown(format!("{a} {}", path(&one)), None)) } else { None },
        none: Option<remote Shown> = match config.audit { Some(_) => None, None => Some(Shown(String::new(), None)) },
        row: [remote Shown; 3] = |i: usize| Shown(format!("{i} {}", config.rates.len()), None),
        #[lifecycle(shutdown = Infinity)]
        #[on(overlap = Allowed)]
        unnamed: [remote Shown; 1] = |_| Shown(String::new(), None),
        set: [remote Shown] = |n: u8, (x, y): (u8, u8)| Shown(format!("{n} {x} {y} {}", path(&row[0])), None),
        #[lifecycle(Temporary)]
        #[on("edge")]
        keyed: [String => remote Shown] = |user: String, n: u8| Shown(format!("{user} {n} {a}"), None),
        below: struct Below {
            let c: u8 = a + 1;
            #[on("deep")]
            #[lifecycle(Permanent, start = 3s, handler = 4s, drain)]
            #[redeliver(attempts = 2)]
            #[mailbox(Bounded(7), ask = 3s)]
            #[while_down(Reject)]
            #[post_restart(Shown::again)]
            deep: remote Shown = Shown(format!("{a} {c}"), None),
            #[cfg(any())]
            #[on("deep")]
            gone: remote Shown = Shown(format!("{nothing}"), None),
        },
        last: Db = Db(9),
    }
}

impl Shown {
    fn again(&mut self) {
        self.0 += "!";
    }
}

async fn seen<A: Actor<Msg = Seen>>(of: &RemoteRef<A>) -> String {
    of.ask(Seen).within(std::time::Duration::from_secs(5)).await.unwrap()
}

/// S56: the values that a start names arrive on the node, in every shape: parameters, `let`s, siblings, indices, keys
/// and arguments.
#[tokio::test(start_paused = true)]
async fn values_arrive_in_every_shape() {
    let rates = BTreeMap::from([("a".to_owned(), 1)]);
    let mut cluster = Cluster::new();
    for (name, role) in [("a", "worker"), ("b", "worker"), ("c", "worker"), ("d", "edge"), ("e", "deep")] {
        cluster.node(name, Shop::<u8>::node(role));
    }
    let tree = Shop::tree(Config { rates, audit: Some("x".into()) }, vec![1u8]);
    let shop = tree.on(cluster.owner()).start().await.unwrap();
    assert_eq!(seen(&shop.one).await, r#"{"a": 1} 1 [2] RemoteRef(db) RemoteRef(dbs/1) true RemoteRef(last)"#);
    assert_eq!(seen(&shop.generic).await, "[1]");
    assert_eq!(seen(shop.audit.as_ref().unwrap()).await, "1 RemoteRef(one)");
    assert!(shop.none.is_none());
    assert_eq!(seen(&shop.row[2]).await, "2 1");
    assert_eq!(seen(&shop.set.spawn(1, (2, 3)).await.unwrap()).await, "1 2 3 RemoteRef(row/0)");
    assert_eq!(seen(&shop.keyed.spawn("ann".to_owned(), 4).await.unwrap()).await, "ann 4 1");
    assert_eq!(seen(&shop.below.deep).await, "1 2");
    shop.shutdown().await;
}

/// S56: the declaration of a generic tree has the types in the key, and each node finds its child by it.
#[test]
fn each_choice_of_types_is_another_child() {
    let key = |spec: &supervise::spec::TreeSpec| (spec.children[3].remote.unwrap().key)();
    let (bytes, words) = (key(&Shop::<u8>::SPEC), key(&Shop::<u16>::SPEC));
    assert!(bytes.contains("Shop<u8> one") && words.contains("Shop<u16> one"), "{bytes} {words}");
}

/// A tree whose only remote child is in a subtree makes a node, too.
#[test]
fn a_tree_makes_its_node() {
    supervisor! {
        struct Outer {
            below: struct Inner {
                #[on("deep")]
                deep: remote Db = Db(1),
            },
        }
    }
    let _ = Outer::node("deep");
    let _ = Shop::<u8>::node("worker");
}
