use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use supervise::prelude::*;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where clients connect. Read at the start only.
    pub listen: SocketAddr,
    /// Where `/health` is. Read at the start only.
    pub http: SocketAddr,
    pub upstream: SocketAddr,
    pub greeting: String,
    pub process: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration {0}: {1}")]
    Read(PathBuf, io::Error),
    #[error("the configuration {0} is wrong: {1}")]
    Parse(PathBuf, toml::de::Error),
}

/// The configuration as it is now.
pub type Current = Arc<watch::Sender<Config>>;

impl Config {
    pub fn read(file: &Path) -> Result<Config, ConfigError> {
        let text = fs::read_to_string(file).map_err(|error| ConfigError::Read(file.into(), error))?;
        toml::from_str(&text).map_err(|error| ConfigError::Parse(file.into(), error))
    }
}

/// Reads the file at each SIGHUP. A file that is broken changes nothing.
pub async fn reload(cx: TaskContext, file: PathBuf, config: Current, upstream: TaskRef) -> io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    cx.ready();
    loop {
        tokio::select! {
            _ = cx.stopped() => return Ok(()),
            Some(()) = hangups.recv() => {}
        }
        match Config::read(&file) {
            Ok(new) => {
                let old = config.send_replace(new.clone());
                if (old.listen, old.http) != (new.listen, new.http) {
                    tracing::warn!("the addresses to listen on are only read at the start");
                }
                if old.upstream != new.upstream {
                    let _ = upstream.restart(); // `Busy` or `Stopping`: it reads the new one anyway, or needs none
                }
                tracing::info!(changed = old != new, "the configuration is read");
            }
            Err(error) => tracing::error!(%error, "the configuration stays as it is"),
        }
    }
}
