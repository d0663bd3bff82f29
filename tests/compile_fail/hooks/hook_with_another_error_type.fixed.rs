// `hooks/hook_with_another_error_type.rs`, repaired.
use std::io;
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) -> io::Result<()> {
        Ok(())
    }

    #[pre_start]
    fn open(&mut self) -> io::Result<()> {
        Ok(())
    }
}
