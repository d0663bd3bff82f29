//! The health of a node, for its own process.

use std::fmt;
use std::time::Duration;

/// The state of a node of this process, at one moment: from [`Net::nodes`](crate::Net::nodes). Its owner shows the
/// children themselves.
///
/// `Display` gives one line for a log or a page.
///
/// ```
/// use supervise_remote::Net;
///
/// /// A line for each node of this process that takes no work.
/// fn idle(net: &Net) -> Vec<String> {
///     net.nodes().iter().filter(|node| !node.is_ready()).map(|node| node.to_string()).collect()
/// }
/// # let net = Net::open(supervise_remote::memory::Network::new().process("host-7"));
/// # assert!(idle(&net).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeHealth {
    /// The name of the tree.
    pub tree: &'static str,
    /// The role of the node.
    pub role: String,
    /// The most children that it takes; `None`: any number.
    pub capacity: Option<usize>,
    /// The number of children that it runs, with those that go down.
    pub children: usize,
    /// The owner that it follows.
    pub owner: Option<Followed>,
    /// The time without an owner: since the last one was lost, or since the node was told to serve. `None` while it
    /// follows an owner.
    pub alone: Option<Duration>,
    /// While the node follows nobody: why it does not follow the owner that it met last.
    pub refused: Option<String>,
    /// The node leaves in order, since the future that it was given to serve is ready.
    pub leaving: bool,
}

/// The owner that a node follows; see [`NodeHealth`].
///
/// ```
/// use std::time::Duration;
/// use supervise_remote::{Followed, Net};
///
/// /// The time of an answer of each owner, for a gauge.
/// fn round_trips(net: &Net) -> Vec<(String, Duration)> {
///     let owners = net.nodes().into_iter().filter_map(|node| node.owner);
///     owners.map(|Followed { name, round_trip, .. }| (name, round_trip)).collect()
/// }
/// # let net = Net::open(supervise_remote::memory::Network::new().process("host-7"));
/// # assert!(round_trips(&net).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Followed {
    /// The name of its process.
    pub name: String,
    /// The time since when the node follows it.
    pub since: Duration,
    /// The time since the node asked for the last renewal that the owner has granted. `None`: it has granted none yet.
    /// Children act for a lease from then on.
    pub granted: Option<Duration>,
    /// The time that the last renewal took. A lease of three times that, or more, is safe.
    pub round_trip: Duration,
    /// The build of its program: the version of the package that declares the tree, or the text of
    /// [`Net::build`](crate::Net::build).
    pub build: String,
    /// The last renewal is younger than the shortest lease of the role.
    pub holds: bool,
}

impl NodeHealth {
    /// Returns whether the node follows an owner, has a lease of it, and does not leave: it takes children, or runs
    /// them. For a probe of readiness. The process is well without that, so it is none of liveness.
    pub fn is_ready(&self) -> bool {
        !self.leaving && self.owner.as_ref().is_some_and(|owner| owner.holds)
    }
}

impl fmt::Display for NodeHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {:?} of {} runs {}", self.role, self.tree, self.children)?;
        if let Some(most) = self.capacity {
            write!(f, " of at most {most}")?;
        }
        f.write_str(if self.children == 1 && self.capacity.is_none() { " child" } else { " children" })?;
        if self.leaving {
            f.write_str(", and leaves")?;
        }
        match (&self.owner, self.alone) {
            (Some(owner), _) => {
                write!(f, "; it follows {} for {:.1?}", owner.name, owner.since)?;
                match owner.granted {
                    Some(age) => {
                        write!(f, ", whose last answer was asked for {age:.1?} ago and took {:.1?}", owner.round_trip)?
                    }
                    None => f.write_str(", which has granted no lease yet")?,
                }
                if owner.granted.is_some() && !owner.holds {
                    f.write_str("; the lease is over")?;
                }
            }
            (None, alone) => write!(f, "; it has followed no owner for {:.1?}", alone.unwrap_or_default())?,
        }
        match &self.refused {
            Some(why) => write!(f, "; refused: {why}"),
            None => Ok(()),
        }
    }
}
