// C14. A method with a `Reply` answers through it, now or later, so what it returns is no answer.
// Repair: Remove the `Reply`, or return nothing or a `Result<(), Thrown>`.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self, reply: Reply<u32>) -> u32 { //~
        reply.send(self.0);
        self.0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
