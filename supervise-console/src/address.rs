//! Addresses: where a console listens, by TCP or at a unix socket.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use crate::Error;

/// The address where a console listens: an IP address with a port, or a unix socket.
///
/// The text is `127.0.0.1:9000`, `[::1]:9000`, `localhost:9000` (which is 127.0.0.1), or `unix:/run/shop.sock`. Port 0
/// stands for any free port; `Serve::on_bound` tells which one it is.
///
/// ```
/// use supervise_console::Address;
///
/// let tcp: Address = "127.0.0.1:9000".parse()?;
/// assert_eq!(tcp, Address::from(std::net::SocketAddr::from(([127, 0, 0, 1], 9000))));
/// let unix: Address = "unix:/run/shop.sock".parse()?;
/// assert_eq!(unix.to_string(), "unix:/run/shop.sock");
/// assert!(tcp.is_local() && unix.is_local());
/// # Ok::<(), supervise_console::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// An IP address with a port.
    Tcp(SocketAddr),
    /// A unix socket at this path: a file with mode 0600, so that only this user and root can connect.
    ///
    /// A server that comes to the socket of another one that lives gets an error. A socket that a killed process has left behind
    /// is replaced; of two servers that replace it in the same moment, only the later is reached.
    ///
    /// The socket is made in a hidden folder next to it, whose name begins with a dot and the id of the process in hexadecimal. A
    /// process that is killed in that moment leaves the folder behind; it can be removed. The path of the socket may have as many
    /// bytes as the system allows (107 on Linux), and that of its folder about 15 less.
    Unix(PathBuf),
}

impl Address {
    /// Returns whether only this machine can reach the address: loopback, or a unix socket.
    pub fn is_local(&self) -> bool {
        match self {
            Address::Tcp(address) => is_loopback(address.ip()),
            Address::Unix(_) => true,
        }
    }
}

/// Returns whether this is a loopback address, also if it is an IPv4 address in the form of an IPv6 one.
pub(crate) fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address::Tcp(address)
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = |problem| Error::Address { text: text.to_owned(), problem };
        if let Some(path) = text.strip_prefix("unix:") {
            return match path {
                "" => Err(wrong("the path of the socket is missing")),
                _ if path.contains('\0') => Err(wrong("a path has no null character")),
                _ if cfg!(not(unix)) => Err(wrong("this system has no unix sockets")),
                path => Ok(Address::Unix(PathBuf::from(path))),
            };
        }
        if let Some(port) = text.strip_prefix("localhost:") {
            let port = port.parse().map_err(|_| wrong("the port is not a number up to 65535"))?;
            return Ok(Address::Tcp(SocketAddr::from(([127, 0, 0, 1], port))));
        }
        text.parse().map(Address::Tcp).map_err(|_| {
            wrong(match text.rsplit_once(':') {
                _ if text.parse::<IpAddr>().is_ok() => "the port is missing",
                None => "the port is missing",
                Some(("", _)) => "the IP address is missing",
                Some((_, port)) if port.parse::<u16>().is_err() => "the port is not a number up to 65535",
                Some(_) => "the part before the port is not an IP address",
            })
        })
    }
}

/// A value that an [`Address`] is made from: one, a `SocketAddr`, or a text.
///
/// ```
/// use supervise::prelude::*;
///
/// supervisor! {
///     struct Shop(port: u16) {
///         console: task = |cx| supervise_console::serve(cx, ([127, 0, 0, 1], port), tree.clone()),
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # Shop::start(0).await?.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub trait IntoAddress {
    /// Makes the address.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Address`] for a text that is not an address.
    fn into_address(self) -> Result<Address, Error>;
}

impl IntoAddress for Address {
    fn into_address(self) -> Result<Address, Error> {
        Ok(self)
    }
}

impl IntoAddress for SocketAddr {
    fn into_address(self) -> Result<Address, Error> {
        Ok(Address::Tcp(self))
    }
}

impl<I: Into<IpAddr>> IntoAddress for (I, u16) {
    fn into_address(self) -> Result<Address, Error> {
        Ok(Address::Tcp(SocketAddr::from(self)))
    }
}

impl IntoAddress for &str {
    fn into_address(self) -> Result<Address, Error> {
        self.parse()
    }
}

impl IntoAddress for String {
    fn into_address(self) -> Result<Address, Error> {
        self.parse()
    }
}

impl IntoAddress for &String {
    fn into_address(self) -> Result<Address, Error> {
        self.parse()
    }
}

/// A listener at an [`Address`]. Dropping it closes the port, and removes the socket file if it is still its own.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    /// The file is removed with it.
    Unix(UnixListener, #[allow(dead_code)] socket::File),
}

/// A connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream, SocketAddr),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Listener {
    pub(crate) async fn bind(address: &Address) -> Result<(Listener, Address), Error> {
        match address {
            Address::Tcp(tcp) => {
                let error = |source| Error::Bind { address: address.to_string(), source };
                // On Unix tokio sets SO_REUSEADDR, so a restarted console binds while old connections still close.
                let listener = TcpListener::bind(tcp).await.map_err(error)?;
                let bound = listener.local_addr().map_err(error)?;
                Ok((Listener::Tcp(listener), Address::Tcp(bound)))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let (listener, file) = socket::bind(path).await?;
                Ok((Listener::Unix(listener, file), address.clone()))
            }
            #[cfg(not(unix))]
            Address::Unix(_) => {
                Err(Error::Address { text: address.to_string(), problem: "this system has no unix sockets" })
            }
        }
    }

    /// Returns the next connection.
    ///
    /// # Cancel safety
    ///
    /// No connection is lost if this future is dropped.
    pub(crate) async fn accept(&self) -> io::Result<Stream> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                let _ = stream.set_nodelay(true); // an error: answers come a little later
                Ok(Stream::Tcp(stream, peer))
            }
            #[cfg(unix)]
            Listener::Unix(listener, _) => Ok(Stream::Unix(listener.accept().await?.0)),
        }
    }
}

#[cfg(unix)]
mod socket {
    //! The file of a unix socket.

    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
    use std::os::unix::net::SocketAddr;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::net::{UnixListener, UnixStream};

    use crate::{Address, Error};

    /// Removes the file when it is dropped, unless another server has replaced it.
    #[derive(Debug)]
    pub(crate) struct File {
        path: PathBuf,
        id: (u64, u64),
    }

    impl Drop for File {
        fn drop(&mut self) {
            if fs::symlink_metadata(&self.path).is_ok_and(|file| (file.dev(), file.ino()) == self.id) {
                let _ = fs::remove_file(&self.path); // an error: the next server replaces it
            }
        }
    }

    /// A folder next to the socket that only this user can enter. In it the socket gets its mode: until then it has that of
    /// the umask, and others could connect. Dropping it removes it.
    struct Private(PathBuf);

    impl Private {
        fn beside(path: &Path) -> io::Result<Private> {
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            // A folder that exists was left behind by a process that was killed, perhaps with the same id.
            const TRIES: u32 = 100;
            let mut made: io::Result<Private> = Err(io::ErrorKind::AlreadyExists.into());
            for _ in 0..TRIES {
                let number = NUMBER.fetch_add(1, Ordering::Relaxed);
                // Short, since the path of a socket has about 100 characters at most.
                let folder = path.with_file_name(format!(".{:x}-{number:x}", std::process::id()));
                made = DirBuilder::new().mode(0o700).create(&folder).map(|()| Private(folder));
                match &made {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    _ => break,
                }
            }
            made
        }

        fn socket(&self) -> PathBuf {
            self.0.join("s")
        }
    }

    impl Drop for Private {
        fn drop(&mut self) {
            let _ = fs::remove_file(self.socket()); // an error: it was not made, or has its own name now
            let _ = fs::remove_dir(&self.0); // an error: an empty folder is left
        }
    }

    /// The state of the path of a socket.
    enum Place {
        Free,
        /// A socket at which nobody listens: left behind by a process that was killed.
        Stale,
    }

    /// Returns an error if something is at the path that is not to be replaced.
    async fn look(path: &Path) -> Result<Place, Error> {
        let error = |source| Error::Bind { address: Address::Unix(path.to_owned()).to_string(), source };
        match fs::symlink_metadata(path) {
            Ok(file) if !file.file_type().is_socket() => Err(Error::NotASocket { path: path.to_owned() }),
            Ok(_) => match UnixStream::connect(path).await {
                Ok(_) => Err(Error::SocketInUse { path: path.to_owned() }),
                Err(refused) if refused.kind() == io::ErrorKind::ConnectionRefused => Ok(Place::Stale),
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(Place::Free),
                // The server is alive with a full queue, or it belongs to another user.
                Err(other) => Err(error(other)),
            },
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(Place::Free),
            Err(other) => Err(error(other)),
        }
    }

    /// Binds in a private folder and moves the socket to its path: it listens and has its mode before others can find it, and
    /// replaces a stale one without a gap.
    ///
    /// Of several servers that come at once to a free path, one gets it. At a stale socket the last one does.
    pub(super) async fn bind(path: &Path) -> Result<(UnixListener, File), Error> {
        let error = |source| Error::Bind { address: Address::Unix(path.to_owned()).to_string(), source };
        SocketAddr::from_pathname(path).map_err(error)?; // nobody could connect to a path that is too long
        let mut place = look(path).await?;
        let private = Private::beside(path).map_err(error)?;
        let hidden = private.socket();
        let made = || {
            let listener = std::os::unix::net::UnixListener::bind(&hidden)?;
            listener.set_nonblocking(true)?;
            fs::set_permissions(&hidden, Permissions::from_mode(0o600))?;
            let file = fs::symlink_metadata(&hidden)?;
            Ok((UnixListener::from_std(listener)?, File { path: path.to_owned(), id: (file.dev(), file.ino()) }))
        };
        let bound = made().map_err(error)?;
        loop {
            let moved = match place {
                Place::Free => fs::hard_link(&hidden, path),
                Place::Stale => fs::rename(&hidden, path),
            };
            match moved {
                Ok(()) => return Ok(bound),
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => place = look(path).await?,
                Err(other) => return Err(error(other)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for text in ["127.0.0.1:9000", "[::1]:0", "0.0.0.0:80", "unix:/run/shop.sock", "unix:shop.sock"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!("localhost:9000".parse::<Address>().unwrap().to_string(), "127.0.0.1:9000");
    }

    #[test]
    fn a_wrong_address_says_what_is_wrong() {
        for (text, problem) in [
            ("", "the port is missing"),
            ("127.0.0.1", "the port is missing"),
            ("::1", "the port is missing"),
            ("9000", "the port is missing"),
            (":9000", "the IP address is missing"),
            ("127.0.0.1:http", "the port is not a number up to 65535"),
            ("127.0.0.1:70000", "the port is not a number up to 65535"),
            ("localhost:x", "the port is not a number up to 65535"),
            ("shop:9000", "the part before the port is not an IP address"),
            ("unix:", "the path of the socket is missing"),
            ("unix:a\0b", "a path has no null character"),
        ] {
            match text.parse::<Address>() {
                Err(Error::Address { problem: said, .. }) => assert_eq!(said, problem, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn loopback_is_local_in_every_form() {
        for (text, local) in [
            ("127.8.9.1:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("10.0.0.1:1", false),
            ("[::ffff:10.0.0.1]:1", false),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().is_local(), local, "{text}");
        }
    }

    #[cfg(unix)]
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn one_of_several_servers_gets_a_free_path() {
        let folder = std::env::temp_dir().join(format!("supervise-several-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let address = Address::Unix(folder.join("s"));
        for round in 0..200 {
            let (begin, runtime) = (std::sync::Barrier::new(4), tokio::runtime::Handle::current());
            let serve = || {
                begin.wait();
                runtime.block_on(Listener::bind(&address))
            };
            let servers: Vec<_> = tokio::task::block_in_place(|| {
                std::thread::scope(|scope| {
                    let servers: Vec<_> = (0..4).map(|_| scope.spawn(serve)).collect();
                    servers.into_iter().map(|server| server.join().unwrap()).collect()
                })
            });
            let mut listening = 0;
            for server in &servers {
                match server {
                    Ok(_) => listening += 1,
                    Err(error) => assert!(matches!(error, Error::SocketInUse { .. }), "{error}"),
                }
            }
            assert_eq!(listening, 1, "round {round}");
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
        std::fs::remove_dir(&folder).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_path_at_which_nobody_could_connect_is_an_error() {
        let path = std::env::temp_dir().join("s".repeat(120));
        let error = Listener::bind(&Address::Unix(path.clone())).await.unwrap_err();
        assert!(matches!(error, Error::Bind { .. }), "{error}");
        assert!(!path.exists());
    }
}
