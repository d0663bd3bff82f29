// `types/neither_actor_nor_tree_in_shapes.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Bounded(10))]
        one: Db = Db,
        maybe: Option<Db> = None,
        row: [Db; 2] = |_i: usize| Db,
        any: [Db] = |_name: String| Db,
        keyed: [u64 => Db] = |_id: u64| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.one.tell(()).await?;
    assert!(shop.maybe.is_some());
    shop.row[0].tell(()).await?;
    shop.any.spawn(String::new()).await?;
    shop.keyed.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
