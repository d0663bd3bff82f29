// `remote/sibling_without_serde.rs`, repaired.
use supervise::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Query;
struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: Query) {}
}
struct Pricing(String);
#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        #[on("worker")]
        pricing: remote Pricing = Pricing(db.path().to_string()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
