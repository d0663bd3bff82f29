//! The errors of this crate: a console or probes that cannot start.

use std::io;
use std::path::PathBuf;

/// The error of a console or of probes that cannot start as they are set up.
///
/// The texts say what to do. The builders of this crate keep the first error, and return it when the server starts or the
/// router is made.
///
/// ```
/// use supervise_console::{Error, Token};
///
/// let error = Token::new("letmein").unwrap_err();
/// assert!(matches!(error, Error::ShortToken { length: 7 }));
/// assert_eq!(
///     error.to_string(),
///     "the token has 7 characters and needs at least 16; make one with `openssl rand -hex 16`"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not an address.
    #[error(
        "`{text}` is not an address: {problem}; write an IP address with a port, such as `127.0.0.1:9000` or `[::1]:9000`, \
         or `unix:` and a path, such as `unix:/run/shop.sock`"
    )]
    Address {
        /// The text that was given.
        text: String,
        /// The part that is wrong.
        problem: &'static str,
    },
    /// The token is too short to be secret, or empty.
    #[error("the token has {length} characters and needs at least 16; make one with `openssl rand -hex 16`")]
    ShortToken {
        /// The number of characters.
        length: usize,
    },
    /// The token contains a character that an HTTP header cannot carry.
    #[error(
        "the token contains a character other than the visible ones of ASCII; make one with `openssl rand -hex 16`"
    )]
    TokenCharacter,
    /// The token was to come from a variable of the environment, which is not set or not text.
    #[error("no token: {0}; set the variable of the environment, for example to the output of `openssl rand -hex 16`")]
    TokenVariable(#[from] std::env::VarError),
    /// The token to look and the one to act are the same.
    #[error("the token of `allow_control` is also that of `token`; whoever may look could act: use another one")]
    SameToken,
    /// Other machines could reach the console, and it has no token.
    #[error(
        "the console at {address} can be reached from other machines and has no token; set one with `.token(..)`, or listen \
         on 127.0.0.1 or on a unix socket"
    )]
    NeedsToken {
        /// The address.
        address: String,
    },
    /// The server cannot listen at the address.
    #[error("cannot listen at {address}: {}", advice(source))]
    Bind {
        /// The address.
        address: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another server answers at this unix socket.
    #[error("another server answers at the unix socket {}; stop it, or use another path", path.display())]
    SocketInUse {
        /// The path.
        path: PathBuf,
    },
    /// The path of the unix socket is a file of another kind, which is left alone.
    #[error("{} exists and is not a socket, so it is not replaced; use another path", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The tree has no declared children with these paths.
    #[error("{}", unknown_paths(unknown, known))]
    UnknownPaths {
        /// The paths that do not exist.
        unknown: Vec<String>,
        /// The paths of the declared children.
        known: Vec<String>,
    },
}

fn advice(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::AddrInUse => "the address is in use; stop the other server, or use another port".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine does not have the address; use one of its own".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; use a port from 1024 on, or a folder that this user may write to".to_owned()
        }
        _ => source.to_string(),
    }
}

/// The number of paths that an error shows.
const SHOWN: usize = 50;

fn unknown_paths(unknown: &[String], known: &[String]) -> String {
    let quoted: Vec<_> = unknown.iter().map(|path| format!("`{path}`")).collect();
    let shown = known.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (are, them) = if unknown.len() == 1 { ("is", "it") } else { ("are", "them") };
    format!("{} {are} not declared in this tree; replace {them} by one of {shown}{more}", quoted.join(", "))
}
