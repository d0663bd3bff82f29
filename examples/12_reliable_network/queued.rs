//! The second way in the post. The network no longer fails, but replies that it could not send. Its parent keeps a
//! queue, sends the head of the queue until that succeeds, and then the next packet. If the parent fails, the queue is
//! lost.

use std::collections::VecDeque;

use supervise::error::SpawnError;
use supervise::prelude::*;

use crate::line::{Line, Packet};

pub enum Msg {
    Send(Packet),
    PacketSent,
    CommandFailed,
}

impl From<Packet> for Msg {
    fn from(packet: Packet) -> Msg {
        Msg::Send(packet)
    }
}

pub struct UnreliableNetwork {
    line: Line,
    parent: ActorRef<ReliableNetwork>,
}

#[actor]
impl UnreliableNetwork {
    async fn handle(&mut self, packet: Packet) {
        let outcome = match self.line.send(packet) {
            Ok(()) => Msg::PacketSent,
            Err(_) => Msg::CommandFailed,
        };
        let _ = self.parent.tell(outcome).await;
    }
}

pub struct ReliableNetwork {
    line: Line,
    queue: VecDeque<Packet>,
    unreliable: Option<ActorRef<UnreliableNetwork>>,
}

#[actor]
impl ReliableNetwork {
    #[pre_start]
    async fn spawn(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        let (line, parent) = (self.line.clone(), cx.actor_ref());
        let network = cx.spawn(child! { "unreliable": UnreliableNetwork = UnreliableNetwork { line, parent } });
        self.unreliable = Some(network.await?);
        Ok(())
    }

    async fn handle(&mut self, msg: Msg) -> Result<(), SpawnError> {
        match msg {
            Msg::Send(packet) => {
                self.queue.push_back(packet);
                if self.queue.len() > 1 {
                    return Ok(());
                }
            }
            Msg::PacketSent => drop(self.queue.pop_front()),
            Msg::CommandFailed => {}
        }
        if let (Some(unreliable), Some(packet)) = (&self.unreliable, self.queue.front()) {
            let _ = unreliable.tell(packet.clone()).await;
        }
        Ok(())
    }
}

supervisor! {
    pub struct Tree(line: Line) {
        network: ReliableNetwork = ReliableNetwork { line, queue: VecDeque::new(), unreliable: None },
    }
}
