//! The same, but the next instance sends the packet itself: `post_restart` runs before the first message.

use supervise::prelude::*;

use crate::line::{Line, Packet};

#[derive(Debug, thiserror::Error)]
#[error("packet {} was dropped", .0.id)]
pub struct PacketException(Packet);

pub struct ReliableNetwork {
    line: Line,
}

#[actor]
impl ReliableNetwork {
    fn handle(&mut self, packet: Packet) -> Result<(), PacketException> {
        self.line.send(packet).map_err(PacketException)
    }

    /// If the packet is dropped again, the restart fails, and the next instance receives that failure.
    #[post_restart]
    fn again(&mut self, failure: &Failure) -> Result<(), PacketException> {
        match failure.error() {
            Some(PacketException(packet)) => self.handle(packet.clone()),
            None => Ok(()),
        }
    }
}

supervisor! {
    pub struct Tree(line: Line) {
        #[backoff(10ms..1s)]
        network: ReliableNetwork = ReliableNetwork { line },
    }
}
