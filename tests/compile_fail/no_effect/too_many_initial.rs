// C4. A set cannot begin with more children than it may have. Here both are written out; what an expression gives is
// counted when the tree starts.
// Repair: allow more children, or begin with fewer.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(2)]
        #[initial(["a", "b", "c"])] //~
        shards: [Shard] = |_name: &'static str| Shard,
    }
}

fn main() {}
