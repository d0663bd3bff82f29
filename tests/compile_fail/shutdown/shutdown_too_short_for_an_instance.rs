// C12. Each instance of a `[Tree]` has the time that is written above the set.
// Repair: Write the time that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Tenant {
        db: Db = Db,
        cart: Db = Db,
    }
    struct Shop {
        #[lifecycle(Transient, shutdown = 1s)] //~
        tenants: [u64 => Tenant] = |_id: u64| Tenant::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.tenants.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
