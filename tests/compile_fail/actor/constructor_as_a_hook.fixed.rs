// `actor/constructor_as_a_hook.rs`, repaired.
use supervise::prelude::*;

struct Count(u64);
#[actor]
impl Count {
    fn new() -> Count {
        Count(0)
    }
    fn handle(&mut self, more: u64) {
        self.0 += more;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = spawn(child! { "count": Count = Count::new() }).await?;
    count.tell(1).await?;
    count.stop();
    Ok(())
}
