//! The settings, checked.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::OpenError;
use crate::key::is_name;

/// Room for what `supervise-remote` puts around the bytes of a message.
const AROUND: usize = 1 << 20;

const MOST_FRAME: usize = 1 << 30;

const LEASES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3600));

/// Where certificate, key, the certificates of the authorities of the peers, and the lists of revoked certificates are.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) ca: PathBuf,
    pub(crate) revoked: Vec<PathBuf>,
}

/// Says how a process takes part in a network. [`Zenoh::open`](crate::Zenoh::open) checks it.
///
/// Written in the program:
///
/// ```
/// use std::time::Duration;
/// use supervise_remote_zenoh::Settings;
///
/// // The process that owns the tree listens, and its nodes connect to it.
/// let owner = Settings::new("shop")
///     .listen(["0.0.0.0:7447"])
///     .tls("/etc/shop/cert.pem", "/etc/shop/key.pem", "/etc/shop/ca.pem")
///     .network("prod");
/// let node = Settings::new("host-7")
///     .connect(["shop.example.org:7447"])
///     .tls("/etc/shop/cert.pem", "/etc/shop/key.pem", "/etc/shop/ca.pem")
///     .network("prod")
///     .lease(Duration::from_secs(2));
/// ```
///
/// # From a file
///
/// `Settings` is `Deserialize`, so any format of serde that describes itself has it, alone or as a part of the program's own configuration. The
/// fields have the names of the methods:
///
/// | field | type | if it is absent |
/// |---|---|---|
/// | `name` | text | an error |
/// | `listen`, `connect` | lists of addresses | empty; one of them has an address |
/// | `tls` | the files `cert`, `key` and `ca`, and `revoked`, a list of files | no TLS |
/// | `insecure` | `true` or `false` | `false` |
/// | `network` | text | `default` |
/// | `lease` | a time with its unit, as `"2s"`, `"500ms"` or `"1m 30s"`, or a number of seconds | 5 s |
/// | `max_frame` | a number of bytes | 16 MiB |
///
/// A field that is not in this list is an error that names those that are. A value that [`open`](crate::Zenoh::open) would
/// refuse is an error here already, except that the files of TLS are read only there.
///
/// ```
/// use supervise_remote_zenoh::Settings;
///
/// let node: Settings = toml::from_str(
///     r#"
///     name = "host-7"
///     connect = ["shop.example.org:7447"]
///     network = "prod"
///     lease = "2s"
///
///     [tls]
///     cert = "/etc/shop/cert.pem"
///     key = "/etc/shop/key.pem"
///     ca = "/etc/shop/ca.pem"
///     "#,
/// )?;
/// # let _ = node;
///
/// let error = toml::from_str::<Settings>(r#"nane = "host-7""#).unwrap_err();
/// assert!(error.message().starts_with("unknown field `nane`, expected one of `name`, `listen`, `connect`"));
/// # Ok::<(), toml::de::Error>(())
/// ```
///
/// # From the environment
///
/// See [`from_env`](Settings::from_env).
#[derive(Clone, Debug)]
#[must_use = "settings do nothing until a network is opened with them"]
pub struct Settings {
    pub(crate) name: String,
    pub(crate) network: String,
    pub(crate) lease: Duration,
    max_frame: usize,
    pub(crate) listen: Vec<String>,
    pub(crate) connect: Vec<String>,
    pub(crate) tls: Option<Files>,
    revoked: Vec<PathBuf>,
    insecure: bool,
}

impl Settings {
    /// Settings of a process with this name, which events and drawings show. Two processes may have the same name.
    ///
    /// The name has 1 to 64 letters, digits, `-`, `_` and `.`.
    pub fn new(name: impl Into<String>) -> Settings {
        Settings {
            name: name.into(),
            network: "default".into(),
            lease: Duration::from_secs(5),
            max_frame: supervise_remote::MAX_FRAME,
            listen: Vec::new(),
            connect: Vec::new(),
            tls: None,
            revoked: Vec::new(),
            insecure: false,
        }
    }

    /// Listens on these addresses, each `host:port`, `1.2.3.4:port` or `[::1]:port`.
    ///
    /// The port is not 0: those that connect have to know it.
    pub fn listen(mut self, addresses: impl IntoIterator<Item = impl Into<String>>) -> Settings {
        self.listen.extend(addresses.into_iter().map(Into::into));
        self
    }

    /// Connects to the processes that listen on these addresses, and again when a connection breaks: first after
    /// 100 ms, then less often, at last once a second.
    ///
    /// A name is asked for its addresses again every 5 s, and each of them is connected to, so the name of a service that has
    /// many processes reaches all of them. Two processes keep one connection, however many addresses lead from one to the
    /// other. An owner and a node have to be connected directly; nobody passes frames on. Nobody is looked for in other
    /// ways, and none of the addresses has to answer when the network is opened: an address that does not answer is in the log after 5 s.
    /// With TLS, the certificate of the other side has to name the host, or the address, as it is written here.
    pub fn connect(mut self, addresses: impl IntoIterator<Item = impl Into<String>>) -> Settings {
        self.connect.extend(addresses.into_iter().map(Into::into));
        self
    }

    /// Mutual TLS on all connections: this process's certificate with its chain, its private key, and the certificates of
    /// the authorities that have signed those of the peers. Three PEM files.
    ///
    /// Each side refuses a peer without a certificate of these authorities, and no other authority counts. The certificate
    /// needs the uses *server* (to listen) and *client* (to connect), and says who its process may be, by alternative names
    /// of this form, of which it may have several:
    ///
    /// ```text
    /// URI:supervise://NAME@NETWORK/owner/TREE
    /// URI:supervise://NAME@NETWORK/node/ROLE
    /// ```
    ///
    /// `NAME` is that of [`new`](Settings::new), `NETWORK` that of [`network`](Settings::network), `TREE` the type of the tree
    /// and `ROLE` the first argument of `#[on(..)]`. A `*` stands for any of them. A process can be nothing else: it can
    /// neither own, nor read or speak for others.
    ///
    /// The files are read again when they change, once a second. A connection whose certificate has expired, is
    /// [revoked](Settings::revoked), or comes from an authority that is not in `ca` any more ends within 10 s. To replace an
    /// authority, put both into `ca` while certificates of both are in use. Only TLS 1.3 is spoken.
    pub fn tls(mut self, cert: impl AsRef<Path>, key: impl AsRef<Path>, ca: impl AsRef<Path>) -> Settings {
        let [cert, key, ca] = [cert.as_ref(), key.as_ref(), ca.as_ref()].map(Path::to_owned);
        self.tls = Some(Files { cert, key, ca, revoked: Vec::new() });
        self
    }

    /// A list of revoked certificates, of one or more of the authorities: a PEM file, which is read again when it changes. May
    /// be given several times. The time of the list's next update is not looked at.
    pub fn revoked(mut self, crl: impl AsRef<Path>) -> Settings {
        self.revoked.push(crl.as_ref().to_owned());
        self
    }

    /// Lets addresses be used without TLS that are not on loopback.
    ///
    /// Everybody who reaches such an address can run what the tree's nodes run, and read and change all messages.
    pub fn insecure(mut self) -> Settings {
        self.insecure = true;
        self
    }

    /// The name of the network, `default` if it is not set. Processes of two networks never meet, even at one address.
    ///
    /// Separates, and does not protect: that is for TLS. The name is formed as that of a process.
    pub fn network(mut self, name: impl Into<String>) -> Settings {
        self.network = name.into();
        self
    }

    /// The time after which the *others* count this process as lost when nothing comes from it. 5 s if it is not
    /// set; from 100 ms to an hour, in whole milliseconds. A sign of life is sent four times in this time.
    ///
    /// A process that dies is lost at once, as its connections break. The lease is for one that is frozen, and for a
    /// network that takes everything and delivers nothing. For as long this process waits for a peer that takes
    /// nothing, before it closes the connection.
    pub fn lease(mut self, lease: Duration) -> Settings {
        self.lease = lease;
        self
    }

    /// The most bytes of a message, of a reply, or of the values that a start takes along; 16 MiB if it is not set, and at
    /// most 1 GiB. The same for all processes. [`Net::max_frame`](supervise_remote::Net::max_frame) follows it.
    ///
    /// A frame may be 1 MiB longer, for what is put around a message. A peer that sends a longer one, or is to be sent one,
    /// is down. More memory than for one such frame is not taken for what a peer sends in pieces.
    pub fn max_frame(mut self, bytes: usize) -> Settings {
        self.max_frame = bytes;
        self
    }

    pub(crate) fn most_of_message(&self) -> usize {
        self.max_frame
    }

    pub(crate) fn longest_frame(&self) -> usize {
        self.max_frame + AROUND
    }

    /// Fails with the first mistake, and says which one.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        check_name(&self.name)?;
        check_name(&self.network)?;
        check_lease(self.lease)?;
        check_max_frame(self.max_frame)?;
        for address in self.listen.iter().chain(&self.connect) {
            check_address(address)?;
        }
        self.check_together()
    }

    /// Fails with the first setting that does not go with the others.
    pub(crate) fn check_together(&self) -> Result<(), OpenError> {
        if self.listen.is_empty() && self.connect.is_empty() {
            return Err(OpenError::Alone);
        }
        if self.tls.is_some() && self.insecure {
            return Err(OpenError::TlsAndInsecure);
        }
        for address in self.listen.iter().chain(&self.connect) {
            if self.tls.is_none() && !self.insecure && !is_loopback(check_address(address)?) {
                return Err(OpenError::Unprotected { address: address.clone() });
            }
        }
        if self.tls.is_none() && !self.revoked.is_empty() {
            return Err(OpenError::RevokedWithoutTls);
        }
        Ok(())
    }

    /// The files of TLS, if it is used.
    pub(crate) fn files(&self) -> Option<Files> {
        self.tls.clone().map(|files| Files { revoked: self.revoked.clone(), ..files })
    }
}

pub(crate) fn check_name(name: &str) -> Result<(), OpenError> {
    if is_name(name) { Ok(()) } else { Err(OpenError::Name { name: name.to_owned() }) }
}

pub(crate) fn check_lease(lease: Duration) -> Result<(), OpenError> {
    let (least, most) = LEASES;
    if !(least..=most).contains(&lease) {
        return Err(OpenError::Lease { lease, least, most });
    }
    if !lease.subsec_nanos().is_multiple_of(1_000_000) {
        return Err(OpenError::FineLease { lease });
    }
    Ok(())
}

pub(crate) fn check_max_frame(bytes: usize) -> Result<(), OpenError> {
    if bytes > MOST_FRAME { Err(OpenError::MaxFrame { bytes, most: MOST_FRAME }) } else { Ok(()) }
}

/// Returns the host of an address.
pub(crate) fn check_address(address: &str) -> Result<&str, OpenError> {
    host(address).map_err(|why| OpenError::Address { address: address.to_owned(), why })
}

/// The host of an address.
fn host(address: &str) -> Result<&str, &'static str> {
    const FORM: &str = "has not the form `host:port`, `1.2.3.4:port` or `[::1]:port`";
    let (host, port) = address.rsplit_once(':').ok_or(FORM)?;
    match port.parse::<u16>() {
        Ok(0) => return Err("has the port 0, which nobody could connect to; give another port"),
        Ok(_) if port.bytes().all(|byte| byte.is_ascii_digit()) => {}
        _ => return Err(FORM),
    }
    match host.strip_prefix('[').map(|rest| rest.strip_suffix(']').unwrap_or_default()) {
        Some(inner) if inner.parse::<std::net::Ipv6Addr>().is_ok() => Ok(inner),
        Some(_) => Err(FORM),
        None if !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) => Ok(host),
        None => Err(FORM),
    }
}

/// Whether nobody else can reach it. A name is not looked up, since it may lead elsewhere a moment later.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(address: &str) -> Result<(), String> {
        Settings::new("a").listen([address]).check().map_err(|error| error.to_string())
    }

    #[test]
    fn loopback_needs_no_protection() {
        for address in ["127.0.0.1:1", "127.9.9.9:7447", "localhost:65535", "[::1]:7", "[::ffff:127.0.0.1]:7"] {
            assert_eq!(on(address), Ok(()));
        }
    }

    #[test]
    fn other_addresses_need_protection() {
        for address in
            ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "shop.local:1", "localhost.evil.org:1", "[::ffff:10.0.0.1]:7"]
        {
            let error = on(address).unwrap_err();
            assert!(error.contains("is not on loopback"), "{error}");
            assert_eq!(Settings::new("a").listen([address]).insecure().check().map_err(drop), Ok(()));
            let error = Settings::new("a").connect([address]).check().unwrap_err();
            assert!(matches!(error, OpenError::Unprotected { .. }), "{error}");
        }
    }

    #[test]
    fn addresses_have_one_form() {
        for address in [
            "",
            "host",
            ":1",
            "host:",
            "host:+1",
            "host:70000",
            "[::1:7",
            "::1:7",
            "tcp/h:1",
            "h#x=1:1",
            "h?x:1",
            "[x]:1",
        ] {
            let error = on(address).unwrap_err();
            assert!(error.contains("has not the form"), "{address}: {error}");
        }
        assert!(on("127.0.0.1:0").unwrap_err().contains("the port 0"));
    }

    #[test]
    fn each_mistake_has_its_error() {
        let here = || Settings::new("a").listen(["127.0.0.1:7447"]);
        assert!(matches!(Settings::new("a").check(), Err(OpenError::Alone)));
        assert!(matches!(Settings::new("a/b").listen(["127.0.0.1:1"]).check(), Err(OpenError::Name { .. })));
        assert!(matches!(here().network("").check(), Err(OpenError::Name { .. })));
        assert!(matches!(here().lease(Duration::from_millis(99)).check(), Err(OpenError::Lease { .. })));
        assert!(matches!(here().lease(Duration::MAX).check(), Err(OpenError::Lease { .. })));
        assert!(matches!(here().lease(Duration::from_micros(100_500)).check(), Err(OpenError::FineLease { .. })));
        assert!(matches!(here().max_frame((1 << 30) + 1).check(), Err(OpenError::MaxFrame { .. })));
        assert!(matches!(here().tls("c", "k", "a").insecure().check(), Err(OpenError::TlsAndInsecure)));
        assert!(matches!(here().revoked("r").check(), Err(OpenError::RevokedWithoutTls)));
    }
}
