// C1. The tree makes its handles, as fields. A declaration has the shape of the children.
// Repair: Write the shape.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: supervise::Handles<ActorRef<Db>, 2> = |_i| Db, //~
        users: supervise::Keyed<String, Db, ()> = |_name: String| Db, //~
        clock: supervise::TaskRef = async {}, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.users.spawn("ann".to_owned()).await?;
    shop.clock.stop();
    shop.shutdown().await;
    Ok(())
}
