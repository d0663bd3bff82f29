use std::io;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use supervise::error::{KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::codec::{Framed, LinesCodec};

use crate::config::Current;
use crate::session::{Session, Wire};

type Clients = Keyed<String, Session, (Wire,)>;

/// Accepts connections until it is to stop.
pub async fn listen(cx: TaskContext, config: Current, clients: Clients) -> io::Result<()> {
    let address = config.borrow().listen;
    let socket = TcpListener::bind(address).await?;
    cx.ready();
    loop {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            _ = cx.stopped() => return Ok(()),
        };
        match accepted {
            Ok((stream, _)) => cx.spawn(greet(stream, clients.clone())),
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Reads the name of a client, and starts its session.
async fn greet(stream: TcpStream, clients: Clients) {
    let mut wire = Framed::new(stream, LinesCodec::new_with_max_length(8192));
    let Ok(Some(Ok(name))) = timeout(Duration::from_secs(5), wire.next()).await else { return };
    if name.is_empty() || name.len() > 64 || name.chars().any(|c| !c.is_alphanumeric()) {
        let _ = wire.send("ERR no name").await;
        return;
    }
    if clients.get(&name).is_some() {
        let _ = wire.send("ERR the name is taken").await;
        return;
    }
    match clients.spawn(name.clone(), wire).await {
        Ok(_) => {}
        Err(KeyedError::Exists { .. } | KeyedError::Spawn(SpawnError::MaxChildren { .. })) => {} // the socket is closed
        Err(error) => tracing::warn!(name, %error, "a client cannot be served"),
    }
}
