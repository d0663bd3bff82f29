//! S56: where a remote child runs.

use crate::world::*;

#[tokio::test(start_paused = true)]
async fn a_remote_child_answers() {
    let mut cluster = cluster(&["one"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    let price = shop.pricing.ask(|reply| PricingMsg::Quote(14, reply)).await.unwrap();
    assert_eq!((price, cluster.name_of(&shop.pricing.node().unwrap())), (42, "one".to_owned()));
    shop.shutdown().await;
}
