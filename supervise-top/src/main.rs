//! `supervise-top`: shows a running supervision tree in the terminal.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use supervise_top::address::Address;
use supervise_top::app::{App, Setup};
use supervise_top::args::{self, Options, Task};
use supervise_top::client::{Client, Secret};
use supervise_top::demo::Demo;
use supervise_top::shell::{self, Exit, Screen};
use supervise_top::text::clean;

/// The columns of `--once` where there is no terminal.
const COLUMNS: u16 = 100;

/// The exit codes besides 0.
const WARNED: u8 = 1;
const WRONG: u8 = 2;
const AWAY: u8 = 3;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)) {
        Ok(Task::Print(text)) => match io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Ok(Task::Show(address, options)) => match show(address, &options) {
            Ok(code) => code,
            Err((code, text)) => complain(&text, code),
        },
        Err(text) => complain(&text, WRONG),
    }
}

fn complain(text: &str, code: u8) -> ExitCode {
    // Texts of a server may be in it.
    eprintln!("supervise-top: {}", clean(text, false));
    ExitCode::from(code)
}

type Failed = (u8, String);

fn show(address: Option<Address>, options: &Options) -> Result<ExitCode, Failed> {
    let (demo, address, look, control) = match address {
        Some(address) => {
            let look = token(options.token_file.as_deref(), "SUPERVISE_TOKEN")?;
            let control = token(options.control_token_file.as_deref(), "SUPERVISE_CONTROL_TOKEN")?;
            (None, address, look, control)
        }
        None => {
            let demo = Demo::start().map_err(|error| (AWAY, error))?;
            let address = demo.address.parse().map_err(|error| (AWAY, error))?;
            let (look, control) = (demo.look.clone(), demo.control.clone());
            (Some(demo), address, Some(look), Some(control))
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| (AWAY, format!("the runtime cannot start: {error}")))?;
    let shown = runtime.block_on(connected(Client::new(address.clone(), look, control), &address, options));
    drop(demo);
    shown
}

/// Returns a token from a file or a variable.
fn token(file: Option<&Path>, variable: &str) -> Result<Option<Secret>, Failed> {
    let (from, text) = match (file, std::env::var_os(variable)) {
        (Some(path), _) => {
            let from = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| (WRONG, format!("{from}: {error}")))?;
            (from, text)
        }
        (None, Some(value)) if !value.is_empty() => {
            let text = value.into_string().map_err(|_| (WRONG, format!("{variable}: the token is not text")))?;
            (variable.to_owned(), text)
        }
        _ => return Ok(None),
    };
    Secret::new(&text).map(Some).map_err(|error| (WRONG, format!("{from}: {error}")))
}

async fn connected(client: Client, address: &Address, options: &Options) -> Result<ExitCode, Failed> {
    let info = client.info().await.map_err(|error| (AWAY, error.to_string()))?;
    let variable = |key: &str| std::env::var(key).ok();
    let setup = Setup {
        address: address.to_string(),
        by: args::person(options, variable),
        control: client.has_control() && info.control,
        ascii: args::is_ascii(options, variable),
        colour: variable("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let control = client.has_control() && !info.control;
    if options.once {
        let columns = options.width.or(shell::size().map(|(columns, _)| columns)).unwrap_or(COLUMNS);
        let mut app = App::new(setup, (columns, 1));
        let warned = shell::once(&mut app, client, &mut io::stdout().lock()).await;
        return match warned {
            Ok(false) => Ok(ExitCode::SUCCESS),
            Ok(true) => Ok(ExitCode::from(WARNED)),
            Err(error) => Err((AWAY, error.to_string())),
        };
    }
    // Before the screen is taken: an error of the token is read on the terminal.
    drop(client.live().await.map_err(|error| (AWAY, error.to_string()))?);
    let terminal_error = |error: io::Error| (AWAY, format!("the terminal: {error}"));
    let stop = shell::signals().map_err(terminal_error)?;
    let mut screen = Screen::open().map_err(terminal_error)?;
    let mut app = App::new(setup, shell::size().unwrap_or((80, 24)));
    let zero = std::time::Duration::ZERO;
    if info.protocol > 1 {
        app.say(
            format!("the console speaks protocol {}, and this program 1: a newer one shows more", info.protocol),
            true,
            zero,
        );
    } else if client.sends_token_in_the_clear() {
        app.say("the token goes over the network unencrypted; `ssh -L` protects it", true, zero);
    } else if control {
        app.say("this console only shows the tree; .allow_control(..) lets it act", true, zero);
    }
    let ran = shell::run(&mut screen.terminal, &mut app, client, shell::input(), stop).await;
    drop(screen);
    match ran {
        Ok(Exit::Quit) => Ok(ExitCode::SUCCESS),
        Ok(Exit::Signal(number)) => Ok(ExitCode::from(128_u8.saturating_add(u8::try_from(number).unwrap_or(0)))),
        Ok(Exit::Gone) => Ok(ExitCode::FAILURE),
        Err(error) => Err(terminal_error(error)),
    }
}
