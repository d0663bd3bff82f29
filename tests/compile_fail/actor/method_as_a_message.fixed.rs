// `actor/method_as_a_message.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, msg: (u8, Reply<u8>)) {
        msg.1.send(self.size());
    }
    fn size(&self) -> u8 {
        3
    }
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
