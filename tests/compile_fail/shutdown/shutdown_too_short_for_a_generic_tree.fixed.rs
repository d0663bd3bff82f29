// `shutdown/shutdown_too_short_for_a_generic_tree.rs`, repaired.
use supervise::prelude::*;

struct Db<T>(T);
#[actor]
impl<T: Send + 'static> Db<T> {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Store<T: Clone + Send, const N: usize>(first: T) {
        shards: [Db<T>; N] = |_index| Db(first),
    }

    struct Shop {
        #[lifecycle(Permanent, shutdown = 20s)]
        users: Store<u32, 4> = Store::tree(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.users.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
