//! The post's first way. The error carries the packet, and the next instance tells it to itself: behind those that
//! wait, so the order is lost, as the post says. It needs room in the mailbox, too.

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
            // A full mailbox refuses it, and then it is lost.
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
