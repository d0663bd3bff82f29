//! `on`: where a remote child runs, as the tree declares it. What nodes and owners make of it is tested in
//! `supervise-remote`.

use std::time::Duration;

use supervise::policy::{Overlap, Spread};
use supervise::prelude::*;
use supervise::spec::RemoteSpec;

struct Far;

#[actor]
impl Far {
    fn handle(&mut self, _msg: u8) {}
}

const GRACE: Duration = Duration::from_secs(3);

supervisor! {
    struct Shop {
        #![on("worker", lease = 2s, window = 8, spread = OnePerNode)]
        plain: remote Far = Far,
        #[on("edge")]
        edge: [remote Far] = || Far,
        #[on(lease = GRACE)]
        leased: remote Far = Far,
        #[on(overlap = Allowed)]
        allowed: remote Far = Far,
        #[on(overlap = Forbidden)]
        forbidden: remote Far = Far,
        #[on(spread = Any)]
        any: [remote Far; 2] = |_| Far,
        #[on(window = 9)]
        wide: remote Far = Far,
        local: Far = Far,
    }
}

supervisor! {
    struct Defaults {
        #[on("worker")]
        #[lifecycle(Permanent, shutdown = Kill)]
        plain: remote Far = Far,
        below: struct Below {
            #[on("worker", overlap = Allowed)]
            #[lifecycle(Permanent, shutdown = Infinity)]
            endless: [remote Far; 2] = |_| Far,
        },
    }
}

fn of(name: &str) -> RemoteSpec {
    *Shop::SPEC.children.iter().find(|child| child.name == name).unwrap().remote.expect("a remote child")
}

/// S56
#[tokio::test(start_paused = true)]
async fn on_role_is_obeyed() {
    assert_eq!((of("plain").role, of("edge").role), ("worker", "edge"));
    assert!(Shop::SPEC.children.last().unwrap().remote.is_none());
}

/// S57
#[tokio::test(start_paused = true)]
async fn on_lease_is_obeyed() {
    assert_eq!((of("plain").lease, of("leased").lease), (Duration::from_secs(2), GRACE));
    assert_eq!(of("edge").lease, Duration::from_secs(2)); // a role of the child hides no other argument of the default
    assert_eq!(Defaults::SPEC.children[0].remote.unwrap().lease, Duration::from_secs(5));
}

/// S57
#[tokio::test(start_paused = true)]
async fn on_overlap_allowed_is_obeyed() {
    assert_eq!((of("plain").overlap, of("allowed").overlap), (Overlap::Forbidden, Overlap::Allowed));
}

/// S57
#[tokio::test(start_paused = true)]
async fn on_overlap_forbidden_is_obeyed() {
    assert_eq!((of("allowed").overlap, of("forbidden").overlap), (Overlap::Allowed, Overlap::Forbidden));
}

/// S56: a single child has nothing to spread, and passes over the default.
#[tokio::test(start_paused = true)]
async fn on_spread_one_per_node_is_obeyed() {
    assert_eq!((of("edge").spread, of("plain").spread), (Spread::OnePerNode, Spread::Any));
}

/// S56
#[tokio::test(start_paused = true)]
async fn on_spread_any_is_obeyed() {
    assert_eq!((of("edge").spread, of("any").spread), (Spread::OnePerNode, Spread::Any));
}

/// S61
#[tokio::test(start_paused = true)]
async fn on_window_is_obeyed() {
    assert_eq!((of("plain").window, of("wide").window), (8, 9));
    assert_eq!(Defaults::SPEC.children[0].remote.unwrap().window, 256);
}

/// S62: the owner waits for the way to the node and back, a second for each child.
#[test]
fn the_time_to_stop_has_the_way_to_the_nodes() {
    let [plain, below] = Defaults::SPEC.children else { panic!("two") };
    assert_eq!(plain.shutdown_budget(), Some(Duration::from_secs(1)));
    assert_eq!(below.shutdown_budget(), None);
    let seven = 7 * (5 + 1) + 2 * (5 + 1); // `any` is two, `local` has no way
    assert_eq!(Shop::SPEC.shutdown_budget(), Some(Duration::from_secs(seven - 1)));
}

/// S56, S63: two builds compare this number, to know whether both start the same child.
#[test]
fn the_build_depends_on_the_whole_declaration() {
    let builds: std::collections::BTreeSet<u64> =
        ["plain", "edge", "leased", "allowed", "forbidden", "any", "wide"].map(|name| of(name).build).into();
    assert_eq!(builds.len(), 7);
    assert!((of("plain").key)().ends_with(" interface::settings::on::Shop plain"), "{}", (of("plain").key)());
}

/// Text, Mermaid and Graphviz show the role, also one that the tree gives.
#[test]
fn drawings_show_where_a_child_runs() {
    let text = Shop::SPEC.render();
    assert!(text.contains("plain: remote Far  Permanent  on(\"worker\", lease = 2s, window = 8)"), "{text}");
    assert!(
        text.contains("edge: [remote Far]  Transient  on(\"edge\", lease = 2s, spread = OnePerNode, window = 8)"),
        "{text}"
    );
    assert!(text.contains("allowed: remote Far  Permanent  on(\"worker\", lease = 2s, overlap = Allowed"), "{text}");
    let mermaid = Shop::SPEC.render_mermaid();
    assert!(mermaid.contains("n1([\"plain: remote Far<br/>Permanent<br/>on(#34;worker#34;"), "{mermaid}");
    assert!(mermaid.contains("n8(\"local: Far"), "{mermaid}");
    let dot = Shop::SPEC.render_graphviz();
    let line = |name: &str| dot.lines().find(|line| line.contains(name)).unwrap();
    assert!(line("plain: remote").contains("dashed") && !line("local: Far").contains("dashed"), "{dot}");
}
