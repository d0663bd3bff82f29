//! A remote actor whose type argument contains a lifetime: nothing of its handle needs a proof about it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::RemoteRef;
use supervise_remote::testing::Cluster;

type Text = Cow<'static, str>;

#[derive(Serialize, Deserialize)]
enum Msg<T> {
    Put(T),
    Get(Reply<String>),
}

struct Holder<T>(T);

#[actor]
impl<T: ToString + Serialize + for<'de> Deserialize<'de> + Send + Sync + 'static> Holder<T> {
    async fn handle(&mut self, msg: Msg<T>, cx: &mut Context<Self>) {
        tokio::task::yield_now().await;
        match msg {
            Msg::Put(value) => self.0 = value,
            Msg::Get(reply) => reply.send(self.0.to_string()),
        }
        assert!(cx.fence().is_some());
    }
}

supervisor! {
    struct Shop {
        #[on("worker")]
        holder: remote Holder<Text> = Holder(Cow::Borrowed("first")),
    }
}

async fn user(holder: RemoteRef<Holder<Text>>) -> String {
    let own = holder.clone();
    let (tell, ask) = (own.tell(Msg::Put(Cow::Borrowed("second"))), own.ask(Msg::Get));
    tokio::task::yield_now().await;
    tell.await.unwrap();
    let found = ask.await.unwrap();
    own.restart().await.unwrap();
    own.shutdown().await.unwrap();
    assert!(own.terminated().await.unwrap().is_orderly());
    found
}

#[tokio::test(start_paused = true)]
async fn the_handle_of_a_remote_actor_with_a_lifetime_is_held_over_an_await() {
    let mut cluster = Cluster::new();
    cluster.node("one", Shop::node("worker"));
    let shop = Shop::tree().on(cluster.owner()).start().await.unwrap();
    assert_eq!(tokio::spawn(user(shop.holder.clone())).await.unwrap(), "second");
    shop.shutdown().await;
}
