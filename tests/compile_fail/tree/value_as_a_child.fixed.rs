// `tree/value_as_a_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(currency: String) {
        let name: String = format!("shop in {currency}");
        db: Db = { println!("{name}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("EUR".to_owned()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
