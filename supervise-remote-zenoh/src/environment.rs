//! Settings out of the variables of the environment.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use thiserror::Error;

use crate::file::{Given, GivenTls, LEASE, in_words, time};
use crate::settings::{check_address, check_lease, check_max_frame, check_name};
use crate::{OpenError, Settings};

/// The variables, without the prefix.
const KNOWN: [&str; 11] = [
    "NAME",
    "LISTEN",
    "CONNECT",
    "TLS_CERT",
    "TLS_KEY",
    "TLS_CA",
    "TLS_REVOKED",
    "INSECURE",
    "NETWORK",
    "LEASE",
    "MAX_FRAME",
];

/// Variables that other parts of `supervise` read.
const OTHERS: [&str; 3] = ["SUPERVISE_TIMEOUT_STOP_SEC", "SUPERVISE_TOKEN", "SUPERVISE_CONTROL_TOKEN"];

/// A variable of the environment that is wrong, missing or not known. `Display` names it, with what is expected.
///
/// ```
/// use supervise_remote_zenoh::Settings;
///
/// let error = Settings::from_vars("SHOP_", [("SHOP_NAME", "host-7"), ("SHOP_LEASE", "soon")]).unwrap_err();
/// assert_eq!(error.variable(), "SHOP_LEASE");
/// assert_eq!(
///     error.to_string(),
///     "SHOP_LEASE: \"soon\" is no time: expected number at 0; expected a time with its unit, as `2s` or `500ms`, or a number \
///      of seconds"
/// );
/// ```
#[derive(Debug, Error)]
#[error("{variable}: {why}")]
pub struct EnvError {
    variable: String,
    why: String,
}

impl EnvError {
    /// Returns the name of the variable, with the prefix. If several do not go together, it is one of them.
    pub fn variable(&self) -> &str {
        &self.variable
    }
}

/// The variables that are not read yet.
struct Variables<'a> {
    prefix: &'a str,
    values: BTreeMap<String, OsString>,
}

impl Variables<'_> {
    /// Returns the name of a variable with the prefix.
    fn name(&self, of: &str) -> String {
        format!("{}{of}", self.prefix)
    }

    fn wrong(&self, of: &str, why: impl Into<String>) -> EnvError {
        EnvError { variable: self.name(of), why: why.into() }
    }

    fn check_known(&self) -> Result<(), EnvError> {
        match self.values.keys().find(|of| !KNOWN.contains(&of.as_str())) {
            Some(of) => {
                let known = KNOWN.map(|of| self.name(of)).join(", ");
                Err(self.wrong(of, format!("no setting has this variable; expected one of {known}")))
            }
            None => Ok(()),
        }
    }

    /// Reads a variable, if it is set.
    fn read<T>(
        &mut self,
        of: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, EnvError> {
        let Some(value) = self.values.remove(of) else { return Ok(None) };
        let Some(text) = value.to_str() else {
            return Err(self.wrong(of, format!("{value:?} is not UTF-8; expected {expected}")));
        };
        if text.trim().is_empty() {
            return Err(self.wrong(of, format!("the value is empty; expected {expected}, or no such variable")));
        }
        read(text.trim()).map(Some).map_err(|why| self.wrong(of, why))
    }

    fn names(&mut self, of: &str) -> Result<Option<String>, EnvError> {
        self.read(of, "1 to 64 letters, digits, `-`, `_` and `.`", |text| checked(check_name(text), text.to_owned()))
    }

    fn addresses(&mut self, of: &str) -> Result<Vec<String>, EnvError> {
        let expected = "addresses `host:port`, separated by commas";
        let read = self.read(of, expected, |text| {
            parts(text, expected, |address| checked(check_address(address).map(drop), address.to_owned()))
        })?;
        Ok(read.unwrap_or_default())
    }

    fn tls(&mut self) -> Result<Option<GivenTls>, EnvError> {
        const NEEDED: [&str; 3] = ["TLS_CERT", "TLS_KEY", "TLS_CA"];
        let mut files = Vec::new();
        for of in NEEDED {
            files.push(self.read(of, "the path of a PEM file", |text| Ok(PathBuf::from(text)))?);
        }
        let expected = "paths of PEM files, separated by commas";
        let revoked =
            self.read("TLS_REVOKED", expected, |text| parts(text, expected, |path| Ok(PathBuf::from(path))))?;
        let names = together(NEEDED.map(|of| self.name(of)));
        let present = NEEDED.iter().zip(&files).find(|(_, file)| file.is_some()).map(|(of, _)| *of);
        let Some(present) = present.or(revoked.is_some().then_some("TLS_REVOKED")) else { return Ok(None) };
        if let Some(at) = files.iter().position(Option::is_none) {
            let why =
                format!("the variable is missing beside {}; expected {names}, or none of them", self.name(present));
            return Err(self.wrong(NEEDED[at], why));
        }
        let mut files = files.into_iter().flatten();
        let mut next = || files.next().unwrap_or_default();
        Ok(Some(GivenTls { cert: next(), key: next(), ca: next(), revoked: revoked.unwrap_or_default() }))
    }

    fn given(&mut self) -> Result<Given, EnvError> {
        self.check_known()?;
        let name = self.names("NAME")?;
        Ok(Given {
            listen: self.addresses("LISTEN")?,
            connect: self.addresses("CONNECT")?,
            tls: self.tls()?,
            insecure: self
                .read("INSECURE", "`true` or `false`", |text| {
                    text.parse().map_err(|_| format!("{text:?} is neither `true` nor `false`; expected one of them"))
                })?
                .unwrap_or_default(),
            network: self.names("NETWORK")?,
            lease: self.read("LEASE", LEASE, |text| {
                let lease = time(text).map_err(|why| format!("{text:?} is no time: {why}; expected {LEASE}"))?;
                checked(check_lease(lease), lease)
            })?,
            max_frame: self.read("MAX_FRAME", "a number of bytes", |text| {
                let bytes =
                    text.parse().map_err(|why| format!("{text:?} is no number: {why}; expected a number of bytes"))?;
                checked(check_max_frame(bytes), bytes)
            })?,
            name: name
                .ok_or_else(|| self.wrong("NAME", "the variable is missing; expected the name of this process"))?,
        })
    }

    /// Names the variable that is to blame first where settings do not go together.
    fn not_together(&self, error: &OpenError, listens: bool) -> EnvError {
        let of = match error {
            OpenError::TlsAndInsecure => "INSECURE",
            OpenError::Unprotected { .. } if !listens => "CONNECT",
            _ => "LISTEN",
        };
        self.wrong(
            of,
            in_words(error, |field| match field {
                "tls" => together(["TLS_CERT", "TLS_KEY", "TLS_CA"].map(|of| self.name(of))),
                other => self.name(&other.to_uppercase()),
            }),
        )
    }
}

fn checked<T>(check: Result<(), OpenError>, value: T) -> Result<T, String> {
    check.map(|()| value).map_err(|error| error.to_string())
}

fn together([a, b, c]: [String; 3]) -> String {
    format!("{a}, {b} and {c}")
}

/// Reads the parts of a value that commas separate.
fn parts<T>(text: &str, expected: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let part = |part: &str| match part.trim() {
        "" => Err(format!("{text:?} has an empty part; expected {expected}")),
        part => read(part),
    };
    text.split(',').map(part).collect()
}

impl Settings {
    /// Reads settings out of the variables of the environment that begin with `prefix`, as `SUPERVISE_`. These are, after
    /// the prefix:
    ///
    /// | variable | value | if it is not set |
    /// |---|---|---|
    /// | `NAME` | the [name](Settings::new) | an error |
    /// | `LISTEN`, `CONNECT` | addresses to [listen](Settings::listen) on, and to [connect](Settings::connect) to, separated by commas | none; one of them has an address |
    /// | `TLS_CERT`, `TLS_KEY`, `TLS_CA` | the files of [TLS](Settings::tls), all three | no TLS |
    /// | `TLS_REVOKED` | lists of [revoked](Settings::revoked) certificates: files, separated by commas | no list |
    /// | `INSECURE` | `true` or `false`: see [`insecure`](Settings::insecure) | `false` |
    /// | `NETWORK` | the name of the [network](Settings::network) | `default` |
    /// | `LEASE` | the [lease](Settings::lease): a time with its unit, as `2s`, `500ms` or `1m 30s`, or a number of seconds | 5 s |
    /// | `MAX_FRAME` | the [most bytes](Settings::max_frame) of a message | 16 MiB |
    ///
    /// Spaces around a value, and around the parts between commas, do not count. Each variable with the prefix has to be one
    /// of these, so give the program's own variables another prefix. Only `SUPERVISE_TIMEOUT_STOP_SEC`, `SUPERVISE_TOKEN` and
    /// `SUPERVISE_CONTROL_TOKEN` are passed over: other parts of `supervise` read them. In Kubernetes, a pod with
    /// `enableServiceLinks: false` has no variables of services, whose names may begin with the prefix.
    ///
    /// ```no_run
    /// use supervise_remote_zenoh::{Settings, Zenoh};
    ///
    /// # async fn opened() -> Result<(), Box<dyn std::error::Error>> {
    /// // SUPERVISE_NAME=host-7 SUPERVISE_CONNECT=shop.example.org:7447 SUPERVISE_TLS_CERT=/etc/shop/cert.pem ..
    /// let wire = Zenoh::open(Settings::from_env("SUPERVISE_")?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`EnvError`] names a variable that has a wrong value, is missing, is empty, or is not known, and what is expected. A value
    /// that [`open`](crate::Zenoh::open) would refuse is an error here already, except that the files of TLS are read only
    /// there.
    pub fn from_env(prefix: &str) -> Result<Settings, EnvError> {
        Settings::from_vars(prefix, env::vars_os())
    }

    /// Reads settings out of these variables, as [`from_env`](Settings::from_env) does out of the variables of the process: for
    /// variables from elsewhere, and for tests. Variables without the prefix are passed over.
    ///
    /// ```
    /// use supervise_remote_zenoh::Settings;
    ///
    /// let node = Settings::from_vars(
    ///     "SHOP_",
    ///     [("SHOP_NAME", "host-7"), ("SHOP_CONNECT", "127.0.0.1:7447, [::1]:7447"), ("SHOP_LEASE", "2s"), ("PATH", "/bin")],
    /// )?;
    /// # let _ = node;
    /// # Ok::<(), supervise_remote_zenoh::EnvError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`from_env`](Settings::from_env).
    pub fn from_vars<K, V>(prefix: &str, vars: impl IntoIterator<Item = (K, V)>) -> Result<Settings, EnvError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let with_prefix = |(name, value): (K, V)| {
            let name = name.into();
            let name = name.to_string_lossy();
            let of = name.strip_prefix(prefix).filter(|_| !OTHERS.contains(&&*name))?;
            Some((of.to_owned(), value.into()))
        };
        let mut variables = Variables { prefix, values: vars.into_iter().filter_map(with_prefix).collect() };
        let given = variables.given()?;
        let listens = !given.listen.is_empty();
        given.settings().map_err(|error| variables.not_together(&error, listens))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::time::Duration;

    use super::*;
    use crate::file::every_setting;

    fn wrong(vars: &[(&str, &str)]) -> String {
        Settings::from_vars("SUPERVISE_", vars.iter().copied()).unwrap_err().to_string()
    }

    /// Returns the mistake in a variable beside those that a process needs.
    fn wrong_one(of: &str, value: &str) -> String {
        let of = format!("SUPERVISE_{of}");
        let error = wrong(&[("SUPERVISE_NAME", "a"), ("SUPERVISE_LISTEN", "127.0.0.1:1"), (&of, value)]);
        assert_eq!(error.split_once(": ").unwrap().0, of, "{error}");
        error[of.len() + 2..].to_owned()
    }

    #[test]
    fn variables_set_what_the_methods_set() {
        let read = Settings::from_vars(
            "SHOP_",
            [
                ("SHOP_NAME", "shop"),
                ("SHOP_LISTEN", "0.0.0.0:7447, [::]:7447"),
                ("SHOP_CONNECT", " other:1 "),
                ("SHOP_NETWORK", "prod"),
                ("SHOP_LEASE", "1m 30s"),
                ("SHOP_MAX_FRAME", "4096"),
                ("SHOP_TLS_CERT", "c"),
                ("SHOP_TLS_KEY", "k"),
                ("SHOP_TLS_CA", "a"),
                ("SHOP_TLS_REVOKED", "r,s"),
                ("SHOP_INSECURE", "false"),
                ("HOME", "/"),
            ],
        );
        let written = every_setting();
        assert_eq!(format!("{:?}", read.unwrap()), format!("{written:?}"));
        let vars = [("NAME", "a"), ("CONNECT", "h:1"), ("INSECURE", "true"), ("LEASE", "2.5")];
        let read = Settings::from_vars("", vars).unwrap();
        let written = Settings::new("a").connect(["h:1"]).insecure().lease(Duration::from_millis(2500));
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
    }

    #[test]
    fn a_variable_that_is_not_set_has_the_default_of_the_methods() {
        let read = Settings::from_vars("A_", [("A_NAME", "a"), ("A_LISTEN", "127.0.0.1:1")]).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", Settings::new("a").listen(["127.0.0.1:1"])));
    }

    #[test]
    fn a_wrong_value_is_named_with_its_variable_and_what_is_expected() {
        for (of, value, expected) in [
            ("NAME", "a/b", "\"a/b\" is no name; use 1 to 64 letters, digits, `-`, `_` and `.`"),
            ("NETWORK", "a b", "\"a b\" is no name; use 1 to 64 letters, digits, `-`, `_` and `.`"),
            (
                "NETWORK",
                " ",
                "the value is empty; expected 1 to 64 letters, digits, `-`, `_` and `.`, or no such variable",
            ),
            ("LISTEN", "host", "the address \"host\" has not the form `host:port`, `1.2.3.4:port` or `[::1]:port`"),
            (
                "CONNECT",
                "localhost:1,",
                "\"localhost:1,\" has an empty part; expected addresses `host:port`, separated by commas",
            ),
            (
                "CONNECT",
                "",
                "the value is empty; expected addresses `host:port`, separated by commas, or no such variable",
            ),
            ("INSECURE", "yes", "\"yes\" is neither `true` nor `false`; expected one of them"),
            ("MAX_FRAME", "16MiB", "\"16MiB\" is no number: invalid digit found in string; expected a number of bytes"),
            ("MAX_FRAME", "1073741825", "messages of 1073741825 bytes are above the most, 1073741824"),
            (
                "LEASE",
                "-2",
                "\"-2\" is no time: cannot convert float seconds to Duration: value is negative; expected a time \
                with its unit, as `2s` or `500ms`, or a number of seconds",
            ),
            ("LEASE", "10ms", "a lease of 10ms is outside of 100ms to 3600s"),
            ("LEASE", "1s 1us", "a lease of 1.000001s is not in whole milliseconds; round it"),
            ("TLS_REVOKED", "a,,b", "\"a,,b\" has an empty part; expected paths of PEM files, separated by commas"),
            ("TLS_CA", "", "the value is empty; expected the path of a PEM file, or no such variable"),
        ] {
            assert_eq!(wrong_one(of, value), expected);
        }
        let raw = OsStr::from_bytes(b"\xff").to_owned();
        let error = Settings::from_vars("A_", [("A_NAME", raw)]).unwrap_err().to_string();
        assert_eq!(error, "A_NAME: \"\\xFF\" is not UTF-8; expected 1 to 64 letters, digits, `-`, `_` and `.`");
    }

    #[test]
    fn settings_that_do_not_go_together_are_named_by_their_variables() {
        let name = ("SUPERVISE_NAME", "a");
        assert_eq!(wrong(&[]), "SUPERVISE_NAME: the variable is missing; expected the name of this process");
        assert_eq!(
            wrong(&[name]),
            "SUPERVISE_LISTEN: nobody can be reached; give addresses by SUPERVISE_LISTEN or SUPERVISE_CONNECT"
        );
        let unprotected = "is not on loopback, and there is no TLS; give SUPERVISE_TLS_CERT, SUPERVISE_TLS_KEY and \
            SUPERVISE_TLS_CA, or set SUPERVISE_INSECURE to `true`";
        for of in ["SUPERVISE_LISTEN", "SUPERVISE_CONNECT"] {
            assert_eq!(wrong(&[name, (of, "10.0.0.1:1")]), format!("{of}: 10.0.0.1:1 {unprotected}"));
        }
        let missing = "the variable is missing beside SUPERVISE_TLS_CERT; expected SUPERVISE_TLS_CERT, SUPERVISE_TLS_KEY and \
            SUPERVISE_TLS_CA, or none of them";
        let tls = [name, ("SUPERVISE_LISTEN", "h:1"), ("SUPERVISE_TLS_CERT", "c"), ("SUPERVISE_TLS_KEY", "k")];
        assert_eq!(wrong(&tls), format!("SUPERVISE_TLS_CA: {missing}"));
        let revoked = wrong(&[name, ("SUPERVISE_LISTEN", "h:1"), ("SUPERVISE_TLS_REVOKED", "r")]);
        assert!(
            revoked.starts_with("SUPERVISE_TLS_CERT: the variable is missing beside SUPERVISE_TLS_REVOKED"),
            "{revoked}"
        );
        let both = [&tls[..], &[("SUPERVISE_TLS_CA", "a"), ("SUPERVISE_INSECURE", "true")]].concat();
        assert_eq!(
            wrong(&both),
            "SUPERVISE_INSECURE: SUPERVISE_INSECURE is `true` beside SUPERVISE_TLS_CERT, SUPERVISE_TLS_KEY and \
                SUPERVISE_TLS_CA; remove one of them"
        );
    }

    #[test]
    fn a_variable_that_is_not_known_is_refused_with_those_that_are() {
        let known = "SUPERVISE_NAME, SUPERVISE_LISTEN, SUPERVISE_CONNECT, SUPERVISE_TLS_CERT, SUPERVISE_TLS_KEY, \
            SUPERVISE_TLS_CA, SUPERVISE_TLS_REVOKED, SUPERVISE_INSECURE, SUPERVISE_NETWORK, SUPERVISE_LEASE, \
            SUPERVISE_MAX_FRAME";
        for of in ["LISTN", "", "listen", "TLS"] {
            let expected = format!("no setting has this variable; expected one of {known}");
            assert_eq!(wrong_one(of, "1"), expected);
        }
    }

    #[test]
    fn variables_of_other_parts_of_supervise_are_passed_over() {
        let own = [("SUPERVISE_NAME", "a"), ("SUPERVISE_LISTEN", "127.0.0.1:1")];
        let _ = Settings::from_vars("SUPERVISE_", own.into_iter().chain(OTHERS.map(|of| (of, "1")))).unwrap();
    }
}
