// C9. The type inside a shape is an actor or a tree, too.
// Repair: Use a type that is an actor or a tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Bounded(10))]
        one: std::net::TcpStream = todo!(), //~
        maybe: Option<String> = None, //~
        row: [u8; 2] = |_i: usize| 1, //~
        any: [String] = |name: String| name, //~
        keyed: [u64 => String] = |id: u64| id.to_string(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.one.tell(()).await?;
    assert!(shop.maybe.is_some());
    shop.row[0].tell(()).await?;
    shop.any.spawn(String::new()).await?;
    shop.keyed.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
