//! A tree as a console tells it, and an app that shows it.

use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};
use supervise_top::app::{App, Setup};
use supervise_top::wire::Message;

pub(crate) const MS: Duration = Duration::from_millis(1);

pub(crate) fn setup() -> Setup {
    Setup { address: "127.0.0.1:9090".to_owned(), by: "kim".to_owned(), control: true, ascii: false, colour: true }
}

/// An actor that runs since the start.
pub(crate) fn actor(path: &str) -> Value {
    let name = path.rsplit('/').next().unwrap();
    json!({
        "path": path, "name": name, "kind": "actor", "state": "running", "lifecycle": "permanent", "incarnation": 1,
        "up_since_ms": 5, "declared_at": "src/shop.rs:42:9", "settings": ["mailbox(Bounded(64))"], "hooks": ["pre_start"],
        "restarts": { "used": 0, "max": 5, "within_ms": 60_000 }, "streak": 0,
        "mailbox": { "waiting": 0, "capacity": 64, "blocked": 0 },
        "messages": { "handled": 1000, "busy_us": 2_000_000, "longest_us": 1900 },
        "children": [],
    })
}

/// Returns the object with these fields changed; `null` removes one.
pub(crate) fn with(mut object: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        match value {
            Value::Null => _ = object.as_object_mut().unwrap().remove(name),
            value => object[name] = value.clone(),
        }
    }
    object
}

pub(crate) fn failure(path: &str, incarnation: u32) -> Value {
    json!({
        "path": path, "incarnation": incarnation, "phase": "running", "cause": "error",
        "chain": ["no connection to the database", "connection refused"],
    })
}

pub(crate) fn tree(children: Vec<Value>) -> Value {
    json!({
        "path": "Shop", "name": "Shop", "kind": "tree", "state": "running", "lifecycle": "temporary",
        "strategy": "one_for_one", "incarnation": 1, "streak": 0, "children": children,
    })
}

/// A shop in which everything happens at once.
pub(crate) fn shop() -> Value {
    let before =
        with(failure("db", 2), json!({ "phase": "restart", "chain": ["took too long"], "cause": "timed_out" }));
    let db_failure = with(failure("db", 3), json!({ "before": before, "left_out": 1 }));
    tree(vec![
        with(actor("console"), json!({ "kind": "task", "mailbox": null, "messages": null, "hooks": null })),
        with(
            actor("db"),
            json!({
                "state": "backing_off", "until_ms": 106_400, "incarnation": 3, "up_since_ms": null, "streak": 2,
                "restarts": { "used": 3, "max": 8, "within_ms": 600_000, "restored_ms": 640_000 },
                "last_failure": db_failure, "settings": ["backoff(4s..15s)", "decider(Outage::Fatal => Stop, _ => Restart)"],
                "mailbox": { "waiting": 40, "capacity": 64, "blocked": 0, "oldest_ms": 3200 },
            }),
        ),
        with(
            actor("cart"),
            json!({
                "waits_for": ["checkout"], "restarts": { "used": 4, "max": 5, "within_ms": 60_000, "restored_ms": 143_000 },
                "incarnation": 5,
                "messages": { "handled": 1000, "busy_us": 2_000_000, "longest_us": 7_100_000, "in_hand_us": 6_000_000 },
            }),
        ),
        with(actor("checkout"), json!({ "waits_for": ["cart"] })),
        with(
            actor("thumbnails"),
            json!({
                "mailbox": { "waiting": 8, "capacity": 8, "blocked": 2, "oldest_ms": 34_000 },
                "messages": { "handled": 10, "busy_us": 70_000_000, "longest_us": 36_000_000, "in_hand_us": 34_500_000 },
            }),
        ),
        with(
            actor("search"),
            json!({ "runs_for_ms": 1400, "mailbox": { "waiting": 70_000, "capacity": null, "blocked": 0 } }),
        ),
        with(
            tree(vec![
                with(
                    actor("reports/daily"),
                    json!({
                        "state": "failed", "up_since_ms": null, "incarnation": 7,
                        "last_failure": { "path": "reports/daily", "incarnation": 7, "phase": "running", "cause": "panic",
                            "chain": ["panicked: the numbers of Monday do not add up"] },
                    }),
                ),
                with(
                    actor("reports/weekly"),
                    json!({
                        "state": "queued", "up_since_ms": null, "starts_after": "reports/daily", "lifecycle": "transient",
                    }),
                ),
            ]),
            json!({ "path": "reports", "name": "reports", "strategy": "all_for_one", "lifecycle": "permanent" }),
        ),
        actor("płatność-支払い"),
        with(
            actor("sessions"),
            json!({
                "kind": "set", "mailbox": null, "messages": null, "strategy": "one_for_one",
                "instances": { "running": 99_998, "backing_off": 2 },
            }),
        ),
        with(
            actor("legacy"),
            json!({
                "state": "ended", "up_since_ms": null, "ended": { "why": "killed" },
            }),
        ),
        with(
            actor("import"),
            json!({ "state": "ended", "up_since_ms": null, "lifecycle": "temporary", "ended": { "why": "done" } }),
        ),
        with(actor("future"), json!({ "state": "hibernating", "up_since_ms": null, "news": [1, 2] })),
    ])
}

pub(crate) fn snapshot(at_ms: u64, root: Value) -> Message {
    message("snapshot", json!({ "seq": 1, "at_ms": at_ms, "root": root, "dead_letters": 3 }))
}

pub(crate) fn message(kind: &str, data: Value) -> Message {
    Message::of(kind, &data.to_string()).unwrap().unwrap()
}

pub(crate) fn event(path: &str, at_ms: u64, incarnation: u32, word: &str, details: Value) -> Message {
    let event = json!({ "path": path, "at_ms": at_ms, "incarnation": incarnation, "event": word });
    message("event", with(event, details))
}

/// An app that shows the shop; its time is 12 s, that of the server 102 s.
pub(crate) fn app(size: (u16, u16)) -> App {
    app_of(size, shop())
}

pub(crate) fn app_of(size: (u16, u16), root: Value) -> App {
    let mut app = App::new(setup(), size);
    app.apply(snapshot(90_000, root.clone()), Duration::ZERO);
    // The rate of each sample differs, so that the sparklines have a form.
    let numbers = [5, 40, 12, 0, 90, 60, 30, 10, 45, 80, 20, 100];
    let mut handled = 1000;
    for (second, number) in numbers.iter().enumerate() {
        handled += number;
        let at_ms = 91_000 + second as u64 * 1000;
        let mut nodes = Vec::new();
        for child in root["children"].as_array().unwrap() {
            let mut child = child.clone();
            child.as_object_mut().unwrap().remove("children");
            if !child["messages"].is_null() && child["path"] != "thumbnails" {
                child["messages"]["handled"] = handled.into();
            }
            nodes.push(child);
        }
        let letters = if second < 6 { 3 } else { 5 };
        let delta = json!({ "seq": 2, "at_ms": at_ms, "nodes": nodes, "removed": [], "dead_letters": letters });
        app.apply(message("delta", delta), MS * (at_ms - 90_000) as u32);
    }
    for happened in [
        event("db", 94_000, 3, "failed", json!({ "failure": failure("db", 3), "message": "Query" })),
        event(
            "db",
            94_000,
            3,
            "decided",
            json!({
                "failure": failure("db", 3), "directive": "restart", "streak": 2, "by": "child",
                "arm": { "index": 1, "text": "_ => Restart", "at": "src/shop.rs:40:5" },
            }),
        ),
        event("db", 94_001, 3, "restart_scheduled", json!({ "after_ms": 12_400 })),
        event("legacy", 95_000, 1, "requested", json!({ "operation": "kill", "by": "alice" })),
        event("cart", 96_000, 5, "dead_letter", json!({ "message": "CartMsg", "reason": "given_up" })),
        event("cart", 97_000, 5, "ask_cycle", json!({ "cycle": ["cart", "checkout"] })),
    ] {
        app.apply(happened, MS * 12_000);
    }
    app
}

pub(crate) const NOW: Duration = Duration::from_secs(12);

pub(crate) fn press(app: &mut App, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\u{8}' => KeyCode::Backspace,
            '\t' => KeyCode::Tab,
            letter => KeyCode::Char(letter),
        };
        code_pressed(app, code);
    }
}

pub(crate) fn code_pressed(app: &mut App, code: KeyCode) {
    assert_eq!(app.key(KeyEvent::new(code, KeyModifiers::NONE), NOW), None);
}

/// Selects this path.
pub(crate) fn select(app: &mut App, path: &str) {
    app.selected = Some(path.to_owned());
    app.settle(NOW);
    assert_eq!(app.selected.as_deref(), Some(path));
}

/// The detail of `db` as the server answers.
pub(crate) fn detail() -> Value {
    let shop = shop();
    let mut node = shop["children"][1].clone();
    node.as_object_mut().unwrap().remove("children");
    let events: Vec<Value> = [
        ("started", 100, 1, json!({})),
        ("failed", 60_000, 1, json!({ "failure": failure("db", 1) })),
        ("restarted", 64_000, 2, json!({})),
        ("dead_letter", 64_000, 2, json!({ "message": "Query", "reason": "restarted" })),
        ("failed", 94_000, 3, json!({ "failure": failure("db", 3), "message": "Query" })),
        (
            "decided",
            94_000,
            3,
            json!({
                "failure": failure("db", 3), "directive": "restart", "streak": 2, "by": "child",
                "arm": { "index": 1, "text": "_ => Restart", "at": "src/shop.rs:40:5" },
            }),
        ),
        ("restart_scheduled", 94_001, 3, json!({ "after_ms": 12_400 })),
    ]
    .into_iter()
    .map(|(word, at_ms, incarnation, details)| {
        with(json!({ "path": "db", "at_ms": at_ms, "incarnation": incarnation, "event": word }), details)
    })
    .collect();
    json!({
        "at_ms": 102_000, "node": node, "events": events,
        "spec": { "item": "Db", "doc": "The database of a neighbour,\nwhich is often away.", "shape": "one",
            "shutdown": "10s", "hooks": ["pre_start"] },
    })
}

/// A page of `sessions` as the server answers.
pub(crate) fn set_page(from: u64, count: u64, matching: u64) -> Value {
    let nodes: Vec<Value> = (from..matching.min(from + count))
        .map(|number| match number % 7 {
            3 => with(
                actor(&format!("sessions/{number}")),
                json!({
                    "state": "backing_off", "until_ms": 104_000, "up_since_ms": null, "incarnation": 2,
                    "restarts": { "used": 2, "max": 5, "within_ms": 60_000 }, "last_failure": failure("sessions/3", 1),
                }),
            ),
            _ => actor(&format!("sessions/{number}")),
        })
        .collect();
    json!({
        "at_ms": 102_000, "path": "sessions", "total": 100_000, "matching": matching, "from": from,
        "instances": { "running": 99_998, "backing_off": 2 }, "nodes": nodes,
    })
}
