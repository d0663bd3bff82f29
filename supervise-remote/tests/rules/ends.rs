//! S22, S23, S56: remote children that end by themselves, while something else happens to them.

use supervise::inspect::{Extent, NodeState};

use serde::{Deserialize, Serialize};

use crate::world::*;

/// An actor that takes half a second for its end.
struct Leaver {
    log: u64,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Stop,
    StopAndGoOn,
    Incarnation(Reply<u32>),
}

#[actor]
impl Leaver {
    #[pre_start]
    fn begins(&mut self, cx: &mut Context<Self>) {
        log(self.log).lock().unwrap().push(format!("start #{}", cx.incarnation()));
    }

    async fn handle(&mut self, say: Say, cx: &mut Context<Self>) {
        match say {
            Say::Stop => cx.stop_with("done"),
            Say::StopAndGoOn => {
                cx.stop_with("done");
                tokio::time::sleep(SECOND / 2).await;
            }
            Say::Incarnation(reply) => reply.send(cx.incarnation()),
        }
    }

    #[post_stop]
    async fn last(&mut self) {
        tokio::time::sleep(SECOND / 2).await;
    }
}

supervisor! {
    struct App(log: u64) {
        #[on("worker")]
        #[lifecycle(Transient)]
        far: remote Leaver = Leaver { log },
        #[on("worker")]
        #[lifecycle(Permanent)]
        always: remote Leaver = Leaver { log },
        #[on("worker")]
        each: [u32 => remote Leaver] = |_key: u32| Leaver { log },
        keep: task = std::future::pending::<()>(),
    }
}

async fn two_nodes() -> (Cluster, Running<App>, u64) {
    let mut cluster = Cluster::new();
    for name in ["one", "two"] {
        cluster.node(name, App::node("worker"));
    }
    let log = new_log();
    let app = App::tree(log).on(cluster.owner()).start().await.unwrap();
    (cluster, app, log)
}

/// S23, S56: a child whose work is done is not run again on another node because its own leaves, whenever that happens:
/// also if its node leaves before the owner can know of the end.
#[tokio::test(start_paused = true)]
async fn a_child_that_ends_by_itself_is_not_moved() {
    for say in [|| Say::Stop, || Say::StopAndGoOn] {
        for after in (0..1200u32).step_by(50) {
            let (mut cluster, app, log) = two_nodes().await;
            let at = cluster.name_of(&app.far.node().unwrap());
            app.far.tell(say()).await.unwrap();
            // The message is begun, and nothing is known of that at the owner.
            tokio::time::sleep(5 * MS + after * MS).await;
            cluster.leave(&at).await;
            tokio::time::sleep(60 * SECOND).await;
            let ended = app.far.ended().unwrap_or_else(|| panic!("after {after} ms it was run again: {:?}", said(log)));
            assert_eq!(ended.reason(), Some("done"), "after {after} ms: {ended:?}");
        }
    }
}

/// S26, S42: its owner shows that it is going down, and does not restart it.
#[tokio::test(start_paused = true)]
async fn a_child_that_ends_by_itself_is_not_restarted() {
    for say in [|| Say::Stop, || Say::StopAndGoOn] {
        let (_cluster, app, _) = two_nodes().await;
        app.far.tell(say()).await.unwrap();
        tokio::time::sleep(100 * MS).await;
        let state = app.snapshot_of("far", Extent::Declared).unwrap().root.state.clone();
        assert!(matches!(state, NodeState::GoingDown), "{state:?}");
        assert!(app.health().is_healthy(), "{}", app.health());
        let refused = app.far.restart().await.unwrap_err();
        assert!(refused.to_string().contains("stopping"), "{refused}");
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!(app.far.ended().as_ref().and_then(Ended::reason), Some("done"));
    }
}

/// S23: a stop that comes meanwhile does not change the end.
#[tokio::test(start_paused = true)]
async fn a_stop_that_comes_meanwhile_does_not_change_the_end() {
    for say in [|| Say::Stop, || Say::StopAndGoOn] {
        let (_cluster, app, _) = two_nodes().await;
        app.far.tell(say()).await.unwrap();
        tokio::time::sleep(100 * MS).await;
        app.far.stop();
        tokio::time::sleep(60 * SECOND).await;
        let ended = app.far.ended().unwrap();
        assert_eq!(ended.reason(), Some("done"), "{ended:?}");
    }
}

/// S27: a key waits for the end of an instance that ends by itself.
#[tokio::test(start_paused = true)]
async fn a_key_waits_for_the_end() {
    for say in [|| Say::Stop, || Say::StopAndGoOn] {
        let (_cluster, app, _) = two_nodes().await;
        let first = app.each.spawn(1).await.unwrap();
        first.tell(say()).await.unwrap();
        tokio::time::sleep(100 * MS).await;
        let begun = tokio::time::Instant::now();
        let next = app.each.get_or_spawn(1).await.unwrap();
        assert!(begun.elapsed() >= 300 * MS, "{:?}", begun.elapsed());
        assert_eq!(next.ask(Say::Incarnation).await.unwrap(), 1);
    }
}

/// S23, S56: a `Permanent` child is restarted after its end, once, whether its node leaves or not.
#[tokio::test(start_paused = true)]
async fn a_permanent_child_is_restarted_once() {
    for leaves in [false, true] {
        let (mut cluster, app, log) = two_nodes().await;
        let at = cluster.name_of(&app.always.node().unwrap());
        let before = said(log).len();
        app.always.tell(Say::Stop).await.unwrap();
        tokio::time::sleep(100 * MS).await;
        if leaves {
            cluster.leave(&at).await;
        }
        tokio::time::sleep(60 * SECOND).await;
        assert!(app.always.ask(Say::Incarnation).await.unwrap() >= 2);
        let starts = said(log).len() - before;
        let far_moved = leaves && said(log).iter().filter(|line| *line == "start #2").count() > 1;
        assert_eq!(starts, 1 + usize::from(far_moved), "{:?}", said(log));
    }
}
