//! Settings as serde reads them, out of a file of any format.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::settings::{check_address, check_lease, check_max_frame, check_name};
use crate::{OpenError, Settings};

pub(crate) const LEASE: &str = "a time with its unit, as `2s` or `500ms`, or a number of seconds";

/// The fields, each checked for itself.
#[derive(Deserialize)]
#[serde(rename = "Settings", deny_unknown_fields)]
pub(crate) struct Given {
    #[serde(deserialize_with = "name")]
    pub(crate) name: String,
    #[serde(default, deserialize_with = "addresses")]
    pub(crate) listen: Vec<String>,
    #[serde(default, deserialize_with = "addresses")]
    pub(crate) connect: Vec<String>,
    pub(crate) tls: Option<GivenTls>,
    #[serde(default)]
    pub(crate) insecure: bool,
    #[serde(default, deserialize_with = "network")]
    pub(crate) network: Option<String>,
    #[serde(default, deserialize_with = "lease")]
    pub(crate) lease: Option<Duration>,
    #[serde(default, deserialize_with = "max_frame")]
    pub(crate) max_frame: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename = "Tls", deny_unknown_fields)]
pub(crate) struct GivenTls {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) ca: PathBuf,
    #[serde(default)]
    pub(crate) revoked: Vec<PathBuf>,
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_name(&name).map_err(D::Error::custom)?;
    Ok(name)
}

fn network<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    name(deserializer).map(Some)
}

fn addresses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let addresses = Vec::<String>::deserialize(deserializer)?;
    for address in &addresses {
        check_address(address).map_err(D::Error::custom)?;
    }
    Ok(addresses)
}

fn max_frame<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let bytes = usize::deserialize(deserializer)?;
    check_max_frame(bytes).map_err(D::Error::custom)?;
    Ok(Some(bytes))
}

fn lease<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let lease = deserializer.deserialize_any(Lease)?;
    check_lease(lease).map_err(D::Error::custom)?;
    Ok(Some(lease))
}

/// Reads a text with a time. A number without a unit has seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string()),
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string()),
    }
}

struct Lease;

impl Visitor<'_> for Lease {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LEASE)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        time(text).map_err(|why| E::custom(format_args!("{text:?} is no time: {why}; expected {LEASE}")))
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Duration, E> {
        Ok(Duration::from_secs(seconds))
    }

    fn visit_i64<E: Error>(self, seconds: i64) -> Result<Duration, E> {
        let seconds = u64::try_from(seconds).map_err(|_| E::invalid_value(Unexpected::Signed(seconds), &self))?;
        self.visit_u64(seconds)
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<Duration, E> {
        Duration::try_from_secs_f64(seconds).map_err(|_| E::invalid_value(Unexpected::Float(seconds), &self))
    }
}

/// Says what is wrong in the words of those who wrote it: `of` returns how they write a setting.
pub(crate) fn in_words(error: &OpenError, of: impl Fn(&str) -> String) -> String {
    match error {
        OpenError::Alone => {
            format!("nobody can be reached; give addresses by {} or {}", of("listen"), of("connect"))
        }
        OpenError::Unprotected { address } => format!(
            "{address} is not on loopback, and there is no TLS; give {}, or set {} to `true`",
            of("tls"),
            of("insecure")
        ),
        OpenError::TlsAndInsecure => {
            format!("{} is `true` beside {}; remove one of them", of("insecure"), of("tls"))
        }
        other => other.to_string(),
    }
}

impl Given {
    /// The settings, which are checked as a whole.
    pub(crate) fn settings(self) -> Result<Settings, OpenError> {
        let mut settings = Settings::new(self.name).listen(self.listen).connect(self.connect);
        if let Some(GivenTls { cert, key, ca, revoked }) = self.tls {
            settings = revoked.into_iter().fold(settings.tls(cert, key, ca), Settings::revoked);
        }
        if self.insecure {
            settings = settings.insecure();
        }
        if let Some(network) = self.network {
            settings = settings.network(network);
        }
        if let Some(lease) = self.lease {
            settings = settings.lease(lease);
        }
        if let Some(bytes) = self.max_frame {
            settings = settings.max_frame(bytes);
        }
        settings.check_together()?;
        Ok(settings)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Settings, D::Error> {
        let given = Given::deserialize(deserializer)?;
        given.settings().map_err(|error| D::Error::custom(in_words(&error, |field| format!("`{field}`"))))
    }
}

/// Each setting by its method, as the tests of both sources write it.
#[cfg(test)]
pub(crate) fn every_setting() -> Settings {
    Settings::new("shop")
        .listen(["0.0.0.0:7447", "[::]:7447"])
        .connect(["other:1"])
        .network("prod")
        .lease(Duration::from_secs(90))
        .max_frame(4096)
        .tls("c", "k", "a")
        .revoked("r")
        .revoked("s")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Settings, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    /// Returns the mistake in a field beside those that a file needs.
    fn wrong(field: &str) -> String {
        of(&format!("{field}\nname = \"a\"\nlisten = [\"127.0.0.1:1\"]")).unwrap_err()
    }

    #[test]
    fn a_file_sets_what_the_methods_set() {
        let read = of(r#"
            name = "shop"
            listen = ["0.0.0.0:7447", "[::]:7447"]
            connect = ["other:1"]
            network = "prod"
            lease = "1m 30s"
            max_frame = 4096
            [tls]
            cert = "c"
            key = "k"
            ca = "a"
            revoked = ["r", "s"]
        "#)
        .unwrap();
        let written = every_setting();
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
        let read = of("name = 'a'\nlisten = ['0.0.0.0:1']\ninsecure = true").unwrap();
        let written = Settings::new("a").listen(["0.0.0.0:1"]).insecure();
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
    }

    #[test]
    fn a_field_that_is_absent_has_the_default_of_the_methods() {
        let read = of("name = 'a'\nlisten = ['127.0.0.1:1']\ninsecure = false").unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", Settings::new("a").listen(["127.0.0.1:1"])));
    }

    #[test]
    fn a_lease_has_a_unit_or_is_in_seconds() {
        for (text, millis) in [
            ("'2s'", 2000),
            ("'500ms'", 500),
            ("2", 2000),
            ("0.1", 100),
            ("1.5", 1500),
            ("'2'", 2000),
            ("'1h'", 3_600_000),
        ] {
            let read = of(&format!("name = 'a'\nlisten = ['127.0.0.1:1']\nlease = {text}")).unwrap();
            assert_eq!(read.lease, Duration::from_millis(millis), "{text}");
        }
        for text in ["'soon'", "'2 parsecs'", "-1", "-0.5", "true", "nan", "''", "[]"] {
            assert!(wrong(&format!("lease = {text}")).contains("a time with its unit, as `2s`"), "{text}");
        }
        assert!(wrong("lease = '99ms'").contains("is outside of 100ms to 3600s"));
        assert!(wrong("lease = 1.0005").contains("is not in whole milliseconds; round it"));
    }

    #[test]
    fn a_field_that_is_not_known_is_refused_with_those_that_are() {
        let known = "`name`, `listen`, `connect`, `tls`, `insecure`, `network`, `lease`, `max_frame`";
        assert_eq!(wrong("listn = []"), format!("unknown field `listn`, expected one of {known}"));
        let error = wrong("tls = { cert = 'c', key = 'k', chain = 'a' }");
        assert_eq!(error, "unknown field `chain`, expected one of `cert`, `key`, `ca`, `revoked`");
        assert_eq!(wrong("tls = { cert = 'c', key = 'k' }"), "missing field `ca`");
    }

    #[test]
    fn a_value_that_no_network_opens_with_is_refused() {
        assert!(of("listen = ['127.0.0.1:1']").unwrap_err().contains("missing field `name`"));
        assert!(of("name = 'a/b'\nlisten = ['127.0.0.1:1']").unwrap_err().contains("\"a/b\" is no name; use 1 to 64"));
        assert!(wrong("network = ''").contains("\"\" is no name"));
        assert!(wrong("connect = ['host']").contains("the address \"host\" has not the form"));
        assert!(wrong("connect = ['127.0.0.1:0']").contains("has the port 0"));
        assert!(wrong("max_frame = 1073741825").contains("above the most, 1073741824"));
        assert!(wrong("max_frame = -1").contains("-1"));
        assert_eq!(of("name = 'a'").unwrap_err(), "nobody can be reached; give addresses by `listen` or `connect`");
        assert_eq!(
            wrong("connect = ['10.0.0.1:1']"),
            "10.0.0.1:1 is not on loopback, and there is no TLS; give `tls`, or set `insecure` to `true`"
        );
        assert_eq!(
            wrong("insecure = true\ntls = { cert = 'c', key = 'k', ca = 'a' }"),
            "`insecure` is `true` beside `tls`; remove one of them"
        );
    }
}
