//! The command line, parsed without a library.

use std::str::FromStr;

use crate::client::Service;

pub const HELP: &str = "\
Compares predicted with actual weather, fetched from a service that does not always answer.

Usage: cargo run --example weather -- [OPTIONS]

Options:
  --requests N   how many requests to make [default: 40]
  --seed N       the same seed brings the same faults [default: 1]
  --url URL      use the service at http://HOST:PORT, instead of one started for this run
  --serve PORT   only serve, for others to use with --url; 0 takes a free port
  --help         this text";

/// The task of the program.
#[derive(Debug)]
pub enum Command {
    Run(Load),
    Serve { port: u16 },
    Help,
}

/// The load on the system.
#[derive(Debug)]
pub struct Load {
    pub requests: u64,
    pub seed: u64,
    /// The service, as written and as parsed.
    pub service: Option<(String, Service)>,
}

/// Reads the arguments after the name of the program.
///
/// # Errors
///
/// One line that describes the mistake.
pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut load = Load { requests: 40, seed: 1, service: None };
    let mut serve = None;
    let mut args = args.into_iter();

    while let Some(arg) = args.next() {
        // `--seed 7` and `--seed=7` are the same.
        let (flag, given) = match arg.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        let mut value = || given.clone().or_else(|| args.next()).ok_or_else(|| format!("{flag} needs a value"));
        match flag {
            "--requests" => load.requests = number(flag, &value()?)?,
            "--seed" => load.seed = number(flag, &value()?)?,
            "--serve" => serve = Some(number(flag, &value()?)?),
            "--url" => {
                let url = value()?;
                let service = Service::parse(&url)
                    .ok_or_else(|| format!("--url takes http://HOST:PORT without a path, not {url:?}"))?;
                load.service = Some((url, service));
            }
            "--help" | "-h" => return Ok(Command::Help),
            _ => return Err(format!("{flag} is unknown; --help lists the options")),
        }
    }
    Ok(match serve {
        Some(port) => Command::Serve { port },
        None => Command::Run(load),
    })
}

fn number<T: FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} takes a number that fits, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(args: &[&str]) -> String {
        parse(args.iter().map(|arg| (*arg).to_owned())).expect_err("the arguments are invalid")
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(error(&["--seeds", "1"]), "--seeds is unknown; --help lists the options");
        assert_eq!(error(&["--seed"]), "--seed needs a value");
        assert_eq!(error(&["--seed", "x"]), "--seed takes a number that fits, not \"x\"");
        assert_eq!(error(&["--serve=70000"]), "--serve takes a number that fits, not \"70000\"");
        assert!(error(&["--url", "https://weather.example"]).starts_with("--url takes http://HOST:PORT"));
    }
}
