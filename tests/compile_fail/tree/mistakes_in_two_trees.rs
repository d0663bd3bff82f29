// C9. A mistake in one tree does not hide the mistakes in other trees.
// Repair: Follow each message.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

fn size(_db: &ActorRef<Db>) -> u32 {
    1
}

supervisor! {
    struct Shop {
        first: Db = Db(size(&second)), //~
        second: Db = Db(2),
    }
    struct Yard {
        only: Db = Db("three"), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let yard = Yard::start().await?;
    yard.only.tell(()).await?;
    yard.shutdown().await;
    Ok(())
}
