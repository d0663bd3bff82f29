// C14. A `Result` of a library for errors has one error for all, which may be meant for the caller or for the
// supervisor.
// Repair: Write `Result<.., Thrown>`, or an error type of your own.
use supervise::prelude::*;

mod anyhow {
    pub type Result<T> = std::result::Result<T, supervise::BoxError>;
}
struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn next(&mut self) -> anyhow::Result<u32> { //~
        self.0 = self.0.checked_add(1).ok_or("the last one")?;
        Ok(self.0)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{:?}", store.next().await?);
    store.stop();
    Ok(())
}
