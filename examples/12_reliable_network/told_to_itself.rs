//! The first way in the post. The error carries the packet, and the next instance sends the packet to itself: after the
//! queued ones, so the order is lost, as the post says. This also needs room in the mailbox.

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

    #[post_restart]
    async fn again(&mut self, failure: &Failure, cx: &mut Context<Self>) {
        if let Some(PacketException(packet)) = failure.error() {
            // A full mailbox refuses the packet, which is then lost.
            let _ = cx.actor_ref().tell(packet.clone()).await;
        }
    }
}

supervisor! {
    pub struct Tree(line: Line) {
        #[backoff(10ms..1s)]
        network: ReliableNetwork = ReliableNetwork { line },
    }
}
