// `actor/state_not_send.rs`, repaired.
use supervise::prelude::*;

struct Inbox {
    seen: std::sync::Arc<u32>,
}
#[actor]
impl Inbox {
    async fn handle(&mut self, reply: Reply<u32>) {
        reply.send(*self.seen);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let inbox = spawn(child! { "inbox": Inbox = Inbox { seen: 3.into() } }).await?;
    println!("{}", inbox.ask(|reply| reply).await?);
    inbox.stop();
    Ok(())
}
