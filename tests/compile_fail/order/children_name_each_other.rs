// C7. Of two children that name each other, one starts first, and the other has no handle yet.
// Repair: Write `later(..)` in the first one. It gives the handle, which works fully once that child is up.
use supervise::prelude::*;

struct Node(ActorRef<Node>);
#[actor]
impl Node {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        left: Node = Node(right), //~
        right: Node = Node(left),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.right.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
