//! A tree with a `let`, a decider, a set, and a subtree inside.

use std::io;

use supervise::prelude::*;

#[derive(Clone)]
pub struct Wiring;

impl Wiring {
    pub async fn lay(metres: u32) -> io::Result<Wiring> {
        match metres {
            0 => Err(io::Error::other("no wire")),
            _ => Ok(Wiring),
        }
    }
}

pub struct Lamp(pub Wiring);

#[actor]
impl Lamp {
    fn handle(&mut self, on: bool) -> io::Result<()> {
        let Wiring = self.0;
        if on { Ok(()) } else { Err(io::Error::other("the bulb has gone")) }
    }

    /// Replaces the bulb.
    #[post_restart]
    fn replace(&mut self, _failure: &Failure) {}
}

supervisor! {
    pub struct House(metres: u32) {
        #![strategy(RestForOne)]
        #![decider(_: io::Error => Restart, _ => Stop)]

        let wiring = Wiring::lay(metres).await?;

        hall: Lamp = Lamp(wiring),

        #[max_children(4)]
        rooms: [Lamp] = |_number: u32| Lamp(wiring),

        garden: struct Garden {
            gate: Lamp = Lamp(wiring),
        },
    }
}
