//! A lease in a file: the lock of the file is the lease, and the file has the token.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Acquired, Lease};
use rustix::fs::{FlockOperation, flock};
use supervise_runtime::Thrown;

use crate::TTL;

/// A lease in a file, for processes of one machine.
///
/// The holder locks the file (`flock`), and writes its token there. The system drops the lock when the process has ended, in
/// whatever way: the next holder need not wait for the end of any time. A holder that is frozen keeps the lock, and
/// nobody takes over.
///
/// The file must not be on a network file system whose locks do not reach other machines. It is made if there is none, and it
/// stays: its token has to grow. A holder whose file was removed or replaced notices that at the next renewal, and stops.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise_lease::FileLease;
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::env::temp_dir().join(format!("supervise-lease-doc-{}", std::process::id()));
/// let lease = FileLease::new(&path).ttl(Duration::from_secs(5));
/// let shop = Shop::tree().only_with(lease).start().await?;
/// assert_eq!(shop.lease_token(), Some(1));
/// assert!(shop.shutdown().await.is_orderly());
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FileLease {
    path: PathBuf,
    ttl: Duration,
    held: Arc<Mutex<Option<Held>>>,
}

/// The locked file.
#[derive(Debug)]
struct Held {
    file: File,
    token: u64,
    granted: Instant,
}

/// The content of the file: always as long, so that it is written in one piece.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    token: u64,
    released: bool,
}

impl FileLease {
    /// Makes a lease in this file, with a `ttl` of 15 s. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>) -> Self {
        FileLease { path: path.as_ref().to_owned(), ttl: TTL, held: Arc::default() }
    }

    /// Sets the time for which a grant holds. The lock itself has no time: this one says how often the file is looked after,
    /// and how soon others ask.
    pub fn ttl(self, ttl: Duration) -> Self {
        FileLease { ttl, ..self }
    }

    /// Runs `call` where it may wait for the disk.
    async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Path, Duration, &mut Option<Held>) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Thrown> {
        let (path, ttl, held) = (self.path.clone(), self.ttl, self.held.clone());
        let called = tokio::task::spawn_blocking(move || {
            call(&path, ttl, &mut lock(&held)).map_err(|error| format!("the lease {}: {error}", path.display()))
        });
        Ok(called.await??)
    }
}

impl Lease for FileLease {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn ttl(&self) -> Duration {
        self.ttl
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        self.call(acquire).await
    }

    async fn renew(&self, token: u64) -> Result<bool, Thrown> {
        self.call(move |path, _, held| {
            let Some(held) = held.as_mut().filter(|held| held.token == token) else { return Ok(false) };
            let still = is_at(&held.file, path)?;
            if still {
                held.granted = Instant::now();
            }
            Ok(still)
        })
        .await
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        self.call(move |_, _, held| {
            if let Some(mine) = held.take_if(|held| held.token == token) {
                write(&mine.file, &Content { token, released: true })?; // dropping the file releases its lock
            }
            Ok(())
        })
        .await
    }
}

fn acquire(path: &Path, ttl: Duration, held: &mut Option<Held>) -> io::Result<Option<Acquired>> {
    let (file, is_own) = match held.take() {
        // A holding of this process that was not released keeps out its next holder, like one of another process.
        Some(mine) if mine.granted.elapsed() < ttl => {
            *held = Some(mine);
            return Ok(None);
        }
        Some(mine) if is_at(&mine.file, path)? => (mine.file, true),
        _ => (OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?, false),
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    if !is_at(&file, path)? {
        return Err(io::Error::other("the file was replaced while it was locked"));
    }
    let before = read(&file)?;
    let token = before.as_ref().map_or(0, |before| before.token).checked_add(1);
    let token = token.ok_or_else(|| io::Error::other("the token cannot grow any more"))?;
    write(&file, &Content { token, released: false })?;
    *held = Some(Held { file, token, granted: Instant::now() });
    Ok(Some(Acquired { token, released: !is_own && before.is_some_and(|before| before.released) }))
}

/// Returns whether this file is still the one at the path.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let there = match path.metadata() {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let mine = file.metadata()?;
    Ok((mine.dev(), mine.ino()) == (there.dev(), there.ino()))
}

/// Reads the content; `None` of a file that is new.
fn read(mut file: &File) -> io::Result<Option<Content>> {
    file.seek(SeekFrom::Start(0))?;
    let mut text = String::new();
    file.take(100).read_to_string(&mut text)?;
    if text.is_empty() {
        return Ok(None);
    }
    let parse = |text: &str| {
        let (token, state) = text.strip_suffix('\n')?.split_once(' ')?;
        let released = match state {
            "released" => true,
            "held" => false,
            _ => return None,
        };
        Some(Content { token: token.parse().ok()?, released })
    };
    match parse(&text) {
        Some(content) => Ok(Some(content)),
        None => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file is no lease; write the greatest token that was used into it, as `00000000000000000007 held`",
        )),
    }
}

fn write(mut file: &File, content: &Content) -> io::Result<()> {
    let state = if content.released { "released" } else { "held" };
    file.seek(SeekFrom::Start(0))?;
    let line = format!("{:020} {state}\n", content.token);
    file.write_all(line.as_bytes())?;
    file.set_len(line.len() as u64)?;
    file.sync_data()
}

/// A panic under this lock leaves a value that is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
