use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use supervise::prelude::*;
use tokio::net::TcpStream;
use tokio::sync::broadcast;
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

use crate::config::Current;

#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    #[error("cannot connect to {0}: {1}")]
    Connect(SocketAddr, io::Error),
    #[error("{0} does not answer")]
    Silent(SocketAddr),
    #[error("{0} has closed the connection")]
    Closed(SocketAddr),
    #[error("the connection to {0} broke: {1}")]
    Broken(SocketAddr, LinesCodecError),
}

/// Reads lines and gives each to all who subscribed.
pub async fn read(cx: TaskContext, config: Current, feed: broadcast::Sender<Arc<str>>) -> Result<(), UpstreamError> {
    let address = config.borrow().upstream;
    let connected = tokio::select! {
        connected = timeout(Duration::from_secs(3), TcpStream::connect(address)) => connected,
        _ = cx.stopped() => return Ok(()), // a stop does not cancel the start of a task
    };
    let stream = match connected {
        Ok(connected) => connected.map_err(|error| UpstreamError::Connect(address, error))?,
        Err(_) => return Err(UpstreamError::Silent(address)),
    };
    cx.ready();
    let mut lines = FramedRead::new(stream, LinesCodec::new_with_max_length(8192));
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            _ = cx.stopped() => return Ok(()),
        };
        let line = line.ok_or(UpstreamError::Closed(address))?.map_err(|e| UpstreamError::Broken(address, e))?;
        let _ = feed.send(line.into()); // an error says that nobody subscribes
    }
}
