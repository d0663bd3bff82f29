//! The handles of an array, `[T; N]`: S28.

use std::hash::{BuildHasher, RandomState};
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use supervise::prelude::*;

use crate::common::{Journal, Probe};

struct Cell(usize);

#[actor]
impl Cell {
    fn handle(&mut self, index: Reply<usize>) {
        index.send(self.0);
    }
}

/// The main thread of a program has 8 MiB, a worker of tokio and a thread of a test 2 MiB.
fn on_a_small_stack(test: impl Future<Output = ()> + Send + 'static) {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

/// S28: the handles of an array are on the heap, at the start too, so its length has no limit but the memory.
#[test]
fn an_array_of_any_length_starts_on_a_small_stack() {
    supervisor! {
        struct Many {
            cells: [Cell; 10_000] = |index| Cell(index),
        }
        struct Most {
            cells: [Cell; 100_000] = |index| Cell(index),
            last: Asks = Asks { cells },
        }
    }
    struct Asks {
        cells: Handles<ActorRef<Cell>, 100_000>,
    }
    #[actor]
    impl Asks {
        async fn handle(&mut self, (index, reply): (usize, Reply<usize>)) -> Result<(), supervise::error::AskError> {
            reply.send(self.cells[index].ask(|reply| reply).await?);
            Ok(())
        }
    }
    on_a_small_stack(async {
        let tree = Many::start().await.unwrap();
        assert_eq!(tree.cells[9_999].ask(|reply| reply).await.unwrap(), 9_999);
        assert!(tree.shutdown().await.is_orderly());
    });
    on_a_small_stack(async {
        let tree = Most::start().await.unwrap();
        let (cells, other) = (tree.cells.clone(), Most::clone(&tree));
        assert_eq!((cells.len(), &*cells[0].path()), (100_000, "cells/0"));
        assert_eq!(other.last.ask(|reply| (99_999, reply)).await.unwrap(), 99_999);
        assert!(tree.shutdown().await.is_orderly());
    });
}

/// S28: the handles of an array take the room of a pointer, whatever its length, so a handle of the tree stays small.
#[test]
fn the_handle_of_a_tree_does_not_grow_with_an_array() {
    supervisor! {
        struct Short {
            cells: [Cell; 1] = |index| Cell(index),
        }
        struct Long {
            cells: [Cell; 1_000] = |index| Cell(index),
        }
    }
    assert_eq!(size_of::<Handles<ActorRef<Cell>, 1_000>>(), size_of::<usize>());
    assert_eq!(size_of::<Long>(), size_of::<Short>());
    assert_eq!(size_of::<Long>(), size_of::<TreeRef>() + size_of::<usize>());
}

/// S28: all clones of the handles of an array share them: none of them is cloned.
#[test]
fn a_clone_clones_no_handle_of_an_array() {
    struct Counted(Arc<AtomicUsize>);
    impl Clone for Counted {
        fn clone(&self) -> Self {
            self.0.fetch_add(1, Ordering::Relaxed);
            Counted(self.0.clone())
        }
    }
    let clones = Arc::new(AtomicUsize::new(0));
    let handles: Handles<Counted, 3> = [0; 3].map(|_| Counted(clones.clone())).into();
    let other = handles.clone();
    assert!(std::ptr::eq(&*handles, &*other));
    assert_eq!(clones.load(Ordering::Relaxed), 0);
    drop(handles);
    assert_eq!(other.into_iter().count(), 3);
    assert_eq!(clones.load(Ordering::Relaxed), 3, "only an iterator over the handles themselves has to");
}

fn names(probes: &[ActorRef<Probe>]) -> Vec<String> {
    probes.iter().map(|probe| probe.path().to_owned()).collect()
}

/// S28: the handles of an array are used as an array: by index, as a slice, in a loop, and taken apart.
#[tokio::test(start_paused = true)]
async fn the_handles_of_an_array_are_an_array() {
    supervisor! {
        struct Row(journal: Journal) {
            probes: [Probe; 3] = |index: usize| Probe::start(format!("{index}"), journal).await?,
            tasks: [task; 3] = |_index| |cx| async move { cx.stopped().await },
        }
    }
    let row = Row::start(Journal::default()).await.unwrap();
    let probes = row.probes.clone();
    assert_eq!((&*probes[1].path(), probes.len(), probes[1..].len()), ("probes/1", 3, 2));
    let mut paths = Vec::new();
    for probe in &probes {
        paths.push(probe.path().to_owned());
    }
    let (by_iter, by_value): (Vec<_>, Vec<_>) =
        (probes.iter().cloned().collect(), probes.clone().into_iter().collect());
    assert_eq!(names(&probes), paths, "a function that takes a slice takes them");
    assert_eq!(paths, ["probes/0", "probes/1", "probes/2"]);
    assert!(by_iter == by_value && by_iter == probes[..] && probes == row.probes);
    let [first, _, last] = row.tasks.as_array();
    assert_eq!((&*first.path(), &*last.path()), ("tasks/0", "tasks/2"));
    assert_eq!(format!("{:?}", row.tasks), "[TaskRef(tasks/0), TaskRef(tasks/1), TaskRef(tasks/2)]");
    let hasher = RandomState::new();
    assert_eq!(hasher.hash_one(&row.probes), hasher.hash_one(&probes), "the same handles");

    // A function that takes the handles is tested with those of any actors.
    let made = Handles::try_from(by_iter.clone()).unwrap();
    assert_eq!(made, row.probes);
    assert_eq!(Handles::<_, 2>::try_from(by_iter.clone()).unwrap_err(), by_iter, "there are three of them");
}
