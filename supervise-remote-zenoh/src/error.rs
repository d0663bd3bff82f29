use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// A network that cannot be opened.
///
/// ```
/// use supervise_remote_zenoh::{OpenError, Settings, Zenoh};
///
/// # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
/// # async fn main() {
/// let error = Zenoh::open(Settings::new("shop").listen(["0.0.0.0:7447"])).await.unwrap_err();
/// assert!(matches!(error, OpenError::Unprotected { .. }));
/// assert_eq!(
///     error.to_string(),
///     "0.0.0.0:7447 is not on loopback, and there is no TLS; give `.tls(cert, key, ca)`, or write `.insecure()`"
/// );
/// # }
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A name of a process or network that cannot stand in a key.
    #[error("{name:?} is no name; use 1 to 64 letters, digits, `-`, `_` and `.`")]
    Name {
        /// The name that was given.
        name: String,
    },
    /// An address that cannot be used.
    #[error("the address {address:?} {why}")]
    Address {
        /// The address that was given.
        address: String,
        /// The mistake in it, and the form to write instead.
        why: &'static str,
    },
    /// Neither an address to listen on, nor one to connect to.
    #[error("nobody can be reached; give addresses with `.listen(..)` or `.connect(..)`")]
    Alone,
    /// The lease of the connections is too short or too long.
    #[error("a lease of {lease:?} is outside of {least:?} to {most:?}")]
    Lease {
        /// The lease that was given.
        lease: Duration,
        /// The shortest one.
        least: Duration,
        /// The longest one.
        most: Duration,
    },
    /// The lease of the connections has parts of a millisecond.
    #[error("a lease of {lease:?} is not in whole milliseconds; round it")]
    FineLease {
        /// The lease that was given.
        lease: Duration,
    },
    /// The longest message is too long.
    #[error("messages of {bytes} bytes are above the most, {most}")]
    MaxFrame {
        /// The number of bytes that was given.
        bytes: usize,
        /// The greatest one.
        most: usize,
    },
    /// An address that others can reach, without TLS.
    #[error("{address} is not on loopback, and there is no TLS; give `.tls(cert, key, ca)`, or write `.insecure()`")]
    Unprotected {
        /// The address that was given.
        address: String,
    },
    /// Both `.tls(..)` and `.insecure()`.
    #[error("`.insecure()` is written beside `.tls(..)`; remove one of them")]
    TlsAndInsecure,
    /// A list of revoked certificates, without TLS.
    #[error("`.revoked(..)` is written without `.tls(..)`; add it")]
    RevokedWithoutTls,
    /// A file of the certificates cannot be used.
    #[error("{} cannot be used for TLS: {why}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The mistake in it.
        why: String,
    },
    /// Somebody else listens on this address.
    #[error("the address {address} is in use; choose another one, or end the process that listens there")]
    InUse {
        /// The address that was given.
        address: String,
    },
    /// This address cannot be listened on for another reason.
    #[error("the address {address} cannot be listened on: {error}")]
    Listen {
        /// The address that was given.
        address: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The threads of the connections cannot be started.
    #[error("the threads of the connections cannot be started: {0}")]
    Threads(io::Error),
}
