// C1. Each entry is a supervised child, and a value is none. The tree gets its values as parameters, or makes them in a
// `let`.
// Repair: Write a parameter, or a `let`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        currency: String, //~
        name: String = format!("shop"), //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    println!("{} {}", shop.currency, shop.name);
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
