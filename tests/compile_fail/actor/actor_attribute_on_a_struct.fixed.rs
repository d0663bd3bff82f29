// `actor/actor_attribute_on_a_struct.rs`, repaired.
use supervise::prelude::*;

struct Cart {
    _items: Vec<String>,
}
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
}
