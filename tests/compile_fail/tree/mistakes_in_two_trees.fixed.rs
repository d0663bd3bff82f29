// `tree/mistakes_in_two_trees.rs`, repaired.
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
        second: Db = Db(2),
        first: Db = Db(size(&second)),
    }
    struct Yard {
        only: Db = Db(3),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let yard = Yard::start().await?;
    yard.only.tell(()).await?;
    yard.shutdown().await;
    Ok(())
}
