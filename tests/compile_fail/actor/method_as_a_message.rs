// C14. An actor is called through `handle` alone.
// Repair: Make the call a variant of the message.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: u8) {}
    #[message] //~
    fn size(&self) -> u8 { 3 }
}

supervisor! {
    struct Shop {
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    println!("{}", shop.db.path());
    shop.shutdown().await;
    Ok(())
}
