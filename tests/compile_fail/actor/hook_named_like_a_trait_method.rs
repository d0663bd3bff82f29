// C14. A hook has a name of its own. Named like the method of the trait, it would be that method if the inherent one
// were missing, and call itself for ever.
// Repair: rename the function.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[terminated(terminated)] //~
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn terminated(&mut self) {}
}

fn main() {
    let _ = Cart;
}
