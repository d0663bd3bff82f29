//! Boxed errors are downcast to the error in the box (S6). No feature is needed.

use std::error::Error;
use std::fmt;

use supervise::prelude::*;

#[derive(Debug, PartialEq)]
enum Fault {
    Small,
    Large,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Error for Fault {}

struct Open;

#[actor]
impl Open {
    fn handle(&mut self, large: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
        Err(if large { Fault::Large.into() } else { Fault::Small.into() })
    }
}

supervisor! {
    struct Tree {
        #![decider(
            Fault::Small => Restart,
            Fault::Large => Stop,
            _ => Escalate,
        )]
        open: Open = Open,
    }
}

/// S6: arms and `error` see the error inside the box.
#[tokio::test(start_paused = true)]
async fn a_boxed_error_is_looked_into() {
    let tree = Tree::start().await.unwrap();
    tree.open.tell(false).await.unwrap();
    tree.open.tell(true).await.unwrap();
    let Ended::Failed(failure) = tree.open.terminated().await.unwrap() else { panic!("not stopped") };
    assert_eq!(tree.open.incarnation(), 2, "the child with the small error was restarted");
    assert_eq!(failure.error::<Fault>(), Some(&Fault::Large));
    assert_eq!(failure.find::<Fault>(), Some(&Fault::Large));
    assert_eq!(failure.error::<fmt::Error>(), None);
}
