// C14. The `terminated` hook of the watching actor receives the notice; without the hook the notice would be lost.
// Repair: Write the hook, or call `cx.depend_on(&other)` to end together with the other actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart(ActorRef<Db>);
#[actor]
impl Cart {
    fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
        cx.watch(&self.0); //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Db = Db }).await?;
    let cart = spawn(child! { "cart": Cart = Cart(db) }).await?;
    cart.tell(()).await?;
    Ok(())
}
