//! A private PostgreSQL in a temporary folder: started, killed, started again, and gone with its owner.
//!
//! This module does not know about supervision; it is the outside world.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader};
#[cfg(unix)]
use std::os::unix::{
    fs::{DirBuilderExt, chown},
    process::CommandExt,
};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use supervise::BoxError;

/// A server replays its log before it takes connections.
const TIME_TO_START: Duration = Duration::from_secs(30);

/// The folder of `initdb` and `postgres`, and the user that may run them.
#[derive(Clone)]
pub struct Binaries {
    folder: PathBuf,
    /// PostgreSQL does not run as root: the user and group to run as instead.
    user: Option<(u32, u32)>,
}

impl Binaries {
    /// Looks on the `PATH`, then in Debian's folders.
    ///
    /// # Errors
    ///
    /// One line that names the missing program.
    pub fn find() -> Result<Binaries, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut debian: Vec<_> = debian.map(|version| version.path().join("bin")).collect();
        debian.sort_by_key(|bin| bin.parent().and_then(Path::file_name)?.to_str()?.parse::<u32>().ok());

        let folder = std::env::split_paths(&path)
            .chain(debian.into_iter().rev())
            // `postgres` may be a link into the folder of its `initdb`.
            .filter_map(|folder| Some(folder.join("postgres").canonicalize().ok()?.parent()?.to_owned()))
            .find(|folder| folder.join("initdb").exists())
            .ok_or("PostgreSQL is not installed: `apt-get install postgresql`")?;
        let user = match id(&["-u"]) {
            Some(0) => Some(
                id(&["-u", "postgres"])
                    .zip(id(&["-g", "postgres"]))
                    .ok_or("PostgreSQL does not run as root, and there is no user `postgres` to run it")?,
            ),
            _ => None,
        };
        Ok(Binaries { folder, user })
    }

    /// One of the programs, to be run in `folder`.
    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(self.folder.join(program));
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            if let Some((user, group)) = self.user {
                command.uid(user).gid(group);
            }
            command.process_group(0); // Ctrl-C is for this program, which takes the server down
        }
        command
    }

    /// Gives the folder to the user that runs the programs.
    fn give(&self, folder: &Path) -> io::Result<()> {
        #[cfg(unix)]
        if let Some((user, group)) = self.user {
            chown(folder, Some(user), Some(group))?;
        }
        let _ = folder;
        Ok(())
    }
}

fn id(args: &[&str]) -> Option<u32> {
    let out = Command::new("id").args(args).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(out.stdout).ok()?.trim().parse().ok()
}

/// The private server. On drop it is killed, and its folder is removed.
pub struct Server {
    binaries: Binaries,
    folder: PathBuf,
    running: Option<Running>,
}

struct Running {
    first: Child,
    /// Reads the log. The thread ends when the other end of the pipe is closed: all processes of the server have
    /// inherited that end, so all of them are gone then.
    log: JoinHandle<VecDeque<String>>,
}

impl Server {
    /// Creates a database cluster in a new folder and starts a server on it.
    ///
    /// # Errors
    ///
    /// The last complaint of the server or of `initdb`.
    pub fn create(binaries: Binaries) -> Result<Server, BoxError> {
        let folder = std::env::temp_dir().join(format!("supervise-postgres-{}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        builder.mode(0o700);
        builder.create(&folder)?;
        // From here on the `Drop` of `Server` cleans up.
        let mut server = Server { binaries, folder, running: None };
        server.binaries.give(&server.folder)?;
        // Only users that can enter the folder reach the socket in it, so a password would protect nothing more.
        // `--no-sync` affects only the files of this moment; the server itself runs with fsync.
        let made = server
            .binaries
            .command("initdb", &server.folder)
            .args(["--pgdata=data", "--username=postgres", "--auth=trust", "--no-locale", "--encoding=UTF8"])
            .arg("--no-sync")
            .output()?;
        if !made.status.success() {
            return Err(format!("initdb: {}", last_line(&String::from_utf8_lossy(&made.stderr))).into());
        }
        server.start()?;
        Ok(server)
    }

    /// The address: a socket in the folder. A port could be taken by others while the server is down.
    pub fn url(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.folder.display())
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts the server, and returns when it takes connections.
    ///
    /// # Errors
    ///
    /// The last complaint of the server.
    pub fn start(&mut self) -> Result<(), BoxError> {
        let mut socket = OsString::from("unix_socket_directories=");
        socket.push(&self.folder);
        let mut first = self
            .binaries
            .command("postgres", &self.folder)
            .args(["-D", "data", "-c", "listen_addresses=", "-c", "fsync=on", "-c"])
            .arg(socket)
            .spawn()?;
        let log = first.stderr.take().ok_or("no pipe to the server")?;
        let (ready, is_ready) = channel();
        self.running = Some(Running { first, log: thread::spawn(move || read(BufReader::new(log), &ready)) });
        match is_ready.recv_timeout(TIME_TO_START) {
            Ok(()) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(format!("the server is not up after {TIME_TO_START:?}").into()),
            Err(RecvTimeoutError::Disconnected) => {
                let log = self.kill().unwrap_or_default().1;
                Err(format!("the server ended at its start: {}", log.back().map_or("(no output)", |line| line)).into())
            }
        }
    }

    /// Kills the server with SIGKILL, with all of its processes, and returns when the last one is gone: their number,
    /// and their last lines. Only then is it safe to start a new server.
    pub fn kill(&mut self) -> Option<(usize, VecDeque<String>)> {
        let Running { mut first, log } = self.running.take()?;
        // Each of the others leads its own process group, so that one signal does not reach them all. While the first
        // one is stopped, no new ones are started.
        signal("STOP", &[first.id()]);
        let mut all = children_of(first.id());
        all.push(first.id());
        signal("KILL", &all);
        let _ = first.kill();
        let _ = first.wait();
        Some((all.len(), log.join().unwrap_or_default()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("13_postgres: {} is still there: {error}", self.folder.display());
        }
    }
}

/// Reads the log to its end; keeps the last lines.
fn read(log: impl BufRead, ready: &Sender<()>) -> VecDeque<String> {
    let mut last = VecDeque::new();
    for line in log.lines().map_while(Result::ok) {
        if line.contains("database system is ready to accept connections") {
            let _ = ready.send(());
        }
        last.push_back(line);
        if last.len() > 10 {
            last.pop_front();
        }
    }
    last
}

fn signal(name: &str, processes: &[u32]) {
    let pids = processes.iter().map(u32::to_string);
    // A process that is gone already is fine.
    let _ = Command::new("sh").args(["-c", "kill -s \"$@\"", "sh", name]).args(pids).stderr(Stdio::null()).status();
}

/// The child processes of this parent, where the system lists them (Linux). Elsewhere none: the others then end by
/// themselves when they find that the first one is gone.
fn children_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            // `4711 (postgres) S 4700 ..`
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            fields.nth(1).and_then(|field| field.parse().ok()) == Some(parent)
        })
        .collect()
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or("(no output)")
}
