// C2. A child is a field, and a keyword cannot be the name of a field.
// Repair: Choose another name, or write it as a raw identifier. Paths show the name without `r#`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        type: Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.r#type.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
