// C1. A start expression is async by itself: it may await, and nothing else awaits what it returns.
// Repair: Write the expression without `async`.
use supervise::prelude::*;

struct Session(String);
#[actor]
impl Session {
    fn handle(&mut self, _msg: ()) {
        println!("{}", self.0);
    }
}

supervisor! {
    struct Shop {
        first: Session = async { Session("ann".to_owned()) }, //~
        more: [Session] = |user: String| async move { Session(user) }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.first.tell(()).await?;
    shop.more.spawn("bob".to_owned()).await?.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
