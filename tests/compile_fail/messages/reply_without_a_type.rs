// C14. The caller waits for one answer, whose type stands in the `Reply`, and which uses up the `Reply`.
// Repair: Write one `Reply<T>`.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self, reply: Reply) { //~
        reply.send(self.0);
    }
    #[message]
    fn half(&self, reply: Reply<u32>, _other: Reply<u32>) { //~
        reply.send(self.0 / 2);
    }
    #[message]
    fn twice(&self, reply: &Reply<u32>) { //~
        println!("{reply:?}");
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
