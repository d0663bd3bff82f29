// C8. The tree outlives the function that starts it, so its parameters cannot borrow from that function.
// Repair: Pass an owned value.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(name: &str) { //~
        db: Db = { println!("{name}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(String::new()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
