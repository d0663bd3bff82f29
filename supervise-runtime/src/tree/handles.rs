//! The handles of an array, `[T; N]` (S28).

use std::fmt;
use std::ops::Deref;
use std::slice;
use std::sync::Arc;
use std::vec;

/// The handles of a `[T; N]`, in the order of their index.
///
/// This derefs to a slice, and all clones share it: a clone costs as much as that of a single handle, and takes the room
/// of a pointer, however many children there are.
///
/// ```
/// use supervise::prelude::*;
/// # struct Shard(usize);
/// # #[actor]
/// # impl Shard { fn handle(&mut self, index: Reply<usize>) { index.send(self.0) } }
///
/// struct Router {
///     shards: Handles<ActorRef<Shard>, 3>,
/// }
///
/// #[actor]
/// impl Router {
///     async fn handle(&mut self, (key, reply): (usize, Reply<usize>)) -> Result<(), supervise::error::AskError> {
///         let shard = &self.shards[key % self.shards.len()];
///         reply.send(shard.ask(|reply| reply).await?);
///         Ok(())
///     }
/// }
///
/// supervisor! {
///     struct Store {
///         shards: [Shard; 3] = |index| Shard(index),
///         router: Router = Router { shards },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Store::start().await?;
/// assert_eq!(store.router.ask(|reply| (7, reply)).await?, 1);
/// for shard in &store.shards {
///     println!("{} is up", shard.path());
/// }
/// let [first, .., last] = store.shards.as_array();
/// assert_eq!(format!("{} {}", first.path(), last.path()), "shards/0 shards/2");
/// # Ok(())
/// # }
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Handles<H, const N: usize>(Arc<[H; N]>);

impl<H, const N: usize> Handles<H, N> {
    /// Returns the handles as an array, which can be taken apart.
    pub fn as_array(&self) -> &[H; N] {
        &self.0
    }
}

impl<H, const N: usize> Clone for Handles<H, N> {
    fn clone(&self) -> Self {
        Handles(self.0.clone())
    }
}

impl<H, const N: usize> Deref for Handles<H, N> {
    type Target = [H];

    fn deref(&self) -> &[H] {
        &*self.0
    }
}

impl<H, const N: usize> From<[H; N]> for Handles<H, N> {
    fn from(all: [H; N]) -> Self {
        Handles(Arc::new(all))
    }
}

/// Without an array on the stack, which has no room for a large one.
impl<H, const N: usize> TryFrom<Vec<H>> for Handles<H, N> {
    /// The handles, if there are not N of them.
    type Error = Vec<H>;

    fn try_from(all: Vec<H>) -> Result<Self, Vec<H>> {
        if all.len() != N {
            return Err(all);
        }
        let shared: Arc<[H]> = all.into();
        shared.try_into().map(Handles).map_err(|_| Vec::new()) // the length is N
    }
}

impl<'a, H, const N: usize> IntoIterator for &'a Handles<H, N> {
    type Item = &'a H;
    type IntoIter = slice::Iter<'a, H>;

    fn into_iter(self) -> slice::Iter<'a, H> {
        self.0.iter()
    }
}

/// A clone of each handle: the others share them.
impl<H: Clone, const N: usize> IntoIterator for Handles<H, N> {
    type Item = H;
    type IntoIter = vec::IntoIter<H>;

    fn into_iter(self) -> vec::IntoIter<H> {
        let all: Vec<H> = self.0.to_vec();
        all.into_iter()
    }
}

impl<H: fmt::Debug, const N: usize> fmt::Debug for Handles<H, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
