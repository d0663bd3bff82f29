// C14. `#[actor]` writes the trait for an inherent `impl`. One that is written by hand needs no macro.
// Repair: remove one of the two.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Actor for Cart { //~
    type Msg = ();
    type Error = std::convert::Infallible;
    async fn receive(&mut self, _msg: (), _cx: &mut Context<Self>) -> Result<(), Self::Error> {
        Ok(())
    }
}

fn main() {}
