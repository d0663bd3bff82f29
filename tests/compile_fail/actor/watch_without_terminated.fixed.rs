// `actor/watch_without_terminated.rs`, repaired.
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
        cx.watch(&self.0);
    }
    #[terminated]
    fn lost(&mut self, _who: &Watched) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Db = Db }).await?;
    let cart = spawn(child! { "cart": Cart = Cart(db) }).await?;
    cart.tell(()).await?;
    Ok(())
}
