//! An owner that is killed and started again (S60).

use crate::journal;
use crate::process::Process;
use crate::world::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_owner_takes_over_and_nothing_overlaps() {
    let place = place();
    let nodes = ["one", "two"].map(|name| Process::start("node", name, &place));
    let read = |child: &str| journal::read(&place.dir.join(child));
    // Of instances that are up: one that still starts is dropped as it is when its owner stops.
    let epochs = |child: &str| {
        let acts = |line: &&journal::Line| line.what == "act" && line.number == 0;
        let mut epochs: Vec<_> = read(child).iter().filter(acts).map(|line| line.token.epoch).collect();
        epochs.dedup();
        epochs.len()
    };
    let mut owner = Process::start("owner", "owner", &place);
    for round in 1..=3 {
        for child in ["ledger", "cache"] {
            let took = until("it runs for this owner", || epochs(child) >= round).await;
            println!("owner {round}: {child} runs after {took:?}");
        }
        if round < 3 {
            owner.signal(libc::SIGKILL);
            assert!(!owner.ended(LONG).await);
            owner = Process::start("owner", "owner", &place);
        }
    }
    owner.leave();
    assert!(owner.ended(LONG).await);
    let (ledger, cache) = (read("ledger"), read("cache"));
    journal::check_alone(&ledger, 0);
    journal::check_tokens(&cache);
    for lines in [&ledger, &cache] {
        assert_eq!(lines.last().unwrap().what, "end", "the last instance went down in order");
    }
    drop(nodes);
    let _ = std::fs::remove_dir_all(&place.dir);
}
