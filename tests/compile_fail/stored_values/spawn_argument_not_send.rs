// C8. The arguments of a spawn move to the thread that the instance runs on, so they are `Send + 'static`.
// Repair: Use a type that is `Send`, for example an `Arc` instead of an `Rc`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |user: std::rc::Rc<str>| { let _ = user; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn("ann".into()).await?;
    shop.shutdown().await;
    Ok(())
}
