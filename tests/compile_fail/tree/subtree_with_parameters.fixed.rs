// `tree/subtree_with_parameters.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(size: usize) {
        reports: struct Reports {
            daily: [Db; 2] = |_i: usize| { let _ = size; Db },
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(1).await?;
    shop.reports.daily[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
