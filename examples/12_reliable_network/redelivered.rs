//! The network fails, and contains no code for reliability. One setting puts the packet back at the front of the queue.

use supervise::prelude::*;

use crate::line::{Line, Packet};

pub struct UnreliableNetwork {
    line: Line,
}

#[actor]
impl UnreliableNetwork {
    fn handle(&mut self, packet: Packet) -> Result<(), std::io::Error> {
        self.line.send(packet).map_err(|_| std::io::ErrorKind::BrokenPipe.into())
    }
}

supervisor! {
    pub struct Tree(line: Line) {
        #[backoff(10ms..1s)]
        #[redeliver(attempts = 50)]
        network: UnreliableNetwork = UnreliableNetwork { line },
    }
}
