//! The line that carries the packets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use tokio::sync::mpsc;

/// A packet, and the channel that is notified when the packet was sent.
#[derive(Debug, Clone)]
pub struct Packet {
    pub id: u32,
    pub commander: mpsc::UnboundedSender<u32>,
}

/// Drops a packet at about every second attempt, at the same attempts in every run.
#[derive(Debug, Clone, Default)]
pub struct Line {
    pub tries: Arc<AtomicU32>,
}

impl Line {
    /// Notifies the commander, or gives the packet back.
    pub fn send(&self, packet: Packet) -> Result<(), Packet> {
        let coin = self.tries.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9);
        if coin >> 31 == 0 {
            return Err(packet);
        }
        let _ = packet.commander.send(packet.id);
        Ok(())
    }
}
