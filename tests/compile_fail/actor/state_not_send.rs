// C14. An actor moves between the threads of its runtime, with all that is in it. A value that cannot leave its thread
// lives in a thread of its own, and the actor has the sender of a channel to it.
// Repair: Write `Arc` for `Rc`, and an atomic or a `Mutex` for `Cell` and `RefCell`.
use supervise::prelude::*;

struct Inbox {
    seen: std::rc::Rc<u32>,
}
#[actor]
impl Inbox { //~
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
