// C14. An actor is one value that changes. No state is handed from one message to the next.
// Repair: Change the fields.
use supervise::prelude::*;

struct Count(u64);
#[actor]
impl Count {
    fn handle(self, more: u64) -> Self { //~
        Count(self.0 + more)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = spawn(child! { "count": Count = Count(0) }).await?;
    count.tell(1).await?;
    count.stop();
    Ok(())
}
