// `tree/parameter_with_pub_or_mut.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(url: String, port: u16) {
        db: Db = { println!("{url}:{port}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned(), 80).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
