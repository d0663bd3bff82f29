// C15. A node starts what a tree declares, which every process knows. A `child!` is declared in the middle of running
// code. Repair: declare a set in a tree, and spawn into it.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pricing = spawn(child! { "pricing": remote Pricing = Pricing(1) }).await?; //~
    pricing.stop();
    Ok(())
}
