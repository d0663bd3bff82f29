// `spawned/self_in_the_start.rs`, repaired.
use supervise::prelude::*;

async fn print(number: u32) {
    println!("{number}");
}

struct Boss {
    number: u32,
}
#[actor]
impl Boss {
    async fn handle(&mut self, _msg: (), cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        let number = self.number;
        let printed = cx.spawn(child! { "number": task = print(number) }).await?;
        printed.stop();
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    spawn(child! { "boss": Boss = Boss { number: 1 } }).await?.tell(()).await?;
    Ok(())
}
