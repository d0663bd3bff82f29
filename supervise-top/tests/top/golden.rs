//! Screens, compared with the files in `tests/golden`. `UPDATE=1` writes them.
//!
//! A file has the screen, then a letter for the style of each cell: the first one of its colour, a capital letter if it is
//! bold, `*` if it is selected, `.` if it is dim.

use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};
use serde_json::json;
use supervise_top::app::App;
use supervise_top::shell::text_of;
use supervise_top::view;

use crate::common::*;

fn drawn(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| view::draw(app, frame.buffer_mut(), NOW)).unwrap();
    terminal.backend().buffer().clone()
}

fn style_of(cell: &Cell) -> char {
    let letter = match cell.fg {
        Color::Reset => ' ',
        Color::Green => 'g',
        Color::Red => 'r',
        Color::Yellow => 'y',
        Color::Cyan => 'c',
        Color::DarkGray => 'd',
        other => panic!("{other} is not one of the 16 colours that are used"),
    };
    assert_eq!(cell.bg, Color::Reset, "the background is that of the user");
    match cell.modifier {
        modifier if modifier.contains(Modifier::REVERSED) => '*',
        modifier if modifier.contains(Modifier::BOLD) && letter == ' ' => 'B',
        modifier if modifier.contains(Modifier::BOLD) => letter.to_ascii_uppercase(),
        modifier if modifier.contains(Modifier::DIM) => '.',
        _ => letter,
    }
}

fn golden(name: &str, app: &App) {
    let buffer = drawn(app);
    let mut text = text_of(app, NOW);
    text.push_str(&"=".repeat(usize::from(app.size.0)));
    text.push('\n');
    for y in 0..app.size.1 {
        let styles: String = (0..app.size.0).map(|x| style_of(&buffer[(x, y)])).collect();
        text.push_str(styles.trim_end());
        text.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE=1 writes it", path.display()));
    assert!(expected == text, "{name} is now\n{text}\nand was\n{expected}\nUPDATE=1 writes it");
}

/// Returns the lines of the screen.
fn lines(app: &App) -> Vec<String> {
    text_of(app, NOW).lines().map(str::to_owned).collect()
}

#[test]
fn the_tree_in_every_size() {
    for size in [(80, 24), (120, 40), (160, 50), (40, 10), (20, 6)] {
        golden(&format!("tree-{}x{}", size.0, size.1), &app(size));
    }
}

/// Actors that wait for each other are marked, and no others.
#[test]
fn a_circle_of_asks_is_marked() {
    let mut app = app((80, 24));
    let marked = |app: &App| lines(app).iter().filter(|line| line.contains("ask cycle")).count();
    assert_eq!(marked(&app), 2);
    let waits = with(actor("checkout"), json!({ "waits_for": ["db"] }));
    app.apply(message("delta", json!({ "at_ms": 102_100, "nodes": [waits], "removed": [] })), NOW);
    assert_eq!(marked(&app), 0);
}

/// The details of a remote child say where it runs, and what is on its way there.
#[test]
fn the_details_name_the_node() {
    let mut app = app((120, 40));
    let remote = with(actor("checkout"), json!({ "runs_on": "n1", "window": 4 }));
    app.apply(message("delta", json!({ "at_ms": 102_100, "nodes": [remote], "removed": [] })), NOW);
    select(&mut app, "checkout");
    press(&mut app, "i");
    assert!(lines(&app).iter().any(|line| line.contains("n1, 4 messages on their way")), "{:#?}", lines(&app));
}

#[test]
fn the_tree_in_ascii() {
    let mut app = app((80, 24));
    app.setup.ascii = true;
    golden("tree-ascii-80x24", &app);
    assert!(text_of(&app, NOW).is_ascii());
    app.setup.ascii = false;
    assert!(!text_of(&app, NOW).is_ascii());
}

#[test]
fn the_tree_without_colours() {
    let mut app = app((80, 24));
    app.setup.colour = false;
    golden("tree-no-colour-80x24", &app);
    assert!(drawn(&app).content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    app.setup.colour = true;
    assert!(drawn(&app).content.iter().any(|cell| cell.fg == Color::Red));
}

#[test]
fn the_connection() {
    let mut fresh = App::new(setup(), (80, 24));
    golden("connecting", &fresh);
    fresh.model.lose("cannot connect to 127.0.0.1:9090: nobody listens there".to_owned(), NOW + MS * 2000, NOW);
    golden("away-from-the-begin", &fresh);

    let mut away = app((80, 24));
    away.model.lose("the console has closed the connection".to_owned(), NOW + MS * 1500, NOW - MS * 3000);
    golden("away", &away);

    let mut ended = app((80, 24));
    let end = json!({ "ended": { "why": "failed", "failure": failure("db", 3) } });
    ended.apply(message("end", end), NOW);
    golden("ended", &ended);
}

#[test]
fn every_window() {
    for (name, keys) in [("help", "?"), ("warnings", "w"), ("events", "e"), ("menu", "a"), ("confirm", "ar")] {
        for size in [(80, 24), (40, 10)] {
            let mut app = app(size);
            select(&mut app, "db");
            press(&mut app, keys);
            golden(&format!("{name}-{}x{}", size.0, size.1), &app);
        }
    }
    let mut app = app((80, 24));
    select(&mut app, "sessions");
    press(&mut app, "akses");
    golden("confirm-name", &app);
}

#[test]
fn the_list_filtered_and_ordered() {
    let mut filtered = app((80, 24));
    press(&mut filtered, "/rep");
    golden("filter-typed", &filtered);
    press(&mut filtered, "\n");
    golden("filter", &filtered);

    let mut flat = app((80, 24));
    press(&mut flat, "tooooo");
    golden("flat-by-rate", &flat);

    let mut problems = app((80, 24));
    press(&mut problems, "p");
    golden("problems", &problems);

    let mut none = app((80, 24));
    press(&mut none, "/nothing like it\n");
    assert!(lines(&none)[4].starts_with("nothing matches"), "{:?}", lines(&none));
}

#[test]
fn the_detail() {
    for size in [(80, 24), (120, 40)] {
        let mut app = app(size);
        select(&mut app, "db");
        press(&mut app, "i");
        golden(&format!("detail-reading-{}x{}", size.0, size.1), &app);
        let asked = app.requests(NOW).pop().unwrap();
        app.answer(&asked, Ok(detail().to_string()), NOW);
        golden(&format!("detail-{}x{}", size.0, size.1), &app);
        if size.0 == 80 {
            code_pressed(&mut app, KeyCode::End);
            golden("detail-end-80x24", &app);
        }
    }
}

#[test]
fn a_page_of_a_set() {
    for size in [(80, 24), (40, 10)] {
        let mut app = app(size);
        select(&mut app, "sessions");
        press(&mut app, "\n");
        let asked = app.requests(NOW).pop().unwrap();
        app.answer(&asked, Ok(set_page(0, app.set_count(), 100_000).to_string()), NOW);
        golden(&format!("set-{}x{}", size.0, size.1), &app);
    }
}

/// The row of a set says what it has lost last, and its detail lists all, the newest first.
#[test]
fn a_set_shows_the_instances_that_it_has_lost() {
    let lost = |name: &str, at_ms: u64| json!({ "name": name, "at_ms": at_ms, "failure": failure("sessions/x", 1) });
    let set = |lost: Vec<serde_json::Value>, instances: serde_json::Value| {
        let fields = json!({
            "kind": "set", "mailbox": null, "messages": null, "instances": instances, "failed_instances": lost,
        });
        app_of((160, 50), tree(vec![with(actor("sessions"), fields)]))
    };
    let app = set(vec![lost("alice", 90_000)], json!({}));
    let text = text_of(&app, NOW);
    assert!(text.contains("lost alice: no"), "{text}");
    let mut app = set(vec![lost("alice", 90_000), lost("bob", 100_000)], json!({ "running": 3 }));
    let text = text_of(&app, NOW);
    assert!(text.contains("3 running, lost 2, the last bob: no"), "{text}");
    select(&mut app, "sessions");
    press(&mut app, "i");
    let text = text_of(&app, NOW);
    let (_, detail) = text.split_once("Failed instances").expect("the list has a head");
    let place = |name: &str| detail.find(&format!("{name}: no")).unwrap_or_else(|| panic!("no {name}: {text}"));
    assert!(place("bob") < place("alice"), "{text}");
}

/// Below the smallest size nothing is drawn, and nothing panics.
#[test]
fn every_size_can_be_drawn() {
    for keys in ["", "?", "w", "e", "a", "ar", "i", "tp", "/x"] {
        let mut app = app((60, 20));
        select(&mut app, "db");
        press(&mut app, keys);
        for columns in (1..40).step_by(3).chain([12, 13, 31, 32, 49, 50, 57, 58, 63, 64, 109, 110, 300]) {
            for rows in [1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 40] {
                app.resize((columns, rows), NOW);
                drawn(&app);
            }
        }
    }
    let mut tiny = app((8, 2));
    tiny.setup.colour = false;
    assert_eq!(lines(&tiny)[0], "too sma…");
}

/// The columns begin at the same place in each row, whatever the width of the letters in the names.
#[test]
fn wide_and_combining_letters_keep_the_columns() {
    let names = [
        "plain",
        "支払い",
        "n\u{303}o\u{308}",
        "👩‍👩‍👧",
        "zalgo\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "e\u{301}\u{200d}x",
        "ﷺ",
        "🇩🇪",
    ];
    let app = app_of((80, 24), tree(names.iter().map(|name| actor(name)).collect()));
    let buffer = drawn(&app);
    let head = lines(&app)[3].find("STATE").unwrap() as u16;
    for row in 0..names.len() as u16 {
        let cells: String = (head..head + 7).map(|x| buffer[(x, 5 + row)].symbol()).collect();
        assert_eq!(cells, "running", "row {row}: {}", lines(&app)[usize::from(5 + row)]);
    }
}

/// S63: where remote children are, and the nodes.
#[test]
fn nodes() {
    let remote = |path: &str, more| with(with(actor(path), json!({ "messages": null })), more);
    let wait = json!({ "role": "edge", "since_ms": 4000 });
    let root = tree(vec![
        remote("pricing", json!({ "runs_on": "host-7#1", "window": 3 })),
        remote("search", json!({ "runs_on": "host-8#2", "window": 0 })),
        remote("gateway", json!({ "state": "starting", "up_since_ms": null, "waits_for_node": wait, "window": 0 })),
    ]);
    let network = json!({
        "nodes": [
            { "name": "host-7#1", "role": "worker", "children": 1, "capacity": 100, "lease_left_ms": 4200, "round_trip_us": 310 },
            { "name": "host-8#2", "role": "worker", "children": 1, "capacity": 1, "lease_left_ms": 1500, "build": "1.4.2" },
            { "name": "host-9#1", "role": "worker", "children": 0, "capacity": null },
        ],
        "refused": [{ "name": "host-3#1", "why": "it follows a newer owner, shop-2" }],
        "waiting": [{ "role": "edge", "children": 3 }],
    });
    let of = |size| {
        let mut app = App::new(setup(), size);
        let data = json!({ "at_ms": 102_000, "root": root, "dead_letters": 0, "network": network });
        app.apply(message("snapshot", data), NOW);
        app
    };
    for size in [(80, 24), (120, 40)] {
        golden(&format!("remote-{}x{}", size.0, size.1), &of(size));
    }
    let mut app = of((80, 24));
    press(&mut app, "n");
    golden("nodes-80x24", &app);
    press(&mut app, "n");
    press(&mut app, "jjji");
    golden("remote-detail-80x24", &app);
}
