//! The requests of an operator.

use std::fmt;

/// A request of an operator to a child, for [`TreeRef::operate`](https://docs.rs/supervise-tree/latest/supervise/struct.TreeRef.html#method.operate).
///
/// ```
/// use supervise::event::Operation;
///
/// assert_eq!(Operation::from_word("start_again"), Some(Operation::StartAgain));
/// assert_eq!(Operation::StartAgain.word(), "start_again");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Stop the child, in order.
    Stop,
    /// Restart the child alone.
    Restart,
    /// Start the child again after its end.
    StartAgain,
    /// Kill the child: its supervisor decides as for any failure.
    Kill,
}

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 4] = [Operation::Stop, Operation::Restart, Operation::StartAgain, Operation::Kill];

    /// Returns the word for this operation: `stop`, `restart`, `start_again` or `kill`.
    pub const fn word(self) -> &'static str {
        match self {
            Operation::Stop => "stop",
            Operation::Restart => "restart",
            Operation::StartAgain => "start_again",
            Operation::Kill => "kill",
        }
    }

    /// Returns the operation with this [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.word() == word)
    }
}

/// Writes the [`word`](Operation::word).
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
