// `tree/default_of_a_parameter.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop(size: u32) {
        #[mailbox(Bounded(size as usize))]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.db.tell("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
