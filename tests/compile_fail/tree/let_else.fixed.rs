// `tree/let_else.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = Some(3).ok_or("no size")?;
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.row[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
