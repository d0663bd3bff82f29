// `tree/parameter_of_impl_trait.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T: Into<String> + Clone + Send>(url: T) {
        db: Db = { let _: String = url.into(); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
