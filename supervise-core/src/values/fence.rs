//! Fences: whether a cell of this process may still act (S58, S59).

use std::fmt;

/// The fencing token of a remote child: it grows with every placement, and no two instances share one.
///
/// An instance whose process was frozen in the middle of a write finishes that write when its process goes on, whatever
/// anybody does. Only the resource can refuse it: send the token along with each write, and let the resource refuse a
/// token that is lower than the highest that it has seen. Tokens are compared as a whole: first the epoch, then the
/// placement. With the feature `serde` a token is written as a pair of numbers, in this order.
///
/// ```
/// use supervise::FenceToken;
///
/// let (old, new) = (FenceToken { epoch: 7, placement: 2 }, FenceToken { epoch: 7, placement: 3 });
/// assert!(old < new);
/// assert!(new < FenceToken { epoch: 8, placement: 1 }); // another owner
/// assert_eq!(new.to_string(), "7/3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FenceToken {
    /// The epoch of the owner of the tree: each owner has a higher one than those before it.
    pub epoch: u64,
    /// The number of the placement: each placement has a higher one than those before it in this epoch.
    pub placement: u64,
}

impl fmt::Display for FenceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.epoch, self.placement)
    }
}

#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl serde::Serialize for FenceToken {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.epoch, self.placement).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<'de> serde::Deserialize<'de> for FenceToken {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (epoch, placement) = serde::Deserialize::deserialize(deserializer)?;
        Ok(FenceToken { epoch, placement })
    }
}
