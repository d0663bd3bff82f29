// `actor/handle_returns_the_next_state.rs`, repaired.
use supervise::prelude::*;

struct Count(u64);
#[actor]
impl Count {
    fn handle(&mut self, more: u64) {
        self.0 += more;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = spawn(child! { "count": Count = Count(0) }).await?;
    count.tell(1).await?;
    count.stop();
    Ok(())
}
