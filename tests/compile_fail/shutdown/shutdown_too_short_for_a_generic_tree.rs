// C12. The children of a tree with these types must fit into its time.
// Repair: Write at least the sum that the message names, or remove `shutdown`.
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
        #[lifecycle(Permanent, shutdown = 10s)] //~
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
