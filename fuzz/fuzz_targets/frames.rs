//! For any bytes that arrive from another process, no decoder of remote children panics: frames of either side, failures,
//! messages with replies in them, and the values of start expressions.
//!
//! cargo fuzz run --sanitizer none --no-cfg-fuzzing frames -- -max_total_time=60

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};
use supervise::Reply;
use supervise_remote::hooks::decode;

#[derive(Serialize, Deserialize)]
enum Msg {
    Unit,
    Ask(u64, Reply<String>),
    Nested { many: Vec<Option<Reply<Vec<u8>>>>, of: BTreeMap<String, Msg> },
    Boxed(Box<Msg>),
}

fuzz_target!(|bytes: &[u8]| {
    supervise_remote::testing::read_frame(bytes);
    // An error or a value; the replies in it lead nowhere.
    drop(decode::<Msg>(bytes, None));
    drop(decode::<(String, usize, Option<Vec<u16>>)>(bytes, None));
});
