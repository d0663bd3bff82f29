//! The declaration of a remote child.

use std::any::{Any, type_name};
use std::fmt;
use std::time::Duration;

use supervise_rules::LEAST_LEASE;

use crate::values::strategy::{Overlap, ShutdownTimeout, Spread};

/// The time that a remote child has to go down beyond its `shutdown`: for the way to its node and back.
const WAY: Duration = Duration::from_secs(1);

/// The `shutdown` of a remote child for which none is declared.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// The number of messages that may be sent and not begun, where none is declared.
const WINDOW: usize = 256;

/// Where and under which conditions a remote child runs: `#[on(..)]` above it.
///
/// See rules S56, S57 and S61.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::spec::TreeSpec;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// /// The roles of which there have to be nodes.
/// fn roles(tree: &TreeSpec) -> Vec<&'static str> {
///     tree.children.iter().filter_map(|child| child.remote).map(|remote| remote.role).collect()
/// }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db, // `#[on("worker")] db: remote Db = Db` would be on a node
///     }
/// }
///
/// assert!(roles(&Shop::SPEC).is_empty());
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct RemoteSpec {
    /// The role of the nodes that it runs on.
    pub role: &'static str,
    /// How long a node may run it without having been heard of. Default: 5 s.
    pub lease: Duration,
    /// Whether two instances may act at the same time.
    pub overlap: Overlap,
    /// How its instances are spread over the nodes.
    pub spread: Spread,
    /// The number of messages that may be sent to its node and not begun. Default: 256.
    pub window: usize,
    /// The time that its node has to take it down; `None` if it takes as long as it takes. Default: 5 s.
    #[doc(hidden)]
    pub shutdown: Option<Duration>,
    /// The time that a start may take on the node.
    #[doc(hidden)]
    pub start_within: Option<Duration>,
    /// Names the child in all processes of one program: the place of the tree, its types, and the path in the tree.
    #[doc(hidden)]
    pub key: fn() -> String,
    /// A hash of all that owner and node have to agree on: the type, the settings, and the start.
    #[doc(hidden)]
    pub build: u64,
    /// Starts an instance on a node.
    #[doc(hidden)]
    pub start: fn(Box<dyn Any + Send>) -> Box<dyn Any + Send>,
}

impl fmt::Debug for RemoteSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSpec")
            .field("role", &self.role)
            .field("lease", &self.lease)
            .field("overlap", &self.overlap)
            .field("spread", &self.spread)
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

/// The settings as the macro writes them, evaluated while compiling.
#[doc(hidden)]
impl RemoteSpec {
    /// Sets the role of the nodes, and with it all that is not written.
    #[track_caller]
    pub const fn on(
        role: &'static str,
        key: fn() -> String,
        build: u64,
        start: fn(Box<dyn Any + Send>) -> Box<dyn Any + Send>,
    ) -> Self {
        assert!(!role.is_empty(), "a role has a name; write `\"worker\"`");
        RemoteSpec {
            role,
            lease: Duration::from_secs(5),
            overlap: Overlap::Forbidden,
            spread: Spread::Any,
            window: WINDOW,
            shutdown: Some(SHUTDOWN),
            start_within: None,
            key,
            build,
            start,
        }
    }

    /// Sets how long a node may run the child without having been heard of.
    #[track_caller]
    pub const fn lease(self, lease: Duration) -> Self {
        assert!(
            lease.as_nanos() >= LEAST_LEASE.as_nanos(),
            "a node could not ask in time for the next lease; write at least `100ms`"
        );
        RemoteSpec { lease, ..self }
    }

    /// Sets whether two instances may act at the same time.
    pub const fn overlap(self, overlap: Overlap) -> Self {
        RemoteSpec { overlap, ..self }
    }

    /// Sets how instances are spread over the nodes.
    pub const fn spread(self, spread: Spread) -> Self {
        RemoteSpec { spread, ..self }
    }

    /// Sets how many messages may be sent and not begun.
    #[track_caller]
    pub const fn window(self, window: usize) -> Self {
        assert!(window > 0, "with a window of 0 no message would ever be sent; write at least 1");
        RemoteSpec { window, ..self }
    }

    /// Sets the time that the node has to take the child down.
    pub const fn shutdown(self, shutdown: ShutdownTimeout) -> Self {
        let shutdown = match shutdown {
            ShutdownTimeout::Kill => Some(Duration::ZERO),
            ShutdownTimeout::Within(time) => Some(time),
            ShutdownTimeout::Infinity => None,
        };
        RemoteSpec { shutdown, ..self }
    }

    /// Sets the time that a start may take.
    pub const fn start(self, within: Duration) -> Self {
        RemoteSpec { start_within: Some(within), ..self }
    }

    /// Returns `on(..)` with the values that hold, for a drawing.
    #[doc(hidden)]
    pub fn note(&self) -> String {
        let mut note = format!("on({:?}, lease = {:?}", self.role, self.lease);
        if self.overlap != Overlap::default() {
            note += &format!(", overlap = {:?}", self.overlap);
        }
        if self.spread != Spread::default() {
            note += &format!(", spread = {:?}", self.spread);
        }
        if self.window != WINDOW {
            note += &format!(", window = {}", self.window);
        }
        note + ")"
    }

    /// Returns the time in which the child is down as its owner sees it.
    #[doc(hidden)]
    pub const fn down_within(&self) -> Option<Duration> {
        match self.shutdown {
            Some(time) => Some(time.saturating_add(WAY)),
            None => None,
        }
    }

    /// Returns the same as a setting.
    pub fn shutdown_at_owner(&self) -> ShutdownTimeout {
        self.down_within().map_or(ShutdownTimeout::Infinity, ShutdownTimeout::Within)
    }
}

/// Returns the key of the child at `path` in the tree `T`, which is declared in `module`.
#[doc(hidden)]
pub fn remote_key<T>(module: &str, path: &str) -> String {
    format!("{module} {} {path}", type_name::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: RemoteSpec = RemoteSpec::on("worker", || remote_key::<u8>("shop", "pricing"), 7, |order| order);

    #[test]
    fn the_owner_waits_for_the_way() {
        let at_owner = |shutdown| SPEC.shutdown(shutdown).shutdown_at_owner();
        assert_eq!(SPEC.shutdown_at_owner(), ShutdownTimeout::Within(Duration::from_secs(6)));
        assert_eq!(at_owner(ShutdownTimeout::Kill), ShutdownTimeout::Within(Duration::from_secs(1)));
        assert_eq!(at_owner(ShutdownTimeout::Infinity), ShutdownTimeout::Infinity);
        assert_eq!(at_owner(ShutdownTimeout::Within(Duration::MAX)), ShutdownTimeout::Within(Duration::MAX));
    }

    #[test]
    fn the_key_has_all_parts() {
        assert_eq!((SPEC.key)(), "shop u8 pricing");
    }

    #[test]
    #[should_panic(expected = "write at least `100ms`")]
    fn a_lease_has_a_least_length() {
        let _ = SPEC.lease(Duration::from_millis(99));
    }

    #[test]
    #[should_panic(expected = "write at least 1")]
    fn a_window_has_room() {
        let _ = SPEC.window(0);
    }

    #[test]
    #[should_panic(expected = "a role has a name")]
    fn a_role_has_a_name() {
        let _ = RemoteSpec::on("", String::new, 0, |order| order);
    }
}
