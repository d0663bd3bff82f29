//! The socket on which systemd listens. Sending to it never waits.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

use sd_notify::NotifyState;

use supervise_core::base::deferred_drop::shielded;

/// A socket of our own, since `sd_notify::notify` waits while systemd does not read, and knows no abstract addresses.
#[derive(Debug)]
pub(super) struct Socket {
    own: UnixDatagram,
    systemd: SocketAddr,
}

/// The fate of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Done,
    /// The queue is full, or systemd is not there at the moment: to be tried again.
    Later,
}

impl Socket {
    /// Opens the socket that `NOTIFY_SOCKET` names. `None`: the program does not run under systemd.
    pub(super) fn open() -> Option<io::Result<Socket>> {
        let name = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty())?;
        Some(Self::of(&name))
    }

    fn of(name: &OsString) -> io::Result<Socket> {
        let systemd = match name.as_bytes() {
            [b'/', ..] => SocketAddr::from_pathname(Path::new(name))?,
            #[cfg(any(target_os = "linux", target_os = "android"))]
            [b'@', name @ ..] => {
                #[cfg(target_os = "android")]
                use std::os::android::net::SocketAddrExt;
                #[cfg(target_os = "linux")]
                use std::os::linux::net::SocketAddrExt;
                SocketAddr::from_abstract_name(name)?
            }
            _ => return Err(io::Error::new(ErrorKind::Unsupported, "neither a path nor an abstract name")),
        };
        let own = UnixDatagram::unbound()?;
        own.set_nonblocking(true)?;
        Ok(Socket { own, systemd })
    }

    /// Sends one message with these lines. Never waits.
    pub(super) fn send(&self, states: &[NotifyState<'_>]) -> Sent {
        let text: String = states.iter().map(|state| format!("{state}\n")).collect();
        match self.own.send_to_addr(text.as_bytes(), &self.systemd) {
            Ok(_) => Sent::Done,
            Err(error) => {
                shielded(|| tracing::trace!(target: "supervise", %error, "systemd takes no message now"));
                Sent::Later
            }
        }
    }
}
