//! A copy of `supervise_remote::wire`, until that is there.
#![allow(missing_docs)]

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(Arc<str>);

impl Peer {
    pub fn new(name: &str, join: &str) -> Peer {
        Peer(format!("{name}#{join}").into())
    }
    pub fn name(&self) -> &str {
        self.0.split('#').next().unwrap_or_default()
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Owner,
    Node,
}

#[derive(Debug, PartialEq, Eq)]
pub enum LinkEvent {
    Up(Peer),
    Down(Peer),
    Frame { from: Peer, bytes: Vec<u8> },
}

pub type Joining<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Link>>> + Send + 'a>>;

pub trait Wire: Send + Sync + 'static {
    fn name(&self) -> &str;
    fn join(&self, side: Side) -> Joining<'_>;
}

pub trait Link: Send {
    fn me(&self) -> &Peer;
    fn sender(&self) -> Arc<dyn Outgoing>;
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>>;
}

pub trait Outgoing: Send + Sync {
    fn send(&self, to: &Peer, bytes: Vec<u8>);
}
