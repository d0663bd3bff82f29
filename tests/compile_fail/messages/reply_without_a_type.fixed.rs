// `messages/reply_without_a_type.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self, reply: Reply<u32>) {
        reply.send(self.0);
    }
    #[message]
    fn half(&self, reply: Reply<u32>) {
        reply.send(self.0 / 2);
    }
    #[message]
    fn twice(&self, reply: Reply<u32>) {
        reply.send(self.0 * 2);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{} {}", store.size().await?, store.half().await?);
    println!("{}", store.twice().await?);
    store.stop();
    Ok(())
}
