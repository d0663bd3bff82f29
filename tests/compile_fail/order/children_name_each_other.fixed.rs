// `order/children_name_each_other.rs`, repaired.
use supervise::prelude::*;

struct Node(ActorRef<Node>);
#[actor]
impl Node {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        left: Node = Node(later(right)),
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
