// `shapes/future_as_a_start.rs`, repaired.
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
        first: Session = Session("ann".to_owned()),
        more: [Session] = |user: String| Session(user),
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
