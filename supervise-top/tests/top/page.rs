//! The page `docs/top.md` shows the screens of the tests, every key and every option. `UPDATE=1` copies the screens.

use std::path::Path;

#[test]
fn the_page_shows_the_screens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../docs/top.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut updated = String::new();
    let mut count = 0;
    let mut rest = &*page;
    while let Some((before, after)) = rest.split_once("<!-- golden: ") {
        let (name, after) = after.split_once(" -->\n").unwrap();
        let (_, after) = after.split_once("<!-- end -->").expect("each screen has an end");
        let golden = std::fs::read_to_string(root.join(format!("tests/golden/{name}.txt"))).unwrap();
        let (screen, _) = golden.split_once("\n===").unwrap();
        // The lowest rows are there; empty ones above them are not worth their room.
        let lines: Vec<&str> = screen.lines().collect();
        let mut shown: Vec<&str> = Vec::new();
        for line in lines {
            let only_bar = line.trim().is_empty() || line.trim() == "│";
            if !(only_bar && shown.last().is_some_and(|last| last.trim().is_empty() || last.trim() == "│")) {
                shown.push(line);
            }
        }
        updated.push_str(&format!(
            "{before}<!-- golden: {name} -->\n\n```text\n{}\n```\n\n<!-- end -->",
            shown.join("\n")
        ));
        rest = after;
        count += 1;
    }
    updated.push_str(rest);
    assert!(count >= 5, "the markers are there");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &updated).unwrap();
    } else {
        assert!(page == updated, "docs/top.md shows other screens than the tests; UPDATE=1 copies them");
    }
    for option in [
        "--token-file",
        "--control-token-file",
        "--by",
        "--demo",
        "--once",
        "--width",
        "--ascii",
        "SUPERVISE_TOKEN",
        "SUPERVISE_CONTROL_TOKEN",
        "NO_COLOR",
    ] {
        assert!(page.contains(option), "{option}");
    }
}
