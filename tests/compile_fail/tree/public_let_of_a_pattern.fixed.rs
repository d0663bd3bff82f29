// `tree/public_let_of_a_pattern.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let (host, number) = ("localhost".to_owned(), 80);
        pub let port: u16 = number;
        db: Db = { let _ = (host, port); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
