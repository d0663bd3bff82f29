// `shutdown/shutdown_too_short_for_an_instance.rs`, repaired.
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
        #[lifecycle(Transient, shutdown = 10s)]
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
