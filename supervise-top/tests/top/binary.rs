//! The program as it is called.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn top(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_supervise-top"));
    command.args(arguments).stdin(Stdio::null()).env_remove("SUPERVISE_TOKEN").env_remove("SUPERVISE_CONTROL_TOKEN");
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn help_and_version_are_printed() {
    let help = top(&["--help"], &[]);
    assert!(help.status.success());
    assert!(texts(&help).0.contains("`ps` shows"), "why a token is no argument");
    assert_eq!(texts(&top(&["--version"], &[])).0, format!("supervise-top {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_exit_code_says_what_is_wrong() {
    for (arguments, code, said) in [
        (&[][..], 2, "which console?"),
        (&["--token", "secret", "9090"], 2, "a token is not an argument"),
        (&["9090", "--token-file", "/no/such/file"], 2, "/no/such/file: No such file"),
        (&["127.0.0.1:1", "--once"], 3, "nobody listens there"),
        (&["unix:/no/such/socket"], 3, "there is no such socket"),
        (&["--demo"], 3, "the output is no terminal; --once prints one screen as text"),
    ] {
        let output = top(arguments, &[]);
        let (out, error) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(
            error.contains(said) && error.starts_with("supervise-top: ") && out.is_empty(),
            "{arguments:?}: {error}"
        );
        assert!(!error.contains("secret"));
    }
}

#[test]
fn a_token_that_cannot_be_sent_is_not_shown() {
    let path = std::env::temp_dir().join(format!("supervise-top-token-{}", std::process::id()));
    std::fs::File::create(&path).unwrap().write_all("geheim-ü\n".as_bytes()).unwrap();
    for (arguments, variables) in [
        (vec!["9090", "--token-file", path.to_str().unwrap()], vec![]),
        (vec!["9090", "--control-token-file", path.to_str().unwrap()], vec![]),
        (vec!["9090"], vec![("SUPERVISE_TOKEN", "geheim ü")]),
        (vec!["9090"], vec![("SUPERVISE_CONTROL_TOKEN", "geheim ü")]),
    ] {
        let output = top(&arguments, &variables);
        let (_, error) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("characters other than visible ASCII") && !error.contains("geheim"), "{error}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn one_screen_is_printed() {
    let output = top(&["--demo", "--once", "--width", "100", "--ascii"], &[]);
    let (out, error) = texts(&output);
    assert!(output.status.success(), "no warning yet: {out}{error}");
    assert!(out.is_ascii() && !out.contains('\u{1b}'), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("Bakery") && lines[0].ends_with("* live"), "{out}");
    assert!(lines.iter().all(|line| line.len() <= 100), "{out}");
    for name in ["console", "flour", "income", "shelves/3", "customers", "street"] {
        assert!(
            lines.iter().any(|line| line.contains(&format!("* {name} ")) && line.contains("running")),
            "{name}: {out}"
        );
    }
    // The messages a second were measured.
    let flour = lines.iter().find(|line| line.contains("* flour ")).unwrap();
    assert!(flour.split_whitespace().any(|word| word.parse().is_ok_and(|rate: f64| rate > 5.0)), "{flour}");
}

/// Run by `verify/top/run.sh` in a terminal, which has to be as before after it.
#[test]
#[ignore = "needs a terminal"]
fn a_panic_on_the_screen() {
    let mut screen = supervise_top::shell::Screen::open().unwrap();
    screen.terminal.draw(|frame| frame.render_widget("on the screen", frame.area())).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1)); // the script looks at the screen meanwhile
    panic!("in the middle of a drawing");
}
