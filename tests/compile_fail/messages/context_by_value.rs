// C14. The context belongs to the incarnation, and is lent to each method that asks for it.
// Repair: Take one `&mut Context<Self>`.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn end(&mut self, cx: Context<Self>) { //~
        cx.stop();
    }
    #[message]
    fn grow(&mut self, _cx: &mut Context<Self>, _again: &mut Context<Self>) { //~
        self.0 += 1;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.grow().await?;
    store.end().await?;
    store.stop();
    Ok(())
}
