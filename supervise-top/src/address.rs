//! Addresses: where the console is.

use std::fmt;
use std::path::PathBuf;

/// The way to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A host and a port.
    Tcp(String, u16),
    /// A unix socket.
    Unix(PathBuf),
}

/// The address of a console.
///
/// ```
/// use supervise_top::address::Address;
///
/// let nested: Address = "http://shop.example:9090/ops/console".parse()?;
/// assert_eq!(nested.uri("info.json"), "/ops/console/info.json");
/// let socket: Address = "unix:/run/shop.sock".parse()?;
/// assert_eq!(socket.to_string(), "unix:/run/shop.sock");
/// assert!("https://shop.example".parse::<Address>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The way to the server.
    pub place: Place,
    /// The path under which the console is nested: empty, or with a slash at its begin and none at its end.
    pub prefix: String,
}

impl Address {
    /// Returns the path of a resource of the console on its server.
    pub fn uri(&self, resource: &str) -> String {
        format!("{}/{resource}", self.prefix)
    }

    /// Returns the value of the header `Host`.
    pub fn host(&self) -> String {
        match &self.place {
            Place::Tcp(host, port) if host.contains(':') => format!("[{host}]:{port}"),
            Place::Tcp(host, port) => format!("{host}:{port}"),
            Place::Unix(_) => "localhost".to_owned(),
        }
    }

    /// Returns whether what is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        match &self.place {
            Place::Unix(_) => true,
            Place::Tcp(host, _) => {
                let ip = host.parse().ok().map(|ip: std::net::IpAddr| ip.to_canonical().is_loopback());
                ip.unwrap_or(host == "localhost" || host.ends_with(".localhost"))
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tcp(..) => write!(f, "{}{}", self.host(), self.prefix),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The text may contain a password by mistake, so an error does not repeat it.
        let wrong = |problem: &str| {
            Err(format!(
                "the address is not one: {problem}; write 127.0.0.1:9090, http://host:port/prefix, or unix:/run/shop.sock"
            ))
        };
        if text.chars().any(|letter| letter.is_control() || letter == ' ') {
            return wrong("it contains a space or a control character");
        }
        if let Some(path) = text.strip_prefix("unix:") {
            return match path {
                "" => wrong("the path of the socket is missing"),
                _ if cfg!(not(unix)) => wrong("this system has no unix sockets"),
                path => Ok(Address { place: Place::Unix(path.into()), prefix: String::new() }),
            };
        }
        if text.starts_with("https://") {
            return Err(
                "https is not spoken here: lead the console through `ssh -L`, or through a proxy on this machine that \
                 speaks it"
                    .to_owned(),
            );
        }
        let (rest, default) = match text.strip_prefix("http://") {
            Some(rest) => (rest, Some(80)),
            None if text.contains("://") => return wrong("only http:// and unix: are spoken"),
            None => (text, None),
        };
        let (authority, prefix) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        if rest.contains(['?', '#']) {
            return wrong("it has a query or a fragment");
        }
        if authority.contains('@') {
            return wrong("it has a name or password, which `ps` would show; use --token-file or SUPERVISE_TOKEN");
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => match rest.split_once(']') {
                Some((host, "")) => (host, None),
                Some((host, port)) => (host, port.strip_prefix(':')),
                None => return wrong("a `]` is missing"),
            },
            None => match authority.rsplit_once(':') {
                Some((host, _)) if host.contains(':') => {
                    return wrong("an IPv6 address needs brackets, as in [::1]:9090");
                }
                Some((host, port)) => (host, Some(port)),
                // A port alone, or a host alone.
                None if authority.bytes().all(|byte| byte.is_ascii_digit()) && !authority.is_empty() => {
                    ("", Some(authority))
                }
                None => (authority, None),
            },
        };
        let port = match (port.map(str::parse), default) {
            (Some(Ok(port)), _) | (None, Some(port)) if port > 0 => port,
            (None, None) => return wrong("the port is missing"),
            _ => return wrong("the port is not a number from 1 to 65535"),
        };
        let host = match (host, default) {
            ("", None) => "127.0.0.1",
            ("", Some(_)) => return wrong("the host is missing"),
            (host, _) => host,
        };
        let prefix = prefix.trim_end_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Ok(Address { place: Place::Tcp(host.to_owned(), port), prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read() {
        for (text, place, prefix) in [
            ("127.0.0.1:9090", Place::Tcp("127.0.0.1".into(), 9090), ""),
            ("9090", Place::Tcp("127.0.0.1".into(), 9090), ""),
            (":9090", Place::Tcp("127.0.0.1".into(), 9090), ""),
            ("shop:80/console/", Place::Tcp("shop".into(), 80), "/console"),
            ("http://shop", Place::Tcp("shop".into(), 80), ""),
            ("http://shop:8080/a/b", Place::Tcp("shop".into(), 8080), "/a/b"),
            ("http://[::1]:9090/", Place::Tcp("::1".into(), 9090), ""),
            ("[::1]:9090", Place::Tcp("::1".into(), 9090), ""),
            ("unix:/run/shop.sock", Place::Unix("/run/shop.sock".into()), ""),
        ] {
            assert_eq!(text.parse(), Ok(Address { place, prefix: prefix.to_owned() }), "{text}");
        }
    }

    #[test]
    fn a_wrong_address_says_what_is_wrong() {
        for (text, problem) in [
            ("", "the port is missing"),
            ("shop", "the port is missing"),
            ("shop:http", "the port is not a number"),
            ("shop:0", "the port is not a number"),
            ("shop:70000", "the port is not a number"),
            ("::1:9090", "needs brackets"),
            ("[::1:9090", "a `]` is missing"),
            ("http://:80", "the host is missing"),
            ("http://secret@shop:80", "use --token-file"),
            ("http://shop:80/?token=secret", "query"),
            ("https://shop", "ssh -L"),
            ("ftp://shop", "only http://"),
            ("unix:", "the path of the socket is missing"),
            ("shop:80/\u{1b}", "control character"),
        ] {
            let said = text.parse::<Address>().unwrap_err();
            assert!(said.contains(problem), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn only_this_machine_is_local() {
        for (text, local) in [
            ("127.0.0.1:1", true),
            ("localhost:1", true),
            ("[::1]:1", true),
            ("unix:/a", true),
            ("10.0.0.1:1", false),
            ("localhost.evil:1", false),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().is_local(), local, "{text}");
        }
    }
}
