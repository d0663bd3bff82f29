//! The model: what the messages make of the tree.

use std::time::Duration;

use serde_json::{Value, json};
use supervise_top::model::{Link, Model, Weight, is_nearly_used};
use supervise_top::wire::{FailedInstance, Info, Message, State};

use crate::common::*;

fn model(root: Value) -> Model {
    let mut model = Model::default();
    model.apply(snapshot(1000, root), Duration::ZERO);
    model
}

fn delta(at_ms: u64, nodes: Vec<Value>, removed: &[&str]) -> Message {
    message("delta", json!({ "seq": 2, "at_ms": at_ms, "nodes": nodes, "removed": removed }))
}

#[test]
fn a_snapshot_is_the_tree_in_its_order() {
    let model = model(shop());
    assert_eq!(
        model.paths(),
        [
            "Shop",
            "console",
            "db",
            "cart",
            "checkout",
            "thumbnails",
            "search",
            "reports",
            "reports/daily",
            "reports/weekly",
            "płatność-支払い",
            "sessions",
            "legacy",
            "import",
            "future"
        ]
    );
    assert_eq!(model.link, Link::Live);
    let (counts, instances) = model.counts();
    assert_eq!(instances, 100_000);
    assert_eq!(counts.iter().map(|(_, number)| number).sum::<u64>(), 15);
    assert!(counts.contains(&(State::Running, 9)) && counts.contains(&(State::Other, 1)), "{counts:?}");
}

#[test]
fn a_delta_changes_adds_and_removes() {
    let mut model =
        model(tree(vec![actor("a"), actor("b"), with(tree(vec![actor("t/x")]), json!({ "path": "t", "name": "t" }))]));
    let changed = with(actor("a"), json!({ "incarnation": 2 }));
    let new = with(actor("t/new"), json!({ "parent": "t", "index": 0 }));
    model.apply(delta(1500, vec![changed, new], &["b"]), MS * 500);
    assert_eq!(model.paths(), ["Shop", "a", "t", "t/new", "t/x"]);
    assert_eq!(model.get("a").unwrap().node.incarnation, 2);
    assert_eq!(model.get("t/new").unwrap().parent.as_deref(), Some("t"));

    // With everything below it.
    model.apply(delta(2000, vec![], &["t"]), MS * 1000);
    assert_eq!(model.paths(), ["Shop", "a"]);
    assert_eq!(model.len(), 2);

    // However deep it is.
    for (path, parent) in [("d", "Shop"), ("d/e", "d"), ("d/e/f", "d/e"), ("d/e/f/g", "d/e/f")] {
        model.apply(delta(2100, vec![with(actor(path), json!({ "parent": parent, "index": 0 }))], &[]), MS * 1100);
    }
    assert_eq!(model.paths(), ["Shop", "d", "d/e", "d/e/f", "d/e/f/g", "a"]);
    model.apply(delta(2200, vec![], &["d"]), MS * 1200);
    assert_eq!((model.paths().len(), model.len()), (2, 2));

    // A parent that is not there, or a root that would go: the tree stays a tree.
    let lost = with(actor("lost"), json!({ "parent": "nowhere", "index": 99 }));
    model.apply(delta(2500, vec![lost], &["Shop", "nobody"]), MS * 1500);
    assert_eq!(model.paths(), ["Shop", "a", "lost"]);
}

#[test]
fn before_the_first_snapshot_nothing_is_shown() {
    let mut model = Model::default();
    model.apply(delta(1000, vec![actor("a")], &[]), Duration::ZERO);
    assert!(model.is_empty());
    assert_eq!(model.link, Link::Connecting);
}

#[test]
fn rates_come_from_the_numbers_of_two_samples() {
    let mut model = model(tree(vec![actor("a"), actor("idle")]));
    let handled = |handled: u64, busy_us: u64| {
        with(actor("a"), json!({ "messages": { "handled": handled, "busy_us": busy_us } }))
    };
    model.apply(delta(1500, vec![handled(1040, 2_100_000)], &[]), MS * 500);
    assert_eq!(model.get("a").unwrap().rate, None, "half a second is too short");
    model.apply(delta(2000, vec![handled(1100, 2_500_000)], &[]), MS * 1000);
    let entry = model.get("a").unwrap();
    assert_eq!((entry.rate, entry.busy), (Some(100.0), Some(0.5)));
    assert_eq!(model.get("idle").unwrap().rate, Some(0.0), "not in the delta, so nothing was handled");
    assert_eq!(model.rate(), Some(100.0));

    // A long pause fills several values, and no more than there are.
    model.apply(delta(5000, vec![handled(1400, 2_500_000)], &[]), MS * 4000);
    assert_eq!(Vec::from(model.get("a").unwrap().spark.clone()), [100.0, 100.0, 100.0, 100.0]);
    model.apply(delta(500_000, vec![], &[]), MS * 499_000);
    assert_eq!(model.get("a").unwrap().spark.len(), 60);

    // Numbers that begin anew say nothing about the rate.
    model.apply(delta(501_000, vec![handled(3, 0)], &[]), MS * 500_000);
    assert_eq!(model.get("a").unwrap().rate, None);
    // Without numbers there is no rate.
    model.apply(delta(502_000, vec![with(actor("a"), json!({ "messages": null }))], &[]), MS * 501_000);
    assert_eq!((model.get("a").unwrap().rate, model.get("a").unwrap().spark.len()), (None, 0));
}

#[test]
fn the_clock_is_that_of_the_server_and_stops_while_it_is_away() {
    let mut model = model(shop());
    assert_eq!(model.server_now(MS * 300), 1300);
    model.lose("gone".to_owned(), MS * 1000, MS * 500);
    assert_eq!(model.server_now(MS * 9000), 1500);
    assert_eq!(model.age(MS * 9000), MS * 9000);
    // A second failure does not move the time at which it went away.
    model.lose("still gone".to_owned(), MS * 3000, MS * 2000);
    assert_eq!(model.link, Link::Away { since: MS * 500, why: "still gone".to_owned(), retry: MS * 3000 });
    model.apply(snapshot(9000, shop()), MS * 9000);
    assert_eq!((model.server_now(MS * 9100), model.link.clone()), (9100, Link::Live));
}

#[test]
fn another_tree_begins_anew() {
    let mut model = model(tree(vec![actor("a")]));
    model.apply(delta(3000, vec![with(actor("a"), json!({ "messages": { "handled": 2000 } }))], &[]), MS * 2000);
    model.apply(event("a", 3000, 1, "started", json!({})), MS * 2000);
    assert!(model.get("a").unwrap().rate.is_some());

    // The same tree after a gap keeps its past.
    model.apply(message("gap", json!({ "missed": 7 })), MS * 2000);
    assert_eq!(model.events.back().unwrap().event, "7 events were missed");
    model.apply(snapshot(3500, tree(vec![actor("a")])), MS * 2500);
    assert_eq!(model.events.len(), 2);

    // One whose clock is earlier was started later.
    model.apply(snapshot(100, tree(vec![actor("a"), actor("b")])), MS * 3000);
    assert_eq!((model.events.len(), model.get("a").unwrap().rate), (0, None));
    assert_eq!(model.server_now(MS * 3000), 100);
}

#[test]
fn the_end_stays_until_a_living_tree_comes() {
    let mut model = model(shop());
    model.apply(message("end", json!({ "ended": { "why": "stopped" } })), MS * 100);
    model.lose("closed".to_owned(), MS * 5000, MS * 200);
    assert!(matches!(&model.link, Link::Ended(Some(ended)) if ended.why == "stopped"));
    assert_eq!(model.server_now(MS * 5000), 1000, "the time of the last message");
    let ended = with(tree(vec![]), json!({ "state": "ended" }));
    model.apply(snapshot(2000, ended), MS * 6000);
    assert!(matches!(model.link, Link::Ended(_)));
    model.apply(snapshot(10, shop()), MS * 7000);
    assert_eq!(model.link, Link::Live);
}

fn warnings_of(model: &Model, now: Duration) -> Vec<String> {
    model.warnings(now).into_iter().map(|warning| format!("{}: {}", warning.path, warning.text)).collect()
}

#[test]
fn every_warning_is_told() {
    let app = app((80, 24));
    let warnings = app.model.warnings(NOW);
    let texts = warnings_of(&app.model, NOW);
    let expected = [
        "cart: asks in a circle: cart > checkout > cart",
        "db: backing off, 4.4 s: no connection to the database: connection refused",
        "thumbnails: stuck: a handler runs for 34 s",
        "search: holds its thread for 1.4 s",
        "reports/daily: failed",
        "legacy: ended: killed",
        "cart: slow: a handler runs for 6.0 s",
        "cart: 4 of 5 restarts used",
        "thumbnails: mailbox full for 12 s, 2 senders wait",
        "sessions: 2 backing off of 100000",
        "cart: 2 dead letters in the last minute",
    ];
    assert_eq!(texts, expected);
    let bad = warnings.iter().filter(|warning| warning.weight == Weight::Bad).count();
    assert_eq!(bad, 6, "the bad ones come first");
}

#[test]
fn a_handler_grows_older_between_two_samples() {
    let busy = with(actor("a"), json!({ "messages": { "handled": 1, "in_hand_us": 4_900_000 } }));
    let mut model = model(tree(vec![busy]));
    assert_eq!(warnings_of(&model, MS * 50), Vec::<String>::new());
    assert_eq!(warnings_of(&model, MS * 100), ["a: slow: a handler runs for 5.0 s"]);
    model.apply(delta(26_100, vec![], &[]), MS * 25_100);
    assert_eq!(warnings_of(&model, MS * 25_100), ["a: stuck: a handler runs for 30 s"]);
}

#[test]
fn a_mailbox_has_to_be_full_for_long() {
    let full = |waiting: u64, blocked: u64| {
        with(
            actor("a"),
            json!({ "mailbox": { "waiting": waiting, "capacity": 8, "blocked": blocked }, "messages": null }),
        )
    };
    let mut model = model(tree(vec![full(8, 0)]));
    assert_eq!(warnings_of(&model, MS * 4999), Vec::<String>::new());
    assert_eq!(warnings_of(&model, MS * 5000), ["a: mailbox full for 5.0 s"]);
    model.apply(delta(5500, vec![full(7, 0)], &[]), MS * 4500);
    model.apply(delta(6000, vec![full(0, 1)], &[]), MS * 5000);
    assert_eq!(warnings_of(&model, MS * 9000), Vec::<String>::new(), "there was room in between");
    assert_eq!(warnings_of(&model, MS * 10_000), ["a: mailbox full for 5.0 s, a sender waits"]);
}

#[test]
fn a_budget_is_nearly_used_as_the_protocol_says() {
    for (used, max, nearly) in [
        (4, 5, true),
        (3, 5, false),
        (5, 5, true),
        (8, 10, true),
        (7, 10, false),
        (17, 20, false),
        (18, 20, true),
        (1, 1, true),
        (0, 1, false),
        (0, 0, false),
        (1, 2, false),
        (2, 2, true),
    ] {
        assert_eq!(is_nearly_used(used, max), nearly, "{used} of {max}");
    }
    // The members of a group share it.
    let used = |path: &str| with(actor(path), json!({ "restarts": { "used": 5, "max": 5 } }));
    let group =
        with(tree(vec![used("g/a"), used("g/b")]), json!({ "path": "g", "name": "g", "strategy": "all_for_one" }));
    let model = model(tree(vec![group, used("c"), used("d")]));
    assert_eq!(
        warnings_of(&model, MS),
        ["g/a: 5 of 5 restarts used", "c: 5 of 5 restarts used", "d: 5 of 5 restarts used"]
    );
}

#[test]
fn dead_letters_of_the_last_minute_are_the_growth_of_the_total() {
    let mut model = Model::default();
    let at = |at_ms: u64, total: u64| {
        message("delta", json!({ "at_ms": at_ms, "nodes": [], "removed": [], "dead_letters": total }))
    };
    model.apply(snapshot(0, tree(vec![])), Duration::ZERO); // three from before this program looked on
    assert_eq!(model.recent_dead_letters(MS), 0);
    model.apply(at(10_000, 5), MS * 10_000);
    model.apply(at(50_000, 9), MS * 50_000);
    assert_eq!((model.recent_dead_letters(MS * 60_000), model.dead_letters), (6, Some(9)));
    assert_eq!(model.recent_dead_letters(MS * 75_000), 4);
    model.apply(at(115_000, 9), MS * 115_000);
    assert_eq!(model.recent_dead_letters(MS * 115_000), 0);

    // A server that does not tell the total: the events are counted.
    let mut model = Model::default();
    model.apply(message("snapshot", json!({ "at_ms": 1000, "root": tree(vec![]) })), Duration::ZERO);
    model.apply(event("a", 2000, 1, "dead_letter", json!({})), MS * 1000);
    assert_eq!((model.recent_dead_letters(MS * 1000), model.recent_dead_letters(MS * 62_000)), (1, 0));
}

#[test]
fn cycles_of_asks_are_found() {
    let asks = |path: &str, whom: &[&str]| with(actor(path), json!({ "waits_for": whom }));
    let model = model(tree(vec![
        asks("a", &["b"]),
        asks("b", &["out", "c"]),
        asks("c", &["b"]),
        asks("self", &["self"]),
        asks("out", &["nowhere"]),
    ]));
    assert_eq!(model.cycles(), [vec!["b", "c"], vec!["self"]]);

    // A cycle that is over is told for a minute, and not twice.
    let mut model = crate::model::model(tree(vec![actor("a"), actor("b")]));
    for cycle in [["a", "b"], ["b", "a"]] {
        model.apply(event("a", 1000, 1, "ask_cycle", json!({ "cycle": cycle })), Duration::ZERO);
    }
    assert_eq!(warnings_of(&model, MS * 2000), ["b: asked in a circle 2 s ago: b > a > b"]);
    assert_eq!(warnings_of(&model, MS * 61_000), Vec::<String>::new());
}

/// A newer console does not break this program.
#[test]
fn what_is_unknown_is_passed_over() {
    assert_eq!(Message::of("weather", "not even JSON"), Ok(None));
    assert!(Message::of("delta", "{").is_err());
    assert_eq!(
        Message::of("snapshot", "{}").unwrap_err().to_string(),
        "the message `snapshot` of the console cannot be read: there is no root"
    );

    let strange = json!({
        "path": "a", "name": 7, "kind": ["actor"], "state": "asleep", "incarnation": -4, "streak": "many", "until_ms": 3.9,
        "restarts": [], "mailbox": { "waiting": "x", "capacity": {} }, "messages": null, "instances": { "asleep": 3, "x": "y" },
        "last_failure": { "chain": "text", "before": 3 }, "ended": true, "children": { "a": 1 }, "settings": [1, "kept"],
        "failed_instances": [7, { "name": [], "at_ms": -1, "failure": "x" }], "new_field": { "deep": [[[]]] },
    });
    let model = model(tree(vec![strange, json!(5), json!(null)]));
    let node = &model.get("a").unwrap().node;
    assert_eq!((node.state, &*node.word, &*node.name, node.until_ms), (State::Other, "asleep", "a", Some(3)));
    assert_eq!((node.incarnation, node.streak, &node.settings[..]), (0, 0, &["kept".to_owned()][..]));
    assert_eq!(node.instances.as_deref(), Some(&[("asleep".to_owned(), 3)][..]));
    assert_eq!(node.last_failure.as_ref().unwrap().chain, Vec::<String>::new());
    assert_eq!(node.failed_instances, [FailedInstance::default(), FailedInstance::default()]);

    let info = r#"{"name":"Shop","look":"token","control":true,"version":"9","protocol":2,"new":1}"#;
    assert_eq!(
        Info::of(info),
        Some(Info { name: "Shop".into(), needs_token: true, control: true, version: "9".into(), protocol: 2 })
    );
    assert_eq!(Info::of("<html>"), None);
    assert_eq!(Info::of("{}"), None);
}

#[test]
fn every_event_has_words() {
    for (event, words) in [
        (json!({ "event": "started", "seed": 7 }), "started"),
        (
            json!({ "event": "failed", "message": "Query", "failure": failure("db", 1) }),
            "failed with Query in hand: no connection to the database: connection refused",
        ),
        (json!({ "event": "decided", "directive": "stop", "by": "default" }), "decided: stop, by the default"),
        (
            json!({ "event": "decided", "directive": "restart", "by": "supervisor", "arm": { "index": 2, "text": "_ => Restart", "at": "a.rs:1:2" } }),
            "decided: restart, by the supervisor's decider, arm 2: _ => Restart (a.rs:1:2)",
        ),
        (json!({ "event": "restart_scheduled", "after_ms": 2400 }), "restart in 2.4 s"),
        (json!({ "event": "requested", "operation": "start_again", "by": "kim" }), "start again requested by kim"),
        (json!({ "event": "stopping", "reason": "sibling_ended" }), "stopping: sibling ended"),
        (
            json!({ "event": "ended", "ended": { "why": "limit", "failure": {
                "cause": "limit_reached", "chain": ["restarted too often"], "before": failure("db", 1),
            } } }),
            "ended: restarted too often: no connection to the database: connection refused",
        ),
        (
            json!({ "event": "ended", "ended": { "why": "limit", "failure": {
                "cause": "limit_reached", "chain": ["ended by itself, and no restart is allowed"],
                "before": { "cause": "ended_by_itself", "chain": ["ended by itself"] },
            } } }),
            "ended: ended by itself, and no restart is allowed",
        ),
        (json!({ "event": "limit_reached", "max_restarts": 3 }), "limit reached"),
        (json!({ "event": "limit_reached", "max_restarts": 0 }), "no restart is allowed"),
        (json!({ "event": "ended", "ended": { "why": "done", "reason": "sold out" } }), "ended: done: sold out"),
        (json!({ "event": "ask_cycle", "cycle": ["a", "b"] }), "asks in a circle: a > b"),
        (json!({ "event": "dead_letter", "message": "Msg", "reason": "given_up" }), "dead letter: Msg (given up)"),
        (
            json!({ "event": "unread", "message": "Account::withdraw", "error": "bank::Overdrawn" }),
            "Account::withdraw has returned an error that nobody reads: bank::Overdrawn",
        ),
        (json!({ "event": "blocked", "since_ms": 61_000 }), "a sender is blocked for 1m 01s"),
        (json!({ "event": "aborted" }), "aborted"),
        (json!({ "event": "placed", "node": "n1" }), "placed on n1"),
        (
            json!({ "event": "node_lost", "node": "n1", "after_ms": 5500 }),
            "its node n1 is lost, last heard of 5.5 s before",
        ),
        (json!({ "event": "no_node", "role": "worker" }), "no node with the role worker"),
        (json!({ "event": "fenced" }), "an instance was fenced: its lease was over"),
        (json!({ "event": "refused", "why": "another build" }), "a node does not take it: another build"),
        (json!({ "event": "not_written", "why": "a map key" }), "a message cannot be sent: a map key"),
        (json!({ "event": "brand_new" }), "brand new"),
    ] {
        assert_eq!(supervise_top::wire::Event::of(&event).words(), words);
    }
}

/// The messages of a real console, recorded: what the deltas make of the first snapshot is what the last one says.
#[test]
fn a_recording_ends_where_its_last_snapshot_is() {
    let text = include_str!("../recorded/bakery.sse");
    let told = supervise_top::sse::Parser::default().push(text.as_bytes()).unwrap();
    let messages: Vec<Message> = told.iter().filter_map(|told| Message::of(&told.kind, &told.data).unwrap()).collect();
    let (last, others) = messages.split_last().unwrap();
    assert!(matches!(others[0], Message::Snapshot { .. }) && matches!(last, Message::Snapshot { .. }));
    let mut followed = Model::default();
    for message in others {
        followed.apply(message.clone(), Duration::ZERO);
    }
    let mut fresh = Model::default();
    fresh.apply(last.clone(), Duration::ZERO);
    assert_eq!(followed.paths(), fresh.paths());
    for path in fresh.paths() {
        let (followed, fresh) = (&followed.get(path).unwrap().node, &fresh.get(path).unwrap().node);
        let of = |node: &supervise_top::wire::Node| {
            (node.state, node.incarnation, node.restarts.clone().map(|budget| budget.used))
        };
        assert_eq!(of(followed), of(fresh), "{path}");
    }
    for word in ["failed", "decided", "restarted", "ask_cycle", "ended"] {
        assert!(followed.events.iter().any(|event| event.event == word), "{word} is in the recording");
    }
    assert!(followed.get("flour").unwrap().node.incarnation > 1);
    assert!(followed.rate().is_some_and(|rate| rate > 10.0));
}

fn network(children: u64, waiting: Value) -> Value {
    let node = json!({ "name": "host-7#1", "role": "worker", "children": children, "capacity": 100, "lease_left_ms": 4200, "round_trip_us": 310, "build": "1.4.2" });
    json!({ "nodes": [node], "refused": [{ "name": "host-8#1", "why": "another protocol" }], "waiting": waiting })
}

/// S63: a delta without a network changes none; a snapshot without one is of a tree that is on none.
#[test]
fn the_network_is_that_of_the_last_message_that_had_one() {
    let mut model = Model::default();
    let root = tree(vec![actor("a")]);
    model.apply(
        message("snapshot", json!({ "at_ms": 1000, "root": root, "network": network(1, json!([])) })),
        Duration::ZERO,
    );
    let of = |model: &Model| model.network.as_ref().map(|(network, at_ms)| (network.nodes[0].children, *at_ms));
    assert_eq!(of(&model), Some((1, 1000)));
    model.apply(delta(1500, vec![], &[]), MS * 500);
    assert_eq!(of(&model), Some((1, 1000)));
    model.apply(
        message("delta", json!({ "at_ms": 2000, "nodes": [], "removed": [], "network": network(2, json!([])) })),
        MS * 1000,
    );
    assert_eq!(of(&model), Some((2, 2000)));
    let node = &model.network.as_ref().unwrap().0.nodes[0];
    assert_eq!(
        (node.name.as_str(), node.role.as_str(), node.capacity, node.lease_left_ms),
        ("host-7#1", "worker", Some(100), Some(4200))
    );
    assert_eq!((node.round_trip_us, node.build.as_deref()), (Some(310), Some("1.4.2")));
    let refused = &model.network.as_ref().unwrap().0.refused;
    assert_eq!(*refused, [("host-8#1".to_owned(), "another protocol".to_owned())]);
    model.apply(snapshot(2500, tree(vec![actor("a")])), MS * 1500);
    assert_eq!(model.network, None);
}

/// S63: each declared child once, and the instances of sets by their number.
#[test]
fn children_without_a_node_are_warnings() {
    let wait = json!({ "state": "starting", "waits_for_node": { "role": "worker", "since_ms": 4000 } });
    let root = tree(vec![with(actor("a"), wait), with(actor("b"), json!({ "runs_on": "host-7#1", "window": 3 }))]);
    let waiting = json!([{ "role": "worker", "children": 1 }, { "role": "edge", "children": 2 }]);
    let mut model = Model::default();
    model.apply(
        message("snapshot", json!({ "at_ms": 1000, "root": root, "network": network(1, waiting) })),
        Duration::ZERO,
    );
    let told: Vec<_> = model.warnings(MS * 3000).into_iter().map(|warning| (warning.path, warning.text)).collect();
    assert_eq!(
        told,
        [
            ("a".to_owned(), "no node with the role worker for 7 s".to_owned()),
            ("Shop".to_owned(), "2 instances wait for a node with the role edge".to_owned()),
        ]
    );
    assert_eq!(model.get("b").unwrap().node.place(0).as_deref(), Some("on host-7#1, 3 sent"));
}

#[test]
fn events_of_remote_children_are_told_in_words() {
    let words = |word: &str, details: Value| {
        let Message::Event(event) = event("a", 1, 1, word, details) else { panic!("an event") };
        (event.words(), event.is_bad())
    };
    for (word, details, text, is_bad) in [
        ("placed", json!({ "node": "host-7#1" }), "placed on host-7#1", false),
        (
            "node_lost",
            json!({ "node": "host-7#1", "after_ms": 5000 }),
            "its node host-7#1 is lost, last heard of 5.0 s before",
            true,
        ),
        ("no_node", json!({ "role": "edge" }), "no node with the role edge", false),
        ("fenced", json!({}), "an instance was fenced: its lease was over", true),
        ("refused", json!({ "why": "full" }), "a node does not take it: full", false),
        ("not_written", json!({ "why": "too large" }), "a message cannot be sent: too large", false),
        (
            "node_joined",
            json!({ "node": "host-7#1", "role": "edge", "build": "1.4.2" }),
            "node host-7#1 joined as edge, build 1.4.2",
            false,
        ),
        ("node_left", json!({ "node": "host-7#1" }), "node host-7#1 left", false),
        (
            "node_refused",
            json!({ "node": "host-7#1", "why": "another tree" }),
            "node host-7#1 is refused: another tree",
            false,
        ),
    ] {
        assert_eq!(words(word, details), (text.to_owned(), is_bad));
    }
}
