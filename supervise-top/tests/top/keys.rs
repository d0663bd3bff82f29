//! Keys: where they lead, and which requests they make.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;
use supervise_top::app::{App, Ask, Effect, Operation, Overlay, Sort};
use supervise_top::shell::text_of;
use supervise_top::wire::State;

use crate::common::*;

fn paths(app: &App) -> Vec<String> {
    app.rows(NOW).into_iter().map(|row| row.path).collect()
}

fn selected(app: &App) -> &str {
    app.selected.as_deref().unwrap()
}

fn has(app: &App, text: &str) -> bool {
    text_of(app, NOW).contains(text)
}

#[test]
fn the_selection_moves_and_the_list_follows() {
    let mut app = app((80, 12));
    assert_eq!((selected(&app), app.list_height()), ("Shop", 8));
    press(&mut app, "jjk");
    assert_eq!(selected(&app), "console");
    code_pressed(&mut app, KeyCode::PageDown);
    assert_eq!((selected(&app), app.top), ("reports/weekly", 2));
    press(&mut app, "G");
    assert_eq!((selected(&app), app.top), ("future", 7));
    press(&mut app, "j");
    assert_eq!(selected(&app), "future");
    press(&mut app, "kkk");
    assert_eq!(app.top, 7, "the list moves only if it has to");
    press(&mut app, "g");
    assert_eq!((selected(&app), app.top), ("Shop", 0));
    code_pressed(&mut app, KeyCode::Up);
    assert_eq!(selected(&app), "Shop");
}

#[test]
fn the_selection_stays_with_its_node_or_its_place() {
    let mut app = app((80, 24));
    select(&mut app, "checkout");
    let gone = |paths: &[&str]| message("delta", json!({ "at_ms": 102_500, "nodes": [], "removed": paths }));
    app.apply(gone(&["console", "db"]), NOW);
    assert_eq!(selected(&app), "checkout");
    app.apply(gone(&["checkout"]), NOW);
    assert_eq!(selected(&app), "thumbnails");
}

#[test]
fn branches_open_and_close() {
    let mut app = app((80, 24));
    let all = paths(&app).len();
    select(&mut app, "reports/weekly");
    press(&mut app, "h");
    assert_eq!(selected(&app), "reports", "first to the parent");
    press(&mut app, "h");
    assert_eq!(paths(&app).len(), all - 2);
    assert!(has(&app, "▸● reports"));
    press(&mut app, "l");
    assert_eq!(paths(&app).len(), all);
    press(&mut app, " ");
    assert_eq!(paths(&app).len(), all - 2);
    press(&mut app, "\n");
    assert_eq!(paths(&app).len(), all);
    press(&mut app, "-");
    assert_eq!(paths(&app).len(), all - 2);
    press(&mut app, "+");
    assert_eq!(paths(&app).len(), all);
}

#[test]
fn the_filter_shows_what_matches_and_what_is_above() {
    let mut app = app((80, 24));
    press(&mut app, "/DAI");
    assert_eq!(paths(&app), ["Shop", "reports", "reports/daily"]);
    assert!(app.rows(NOW)[1].is_context && !app.rows(NOW)[2].is_context);
    press(&mut app, "\u{8}\u{8}\u{8}backing off\n");
    assert_eq!(paths(&app), ["Shop", "db"], "a state is found, too");
    // The keys are keys again.
    press(&mut app, "j");
    assert_eq!((selected(&app), &*app.filter), ("db", "backing off"));
    press(&mut app, "\u{1b}");
    assert_eq!(paths(&app).len(), 15);
    // Esc in the field clears it.
    press(&mut app, "/x\u{1b}");
    assert_eq!((&*app.filter, app.is_typing), ("", false));
    // A letter that is a key elsewhere is text here.
    press(&mut app, "/q?");
    assert_eq!(&*app.filter, "q?");
}

#[test]
fn problems_are_what_is_down_or_warned_of() {
    let mut app = app((80, 24));
    press(&mut app, "tp");
    assert_eq!(
        paths(&app),
        ["db", "cart", "thumbnails", "search", "reports/daily", "reports/weekly", "sessions", "legacy", "future"]
    );
}

#[test]
fn every_order_orders() {
    let mut app = app((80, 24));
    press(&mut app, "t");
    let mut firsts = Vec::new();
    for sort in Sort::ALL {
        assert_eq!(app.sort, sort);
        firsts.push((sort.word(), paths(&app).into_iter().take(2).collect::<Vec<_>>().join(" ")));
        press(&mut app, "o");
    }
    assert_eq!(app.sort, Sort::Declared);
    let expected = [
        ("declared", "Shop console"),
        ("name", "cart checkout"),
        ("state", "legacy reports/daily"),
        ("restarts", "cart db"),
        ("mailbox", "search db"),
        ("msg/s", "db cart"),
        ("busy", "thumbnails cart"),
    ];
    assert_eq!(firsts, expected.map(|(word, first)| (word, first.to_owned())));

    // In the tree, siblings are ordered.
    press(&mut app, "to");
    assert_eq!(paths(&app)[..3], ["Shop", "cart", "checkout"]);
    assert_eq!(
        paths(&app).iter().position(|path| path == "reports/daily"),
        paths(&app).iter().position(|path| path == "reports").map(|at| at + 1)
    );
}

#[test]
fn a_warning_leads_to_its_child() {
    let mut app = app((80, 24));
    press(&mut app, "-wjjjj\n");
    assert_eq!(selected(&app), "reports/daily");
    assert_eq!(app.overlay, None);
    assert!(has(&app, "daily"), "its branch is open");
    // One of an instance leads to its set.
    app.apply(event("sessions/7", 102_000, 1, "ask_cycle", json!({ "cycle": ["sessions/7"] })), NOW);
    let at = app.model.warnings(NOW).iter().position(|warning| warning.path == "sessions/7").unwrap();
    press(&mut app, &format!("w{}\n", "j".repeat(at)));
    assert_eq!(selected(&app), "sessions");
}

#[test]
fn windows_close_and_keys_end_the_program() {
    for window in ["?", "w", "e", "a"] {
        let mut app = app((80, 24));
        press(&mut app, window);
        assert!(app.overlay.is_some(), "{window}");
        press(&mut app, "\u{1b}");
        assert_eq!(app.overlay, None, "{window}");
    }
    let mut app = app((80, 24));
    let pressed = |app: &mut App, letter, modifiers| app.key(KeyEvent::new(KeyCode::Char(letter), modifiers), NOW);
    assert_eq!(pressed(&mut app, 'l', KeyModifiers::CONTROL), Some(Effect::Redraw));
    assert_eq!(pressed(&mut app, 'q', KeyModifiers::NONE), Some(Effect::Quit));
    press(&mut app, "/");
    assert_eq!(pressed(&mut app, 'q', KeyModifiers::NONE), None, "a letter of the filter");
    assert_eq!(pressed(&mut app, 'c', KeyModifiers::CONTROL), Some(Effect::Quit));
}

/// A terminal sends the same bytes for both.
#[test]
fn alt_is_esc_before_the_key() {
    let mut app = app((80, 24));
    select(&mut app, "db");
    press(&mut app, "i");
    assert_eq!(app.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::ALT), NOW), None);
    assert_eq!((&app.detail, &app.overlay), (&None, &Some(Overlay::Warnings(0))));
}

#[test]
fn events_scroll_back() {
    let mut app = app((80, 12));
    for number in 0..50 {
        app.apply(event("cart", 101_000, number, "restarted", json!({})), NOW);
    }
    press(&mut app, "e");
    assert!(has(&app, "cart #49"));
    code_pressed(&mut app, KeyCode::Home);
    assert!(!has(&app, "cart #49") && has(&app, "db #3 failed"), "{}", text_of(&app, NOW));
    code_pressed(&mut app, KeyCode::Down);
    code_pressed(&mut app, KeyCode::End);
    assert!(has(&app, "cart #49"));
    press(&mut app, "e");
    assert_eq!(app.overlay, None);
}

fn control(app: &mut App) -> Option<(String, Operation, String)> {
    app.requests(NOW).into_iter().find_map(|(_, ask)| match ask {
        Ask::Control { path, operation, by } => Some((path, operation, by)),
        _ => None,
    })
}

#[test]
fn an_operation_takes_a_key_and_its_confirmation() {
    let mut app = app((80, 24));
    select(&mut app, "db");
    press(&mut app, "arn");
    assert_eq!((control(&mut app), &app.overlay), (None, &None), "not confirmed");
    press(&mut app, "ar\u{1b}");
    assert_eq!((control(&mut app), &app.overlay), (None, &None), "not confirmed");
    press(&mut app, "arx");
    assert_eq!(control(&mut app), None);
    press(&mut app, "y");
    assert_eq!(control(&mut app), Some(("db".to_owned(), Operation::Restart, "kim".to_owned())));
    assert_eq!(control(&mut app), None, "once");
    for (key, operation) in Operation::ALL {
        press(&mut app, &format!("a{key}y"));
        assert_eq!(control(&mut app).map(|(_, operation, _)| operation), Some(operation));
    }
}

#[test]
fn to_stop_a_tree_its_name_is_typed() {
    let mut app = app((80, 24));
    for (path, name) in [("reports", "reports"), ("sessions", "sessions"), ("Shop", "Shop")] {
        for (key, operation) in [('s', Operation::Stop), ('k', Operation::Kill)] {
            select(&mut app, path);
            press(&mut app, &format!("a{key}y\n"));
            assert_eq!(control(&mut app), None, "y is a letter");
            press(&mut app, "\u{8}");
            press(&mut app, name);
            assert_eq!(control(&mut app), None, "not before Enter");
            press(&mut app, "\n");
            assert_eq!(control(&mut app), Some((path.to_owned(), operation, "kim".to_owned())));
        }
    }
    select(&mut app, "reports");
    press(&mut app, "ary");
    assert!(control(&mut app).is_some(), "a restart comes up again");
}

#[test]
fn the_answer_to_an_operation_is_shown_for_a_while() {
    let mut app = app((80, 24));
    select(&mut app, "db");
    press(&mut app, "asy");
    let asked = app.requests(NOW).pop().unwrap();
    app.answer(&asked, Ok("{\"accepted\":true}".to_owned()), NOW);
    assert!(has(&app, "stop: db: accepted"));
    app.answer(&asked, Err("db has ended already".to_owned()), NOW);
    assert!(has(&app, "stop: db: db has ended already"));
    app.settle(NOW + MS * 9000);
    assert!(has(&app, "q quit"));
}

#[test]
fn without_a_token_nothing_can_be_done() {
    let mut app = app((80, 24));
    app.setup.control = false;
    select(&mut app, "db");
    assert!(!has(&app, "a act"));
    press(&mut app, "a");
    assert_eq!(app.overlay, None);
    assert!(has(&app, "no control: start with --control-token-file"));
    press(&mut app, "sy");
    assert_eq!(control(&mut app), None);
}

#[test]
fn a_set_is_read_page_by_page() {
    let mut app = app((80, 24));
    select(&mut app, "sessions");
    press(&mut app, "\n");
    let count = app.set_count();
    assert_eq!(count, 18);
    let ask = |app: &mut App, ms: u32| {
        let (number, ask) = app.requests(NOW + MS * ms).pop()?;
        let Ask::Set { from, state, name, sort, count, .. } = ask.clone() else { panic!("{ask:?}") };
        let body = set_page(from, count, 100_000).to_string();
        app.answer(&(number, ask), Ok(body), NOW + MS * ms);
        Some((from, state, name, sort))
    };
    assert_eq!(ask(&mut app, 0), Some((0, None, String::new(), "order")));
    assert_eq!(ask(&mut app, 1000), None, "it is new enough");
    assert!(ask(&mut app, 2000).is_some(), "and read again after two seconds");
    code_pressed(&mut app, KeyCode::PageDown);
    assert_eq!(ask(&mut app, 3000).unwrap().0, 18);
    press(&mut app, "G");
    assert_eq!(ask(&mut app, 4000).unwrap().0, 99_990);
    assert_eq!(app.target().as_deref(), Some("sessions/99999"));
    press(&mut app, "j");
    assert_eq!(app.target().as_deref(), Some("sessions/99999"), "the end");
    press(&mut app, "gk");
    assert_eq!(ask(&mut app, 5000).unwrap().0, 0);
    for _ in 0..18 {
        press(&mut app, "j");
    }
    assert_eq!(ask(&mut app, 6000).unwrap().0, 18, "beyond the last row is the next page");
    assert_eq!(app.target().as_deref(), Some("sessions/18"));
    press(&mut app, "k");
    assert_eq!(ask(&mut app, 7000).unwrap().0, 0);
    assert_eq!(app.target().as_deref(), Some("sessions/17"));

    press(&mut app, "oo/al\nf");
    assert_eq!(ask(&mut app, 8000), Some((0, Some("queued"), "al".to_owned(), "restarts")));
    press(&mut app, "p");
    assert_eq!(ask(&mut app, 9000).unwrap().1, None);
    press(&mut app, "p");
    assert_eq!(ask(&mut app, 10_000).unwrap().1, Some("backing_off"));
    assert_eq!(app.set.as_ref().unwrap().state, Some(State::BackingOff));
    press(&mut app, "\u{1b}");
    assert!(app.set.is_none());
}

/// Every letter of a filter makes the answer on its way worthless, and an old answer is not shown.
#[test]
fn an_old_answer_is_not_shown() {
    let mut app = app((80, 24));
    select(&mut app, "sessions");
    press(&mut app, "\n");
    let old = app.requests(NOW).pop().unwrap();
    press(&mut app, "/x");
    app.answer(&old, Ok(set_page(0, 5, 5).to_string()), NOW);
    assert!(app.set.as_ref().unwrap().page.is_none());
    let new = app.requests(NOW + MS * 500).pop().unwrap();
    app.answer(&new, Err("the console is busy".to_owned()), NOW);
    assert!(has(&app, "the console is busy"));
}

/// A set that has shrunk shows its begin, not an empty page for ever.
#[test]
fn a_page_beyond_the_end_goes_back() {
    let mut app = app((80, 24));
    select(&mut app, "sessions");
    press(&mut app, "\n");
    let first = app.requests(NOW).pop().unwrap();
    app.answer(&first, Ok(set_page(0, 18, 100).to_string()), NOW);
    press(&mut app, "G");
    let last = app.requests(NOW + MS * 500).pop().unwrap();
    app.answer(&last, Ok(set_page(90, 18, 40).to_string()), NOW + MS * 500);
    let again = app.requests(NOW + MS * 1000).pop();
    assert!(matches!(again, Some((_, Ask::Set { from: 0, .. }))), "{again:?}");
}

#[test]
fn the_detail_is_read_again_after_an_event() {
    let mut app = app((120, 40));
    select(&mut app, "db");
    press(&mut app, "i");
    let first = app.requests(NOW).pop().unwrap();
    assert_eq!(first.1, Ask::Detail("db".to_owned()));
    assert_eq!(app.requests(NOW + MS * 900), [], "on its way");
    app.answer(&first, Ok(detail().to_string()), NOW);
    assert_eq!(app.requests(NOW + MS * 5000), [], "nothing has happened");
    app.apply(event("cart", 102_000, 1, "restarted", json!({})), NOW);
    assert_eq!(app.requests(NOW + MS * 5000), [], "another child");
    app.apply(event("db", 102_000, 4, "restarted", json!({})), NOW);
    let shown = app.detail.as_ref().unwrap().data.as_ref().unwrap();
    assert_eq!(shown.events.last().unwrap().incarnation, 4, "the event is there at once");
    assert_eq!(app.requests(NOW + MS * 5000).len(), 1);

    // Next to the tree it follows the selection, unless it has the keys.
    press(&mut app, "j");
    assert_eq!(app.detail.as_ref().unwrap().path, "cart");
    press(&mut app, "\tj");
    assert_eq!((app.detail.as_ref().unwrap().path.as_str(), selected(&app)), ("cart", "cart"));
    press(&mut app, "\tj");
    assert_eq!(app.detail.as_ref().unwrap().path, "checkout");
    // On a narrow screen it takes all of it, and the keys.
    app.resize((80, 24), NOW);
    assert!(app.detail.as_ref().unwrap().has_focus && !has(&app, "thumbnails"));
    press(&mut app, "\u{1b}");
    assert!(app.detail.is_none());
}

#[test]
fn an_instance_has_a_detail_that_is_read_again() {
    let mut app = app((80, 24));
    select(&mut app, "sessions");
    press(&mut app, "\n");
    let page = app.requests(NOW).pop().unwrap();
    app.answer(&page, Ok(set_page(0, 18, 100).to_string()), NOW);
    press(&mut app, "jjj\n");
    assert!(has(&app, "sessions/3") && has(&app, "retry 2.0s"), "what the page knows is there at once");
    let asked = app.requests(NOW + MS * 300);
    assert!(asked.iter().any(|(_, ask)| *ask == Ask::Detail("sessions/3".to_owned())), "{asked:?}");
    let number = asked.iter().find(|(_, ask)| matches!(ask, Ask::Detail(_))).unwrap().clone();
    app.answer(&number, Err("no node has the path \"sessions/3\" now".to_owned()), NOW);
    assert!(has(&app, "no node has the path"));
    assert!(app.requests(NOW + MS * 3000).iter().any(|(_, ask)| matches!(ask, Ask::Detail(_))));
    // An operation acts on it, too.
    press(&mut app, "asy");
    assert_eq!(control(&mut app).unwrap().0, "sessions/3");
    // Esc leads back step by step.
    press(&mut app, "\u{1b}");
    assert!(app.detail.is_none() && app.set.is_some());
}

/// Nothing is asked for while the console is away.
#[test]
fn an_away_console_is_not_asked() {
    let mut app = app((120, 40));
    select(&mut app, "db");
    press(&mut app, "i");
    app.model.lose("gone".to_owned(), NOW + MS * 500, NOW);
    assert_eq!(app.requests(NOW), []);
}

#[test]
fn the_screen_ticks_as_often_as_it_shows_tenths() {
    let mut app = app((80, 24));
    assert_eq!(app.tick(NOW), MS * 250, "db is tried again in 4.4 s");
    assert_eq!(app.tick(NOW + MS * 5000), MS * 1000);
    app.model.lose("gone".to_owned(), NOW, NOW);
    assert_eq!(app.tick(NOW), MS * 1000, "the time stands still");
}

#[test]
fn help_names_every_key() {
    let mut app = app((80, 24));
    press(&mut app, "?");
    assert_eq!(app.overlay, Some(Overlay::Help));
    for key in ["j k", "Enter", "Space", "/", "o  ", "t  ", "p  ", "w  e", "f  ", "a  ", "Esc  q"] {
        assert!(has(&app, key), "{key}");
    }
}
