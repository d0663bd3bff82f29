//! Texts and messages of somebody who means harm.

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};
use serde_json::{Value, json};
use supervise_top::app::App;
use supervise_top::sse::Parser;
use supervise_top::text::{clean, fit, width, wrap};
use supervise_top::view;
use supervise_top::wire::{Detail, Info, Message, SetPage, error_of};

use crate::common::*;

/// A title for the window, a bell, a clear screen, C1 codes, a turned direction.
const EVIL: &str =
    "x\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{90}q\u{202e}live\u{2066}\r\n\u{8}\u{0}\u{7f}\u{85}\u{2028}end";

fn evil_failure() -> Value {
    json!({ "path": EVIL, "incarnation": 1, "phase": EVIL, "cause": EVIL, "chain": [EVIL, EVIL], "before": { "cause": EVIL, "chain": [EVIL] } })
}

fn evil() -> Value {
    with(
        actor(EVIL),
        json!({
            "name": EVIL, "kind": EVIL, "state": EVIL, "lifecycle": EVIL, "declared_at": EVIL, "settings": [EVIL], "hooks": [EVIL],
            "starts_after": EVIL, "waits_for": [EVIL], "runs_on": EVIL, "window": 4, "instances": { EVIL: 3 }, "ended": { "why": EVIL, "reason": EVIL },
            "last_failure": evil_failure(), "strategy": EVIL,
            "failed_instances": [{ "name": EVIL, "at_ms": 5, "failure": evil_failure() }, EVIL, {}],
        }),
    )
}

/// Everything that can be on the screen, from a server that puts escape sequences into each text.
fn screens() -> Vec<App> {
    let mut apps = Vec::new();
    for size in [(80, 24), (160, 50), (40, 10)] {
        for ascii in [false, true] {
            let mut root = tree(vec![
                evil(),
                with(evil(), json!({ "path": "set", "state": "backing_off", "until_ms": 200_000 })),
                with(evil(), json!({ "path": "gone", "state": "ended" })),
            ]);
            root["name"] = EVIL.into();
            let mut app = app_of(size, root);
            app.setup.ascii = ascii;
            app.setup.address = EVIL.to_owned();
            for word in [
                "failed",
                "decided",
                "requested",
                "ended",
                "dead_letter",
                "ask_cycle",
                "stopping",
                "placed",
                "node_lost",
                "no_node",
                "refused",
                "not_written",
                "node_joined",
                "node_left",
                "node_refused",
                EVIL,
            ] {
                app.apply(event(EVIL, 101_000, 1, word, json!({
                    "failure": evil_failure(), "directive": EVIL, "by": EVIL, "message": EVIL, "reason": EVIL, "operation": EVIL,
                    "node": EVIL, "role": EVIL, "why": EVIL, "build": EVIL, "after_ms": EVIL,
                    "arm": { "index": 1, "text": EVIL, "at": EVIL }, "cycle": [EVIL, EVIL], "ended": { "why": EVIL, "failure": evil_failure() },
                })), NOW);
            }
            select(&mut app, EVIL);
            for keys in ["", "p", "t", "w", "e", "a", "ak", "as", "/\u{202e}"] {
                let mut app = app.clone();
                press(&mut app, keys);
                apps.push(app);
            }
            let mut detail = app.clone();
            press(&mut detail, "i");
            let asked = detail.requests(NOW).pop().unwrap();
            let events: Vec<Value> =
                app.model.events.iter().map(|_| json!({ "event": EVIL, "at_ms": 1, "by": EVIL })).collect();
            let body = json!({ "at_ms": 1, "node": evil(), "events": events, "spec": { "item": EVIL, "doc": EVIL, "shape": EVIL, "shutdown": EVIL } });
            detail.answer(&asked, Ok(body.to_string()), NOW);
            apps.push(detail.clone());
            code_pressed(&mut detail, KeyCode::Tab);
            code_pressed(&mut detail, KeyCode::End);
            apps.push(detail);
            let mut set = app.clone();
            select(&mut set, "set");
            press(&mut set, "\n");
            let asked = set.requests(NOW).pop().unwrap();
            let page = json!({ "at_ms": 1, "total": 1, "matching": 1, "from": 0, "instances": { EVIL: 1 }, "nodes": [evil()] });
            set.answer(&asked, Ok(page.to_string()), NOW);
            apps.push(set);
            let mut flash = app.clone();
            flash.say(EVIL, true, NOW);
            flash.model.cannot_read(EVIL.to_owned());
            apps.push(flash);
            let mut away = app.clone();
            away.model.lose(EVIL.to_owned(), NOW, NOW);
            apps.push(away);
        }
    }
    apps
}

/// Returns what is left of the output after the sequences that ratatui writes: moves, styles, and nothing else.
fn without_styles(output: &str) -> String {
    let mut rest = String::new();
    let mut letters = output.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            rest.push(letter);
            continue;
        }
        assert_eq!(letters.next(), Some('['), "only control sequences: {output:?}");
        let sequence: String = letters.by_ref().take_while(|letter| !letter.is_ascii_alphabetic()).collect();
        assert!(
            sequence.chars().all(|letter| letter.is_ascii_digit() || letter == ';' || letter == '?'),
            "{sequence:?}"
        );
    }
    rest
}

#[test]
fn no_escape_sequence_reaches_the_terminal() {
    for app in screens() {
        let (columns, rows) = app.size;
        let mut output = Vec::new();
        let mut terminal = Terminal::with_options(
            CrosstermBackend::new(&mut output),
            TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, columns, rows)) },
        )
        .unwrap();
        terminal.draw(|frame| view::draw(&app, frame.buffer_mut(), NOW)).unwrap();
        drop(terminal);
        let output = String::from_utf8(output).unwrap();
        let text = without_styles(&output);
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{85}', '\u{9b}']), "{text:?}");
        assert!(!app.setup.ascii || text.is_ascii(), "{text:?}");
        assert!(text.contains("x\\u{"), "the name is shown, with the sequence as text: {text:?}");
    }
}

/// Nothing is left to the library that draws.
#[test]
fn a_text_is_clean_before_it_is_drawn() {
    let expected = "x\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{90}qlive\\r\\n\\u{8}\\u{0}\\u{7f}\\u{85}\\u{2028}end";
    assert_eq!((clean(EVIL, false).as_str(), clean(EVIL, true).as_str()), (expected, expected));
    for letter in [
        '\u{ad}',
        '\u{61c}',
        '\u{200b}',
        '\u{200d}',
        '\u{200f}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2069}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        assert_eq!(clean(&format!("a{letter}b"), false), "ab", "{letter:?}");
    }
    let marks = "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}x\u{301}";
    assert_eq!(clean(marks, false), "e\u{301}\u{302}\u{303}\u{304}x\u{301}");
}

#[test]
fn a_tree_that_is_too_deep_is_an_error() {
    let mut text = "{\"children\":[".repeat(100_000);
    text.push_str(&"]}".repeat(100_000));
    let error = Message::of("snapshot", &format!("{{\"root\":{text}}}")).unwrap_err();
    assert!(error.to_string().contains("recursion limit"), "{error}");
}

#[test]
fn many_who_wait_in_a_row_are_followed() {
    let count = 20_000;
    let wait = |number: usize| json!({ "path": format!("a{number}"), "waits_for": [format!("a{}", number + 1)] });
    let app = app_of((80, 24), tree((0..count).map(wait).collect()));
    assert_eq!(app.model.cycles(), Vec::<Vec<String>>::new());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["running", "backing_off", "ended", "set", "tree", "Shop", "a", "b", "permanent"])
            .prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "path",
        "name",
        "kind",
        "state",
        "until_ms",
        "ended",
        "why",
        "failure",
        "restarts",
        "used",
        "max",
        "within_ms",
        "restored_ms",
        "mailbox",
        "waiting",
        "capacity",
        "blocked",
        "oldest_ms",
        "messages",
        "handled",
        "busy_us",
        "in_hand_us",
        "runs_for_ms",
        "starts_after",
        "waits_for",
        "runs_on",
        "window",
        "instances",
        "last_failure",
        "failed_instances",
        "chain",
        "before",
        "children",
        "parent",
        "index",
        "at_ms",
        "root",
        "nodes",
        "removed",
        "event",
        "cycle",
        "dead_letters",
        "missed",
        "node",
        "spec",
        "events",
        "total",
        "matching",
        "from",
        "incarnation",
        "up_since_ms",
    ]);
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..8)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Value>()),
        ]
    })
}

/// A value that has the form of a message, with some fields replaced.
fn message_value() -> impl Strategy<Value = (&'static str, Value)> {
    let node = || {
        (value(), prop::sample::select(vec!["Shop", "a", "b", "a/b"])).prop_map(|(value, path)| match value {
            Value::Object(_) => with(value, json!({ "path": path })),
            _ => actor(path),
        })
    };
    prop_oneof![
        (any::<u64>(), node(), prop::collection::vec(node(), 0..5)).prop_map(|(at_ms, root, children)| (
            "snapshot",
            json!({ "at_ms": at_ms, "root": with(root, json!({ "children": children })) })
        )),
        (any::<u64>(), prop::collection::vec(node(), 0..5), any::<Option<u64>>()).prop_map(
            |(at_ms, nodes, letters)| (
                "delta",
                json!({ "at_ms": at_ms, "nodes": nodes, "removed": ["b"], "dead_letters": letters })
            )
        ),
        (any::<u64>(), value()).prop_map(|(at_ms, value)| (
            "event",
            with(json!({ "at_ms": at_ms, "path": "a", "event": "ask_cycle" }), json!({ "cycle": value }))
        )),
        value().prop_map(|value| ("gap", value)),
        value().prop_map(|value| ("end", value)),
        value().prop_map(|value| ("snapshot", value)),
        value().prop_map(|value| ("delta", value)),
    ]
}

fn key() -> impl Strategy<Value = KeyCode> {
    prop_oneof![
        prop::sample::select(vec![
            'j', 'k', 'g', 'G', 'i', 'w', 'e', 'a', 's', 'r', 'y', 't', 'p', 'o', '/', '-', '+', ' ', 'f', '?', 'x'
        ])
        .prop_map(KeyCode::Char),
        prop::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::PageDown,
            KeyCode::PageUp,
            KeyCode::End,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Backspace
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever a console sends and whoever types: nothing panics, and every screen can be drawn.
    #[test]
    fn nothing_that_is_sent_or_typed_panics(
        steps in prop::collection::vec((message_value(), prop::collection::vec(key(), 0..4), any::<u32>()), 1..8),
        columns in 1_u16..130,
        rows in 1_u16..40,
    ) {
        let mut app = App::new(setup(), (columns, rows));
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        let mut now = MS;
        for ((kind, value), keys, later) in steps {
            if let Ok(Some(message)) = Message::of(kind, &value.to_string()) {
                app.apply(message, now);
            }
            for key in keys {
                app.key(KeyEvent::new(key, KeyModifiers::NONE), now);
            }
            for asked in app.requests(now) {
                app.answer(&asked, Ok(value.to_string()), now);
            }
            now += MS * (later % 100_000);
            app.settle(now);
            terminal.draw(|frame| view::draw(&app, frame.buffer_mut(), now)).unwrap();
            prop_assert!(app.model.paths().len() == app.model.len(), "every node is below the root");
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,300}") {
        for kind in ["snapshot", "delta", "event", "gap", "end"] {
            let _ = Message::of(kind, &text);
        }
        let _ = (Detail::of(&text), SetPage::of(&text), Info::of(&text), error_of(&text), Parser::default().push(text.as_bytes()));
    }

    #[test]
    fn a_clean_text_is_harmless_and_fits(text in any::<String>(), columns in 0_usize..40) {
        for ascii in [false, true] {
            let cleaned = clean(&text, ascii);
            prop_assert!(!cleaned.chars().any(char::is_control));
            prop_assert!(!ascii || cleaned.is_ascii());
            prop_assert_eq!(&clean(&cleaned, ascii), &cleaned);
            prop_assert!(width(&fit(&cleaned, columns, "~")) <= columns);
            for line in wrap(&cleaned, columns.max(2)) {
                prop_assert!(width(&line) <= columns.max(2), "{:?}", line);
            }
            let words = |text: &str| text.replace(' ', "");
            prop_assert_eq!(words(&wrap(&cleaned, columns.max(2)).concat()), words(&cleaned));
        }
    }
}
