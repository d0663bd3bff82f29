//! The arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::address::Address;

/// The text of `--help`.
pub const HELP: &str = "\
Shows a running supervision tree in the terminal, live, and acts on it.

Usage: supervise-top ADDR [OPTIONS]
       supervise-top --demo [OPTIONS]

ADDR is where the program serves its console (supervise_console::serve):
  127.0.0.1:9090           an address with a port; 9090 alone is on this machine
  http://host:port/prefix  a console that is nested in another server
  unix:/run/shop.sock      a unix socket

Options:
  --token-file F           the file with the token to look
  --control-token-file F   the file with the token to act; without it, nothing
                           can be stopped or restarted
  --by NAME                the name in the event of an action [default: $USER]
  --demo                   shows a lively tree of its own, with control
  --once                   prints one screen as text, and ends
  --width N                the columns of --once [default: as the terminal]
  --ascii, --unicode       the signs [default: as LC_ALL, LC_CTYPE or LANG say]
  --help, --version

Tokens come from a file, or from the variables SUPERVISE_TOKEN and
SUPERVISE_CONTROL_TOKEN, and never from an argument: `ps` shows the arguments of
every program to every user of a machine. They are sent unencrypted, so reach
another machine through `ssh -L 9090:127.0.0.1:9090 host`.

NO_COLOR=1 draws without colours.

The exit code is 0; 1 for --once with a warning on the screen; 2 for wrong
arguments; 3 if the console cannot be reached, or refuses.

Keys: ? shows them.
";

/// The task of the program.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Prints this, and ends.
    Print(String),
    /// Shows the console at this address; `None`: the own tree.
    Show(Option<Address>, Options),
}

/// The options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The file with the token to look.
    pub token_file: Option<PathBuf>,
    /// The file with the token to act.
    pub control_token_file: Option<PathBuf>,
    /// The name of the person.
    pub by: Option<String>,
    /// Print one screen.
    pub once: bool,
    /// The columns of that screen.
    pub width: Option<u16>,
    /// Only ASCII, or the opposite.
    pub ascii: Option<bool>,
}

/// The characters of a name that a console takes.
const NAME: usize = 64;

/// Reads the arguments, without the name of the program.
///
/// # Errors
///
/// Returns a text that says what is wrong.
pub fn parse<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Result<Task, String> {
    let mut parser = Parser::from_args(arguments.into_iter().map(Into::into));
    let mut options = Options::default();
    let mut address: Option<Address> = None;
    let mut is_demo = false;
    let said = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(said)? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(Task::Print(HELP.to_owned())),
            Arg::Long("version") | Arg::Short('V') => {
                return Ok(Task::Print(concat!("supervise-top ", env!("CARGO_PKG_VERSION"), "\n").to_owned()));
            }
            Arg::Long("token-file") => options.token_file = Some(parser.value().map_err(said)?.into()),
            Arg::Long("control-token-file") => options.control_token_file = Some(parser.value().map_err(said)?.into()),
            Arg::Long("token" | "control-token") => {
                return Err("a token is not an argument, since `ps` shows those; write it into a file for --token-file, or set \
                     SUPERVISE_TOKEN"
                    .to_owned());
            }
            Arg::Long("by") => options.by = Some(name(&parser.value().map_err(said)?.string().map_err(said)?)?),
            Arg::Long("demo") => is_demo = true,
            Arg::Long("once") => options.once = true,
            Arg::Long("width") => {
                let width: u16 = parser.value().map_err(said)?.parse().map_err(said)?;
                if !(20..=1000).contains(&width) {
                    return Err("--width takes a number from 20 to 1000".to_owned());
                }
                options.width = Some(width);
            }
            Arg::Long("ascii") => options.ascii = Some(true),
            Arg::Long("unicode") => options.ascii = Some(false),
            Arg::Value(value) => {
                if address.is_some() {
                    return Err("there are two addresses; give one".to_owned());
                }
                address = Some(value.string().map_err(said)?.parse()?);
            }
            other => return Err(format!("{}; --help lists the options", other.unexpected())),
        }
    }
    if options.width.is_some() && !options.once {
        return Err("--width is for --once; otherwise the terminal has its own width".to_owned());
    }
    match (address, is_demo) {
        (None, false) => Err("which console? give its address, or try --demo; --help says more".to_owned()),
        (Some(_), true) => Err("--demo shows a tree of its own; leave the address out".to_owned()),
        (None, true) if options.token_file.is_some() || options.control_token_file.is_some() => {
            Err("--demo makes its own tokens; leave the files out".to_owned())
        }
        (address, _) => Ok(Task::Show(address, options)),
    }
}

/// Returns the name of a person, as a console takes it.
fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text {
        "" => Err("--by takes a name".to_owned()),
        _ if text.chars().count() > NAME => Err(format!("the name of --by has more than {NAME} characters")),
        _ if text.chars().any(char::is_control) => Err("the name of --by contains control characters".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// Returns the name of the person at this terminal: that of `--by`, or of the variables `USER` and `LOGNAME`.
pub fn person(options: &Options, variable: impl Fn(&str) -> Option<String>) -> String {
    let given = options.by.clone();
    let found = || ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|key| name(&variable(key)?).ok());
    given.or_else(found).unwrap_or_else(|| "supervise-top".to_owned())
}

/// Returns whether only ASCII is drawn: as the options say, or if the locale is not one of UTF-8.
pub fn is_ascii(options: &Options, variable: impl Fn(&str) -> Option<String>) -> bool {
    let by_locale = || {
        // Without these variables, macOS and all systems but Unix take Unicode.
        let set =
            ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|key| variable(key).filter(|value| !value.is_empty()));
        match set {
            Some(locale) => !locale.to_lowercase().replace('-', "").contains("utf8"),
            None => cfg!(all(unix, not(target_os = "macos"))),
        }
    };
    options.ascii.unwrap_or_else(by_locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(arguments: &[&str]) -> (Option<Address>, Options) {
        match parse(arguments.iter().copied()) {
            Ok(Task::Show(address, options)) => (address, options),
            other => panic!("{arguments:?}: {other:?}"),
        }
    }

    #[test]
    fn every_option_is_read() {
        let (address, options) = show(&[
            "--token-file",
            "t",
            "unix:/run/s",
            "--control-token-file=c",
            "--by",
            "kim",
            "--once",
            "--width",
            "90",
            "--ascii",
        ]);
        assert_eq!(address.map(|address| address.to_string()).as_deref(), Some("unix:/run/s"));
        let expected = Options {
            token_file: Some("t".into()),
            control_token_file: Some("c".into()),
            by: Some("kim".into()),
            once: true,
            width: Some(90),
            ascii: Some(true),
        };
        assert_eq!(options, expected);
        assert_eq!(show(&["--demo", "--unicode"]).1.ascii, Some(false));
        assert_eq!(parse(["--version"]), Ok(Task::Print("supervise-top 0.1.0\n".to_owned())));
        assert!(parse(["x", "--help"]).is_err(), "the address is wrong");
    }

    #[test]
    fn wrong_arguments_say_what_is_wrong() {
        for (arguments, problem) in [
            (&[][..], "which console?"),
            (&["1", "2"], "two addresses"),
            (&["1", "--demo"], "leave the address out"),
            (&["--demo", "--token-file", "t"], "makes its own tokens"),
            (&["1", "--token", "secret"], "`ps` shows"),
            (&["1", "--tokenfile", "t"], "--help lists the options"),
            (&["1", "--width", "90"], "--width is for --once"),
            (&["1", "--once", "--width", "9"], "from 20 to 1000"),
            (&["1", "--by", "a\u{1b}b"], "control characters"),
            (&["1", "--by"], "missing argument"),
        ] {
            let said = parse(arguments.iter().copied()).unwrap_err();
            assert!(said.contains(problem), "{arguments:?}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn help_names_every_option() {
        for option in [
            "--token-file",
            "--control-token-file",
            "--by",
            "--demo",
            "--once",
            "--width",
            "--ascii",
            "--unicode",
            "--help",
            "--version",
        ] {
            assert!(HELP.contains(option), "{option}");
        }
        assert!(HELP.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn the_person_and_the_signs_come_from_the_environment() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned())
        };
        let none = Options::default();
        assert_eq!(person(&none, set(&[("USER", "kim")])), "kim");
        assert_eq!(person(&none, set(&[("USER", "a\u{7}"), ("LOGNAME", "root")])), "root");
        assert_eq!(person(&none, set(&[])), "supervise-top");
        assert_eq!(person(&Options { by: Some("ann".into()), ..none.clone() }, set(&[("USER", "kim")])), "ann");

        assert!(!is_ascii(&none, set(&[("LANG", "de_DE.UTF-8")])));
        assert!(!is_ascii(&none, set(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")])));
        assert!(is_ascii(&none, set(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")])));
        assert!(is_ascii(&Options { ascii: Some(true), ..none.clone() }, set(&[("LANG", "C.UTF-8")])));
        assert!(!is_ascii(&Options { ascii: Some(false), ..none }, set(&[("LANG", "C")])));
    }
}
