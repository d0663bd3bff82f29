// C11. The error of a hook becomes that of the actor, which is the one that its `handle` returns. Where `handle` returns
// nothing the actor has no errors, and no hook can throw one.
// Repair: let `handle` return a `Result<(), E>`, too.
use std::io;
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}

    #[pre_start]
    fn open(&mut self) -> io::Result<()> { //~
        Ok(())
    }
}

fn main() {}
