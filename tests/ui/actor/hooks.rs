// A hook that is named by the derive is an inherent method under a name of its own. Named like the trait's
// method, it would be that method if the inherent one were missing, and call itself for ever.
// Repair: rename the function; write the one that is missing.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = (), eror = String)]
struct Db;

#[derive(Actor)]
#[actor(msg = ())]
#[terminated(terminated)]
#[pre_start(open)]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

#[derive(Actor)]
#[actor(msg = ())]
#[pre_start(open)]
struct Index;
impl Index {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

fn main() {
    let _ = (Db, Cart, Index);
}
