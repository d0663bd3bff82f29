// C14. Who watches is told of the end by `terminated`; without it the notice would be lost.
// Repair: write it, or use `cx.depend_on(&other)` to end with the other.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart(ActorRef<Db>);
#[actor]
impl Cart {
    fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
        cx.watch(&self.0); //~
    }
}

fn main() {}
