//! Trees over real processes: killed, frozen, hung, cut off, and left in order. The test binary starts itself as nodes
//! and as owners. Each instance of a remote child writes its token into a journal, which is checked for overlap, and the
//! sums of the messages balance.

#[cfg(target_os = "linux")]
mod descriptors;
mod failures;
mod journal;
mod namespaces;
mod orderly;
mod owners;
mod process;
mod world;

/// A process that the tests start: the whole of it is in [`process::main`].
#[test]
#[ignore = "a process that the other tests start"]
fn process() {
    process::main();
}
