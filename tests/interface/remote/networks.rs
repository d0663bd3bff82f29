//! A tree on a network, which is notified when the tree begins and when it is over.

use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use supervise::spec::TreeSpec;
use supervise_remote::hooks::{self as remote, Held, NetworkView, TreeNetwork, TreeRoot, TreeRun};

use crate::common::{Journal, Probe, quiet_panics};

struct Net {
    journal: Journal,
    roots: Mutex<Vec<TreeRoot>>,
    panics: bool,
}

impl Net {
    fn new(journal: &Journal) -> Arc<Self> {
        Arc::new(Net { journal: journal.clone(), roots: Mutex::default(), panics: false })
    }
}

impl TreeNetwork for Net {
    fn begins(&self, root: TreeRoot, tree: &'static TreeSpec, held: Option<Held>, _run: TreeRun) -> Result<(), String> {
        let held = held.map(|held| (held.token, held.released));
        self.journal.write(format!("{} begins {} {held:?}", root.name, tree.name));
        self.roots.lock().unwrap().push(root);
        Ok(())
    }

    fn over(&self, root: &TreeRoot, all_down: bool) {
        self.journal.write(format!("{} over {all_down}", root.name));
        assert_eq!(self.roots.lock().unwrap().last(), Some(root));
        assert!(!self.panics, "planned panic");
    }

    fn view(&self, _root: &TreeRoot) -> NetworkView {
        NetworkView::default()
    }
}

struct Knows;

#[actor]
impl Knows {
    fn handle(&mut self, reply: Reply<(TreeRoot, bool)>, cx: &mut Context<Self>) {
        reply.send((remote::root(cx), remote::network(cx).is_some()));
    }
}

supervisor! {
    struct Shop(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
        knows: Knows = Knows,
    }
}

/// S56: the network is notified before the first child starts, and once the last one is down; each run is another one.
#[tokio::test(start_paused = true)]
async fn a_network_is_told_of_the_begin_and_the_end_of_a_run() {
    let journal = Journal::default();
    let net = Net::new(&journal);
    for _ in 0..2 {
        let network: Arc<dyn TreeNetwork> = net.clone();
        let shop = Shop::tree(journal.clone()).on(remote::on(network)).start().await.unwrap();
        let (root, on_it) = shop.knows.ask(|reply| reply).await.unwrap();
        assert_eq!((Some(&root), on_it), (net.roots.lock().unwrap().last(), true));
        shop.shutdown().await;
        let expected = [
            "Shop begins Shop None",
            "probe start",
            "probe pre_start",
            "probe post_stop",
            "probe drop",
            "Shop over true",
        ];
        assert_eq!(journal.take(), expected);
    }
    let roots = net.roots.lock().unwrap();
    assert_ne!(roots[0].id, roots[1].id);
}

/// S56: without a network an actor knows its run all the same, and that there is none.
#[tokio::test(start_paused = true)]
async fn a_tree_without_a_network_has_none() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let (root, on_it) = shop.knows.ask(|reply| reply).await.unwrap();
    assert_eq!((&*root.name, on_it), ("Shop", false));
}

/// S25, S56: a runtime that is dropped is an end too, after which nothing is known to be down.
#[test]
fn a_network_is_told_of_a_runtime_that_is_dropped() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let journal = Journal::default();
    let network: Arc<dyn TreeNetwork> = Net::new(&journal);
    let shop = runtime.block_on(Shop::tree(journal.clone()).on(remote::on(network)).start()).unwrap();
    let shop = shop.detach();
    journal.take();
    drop(runtime);
    assert!(journal.take().contains(&"Shop over false".to_owned()));
    drop(shop);
}

/// S56: a network that panics delays no end.
#[tokio::test(start_paused = true)]
async fn a_panic_of_the_network_at_the_end_is_caught() {
    quiet_panics();
    let journal = Journal::default();
    let network: Arc<dyn TreeNetwork> =
        Arc::new(Net { journal: journal.clone(), roots: Mutex::default(), panics: true });
    let shop = Shop::tree(journal).on(remote::on(network)).start().await.unwrap();
    assert!(shop.shutdown().await.is_orderly());
}
