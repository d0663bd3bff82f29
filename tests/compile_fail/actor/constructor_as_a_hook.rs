// C14. A hook runs on an instance. The start expression of the child makes the instance, at every start.
// Repair: Call the constructor in the start expression.
use supervise::prelude::*;

struct Count(u64);
#[actor]
impl Count {
    #[pre_start]
    fn new() -> Count { //~
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
