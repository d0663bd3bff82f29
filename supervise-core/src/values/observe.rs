//! The facts about messages that a tree collects on request.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// The facts about messages that a tree collects besides its state, as a set: `Observe::COUNTS | Observe::ASKS`.
///
/// A tree collects nothing by default, and that costs nothing for each message.
/// [`Tree::observe`](https://docs.rs/supervise-tree/latest/supervise/struct.Tree.html#method.observe) sets the facts of a tree from its start on,
/// [`TreeRef::observe`](https://docs.rs/supervise-tree/latest/supervise/struct.TreeRef.html#method.observe) those of a running tree for as long as somebody needs them.
///
/// ```
/// use supervise::inspect::Observe;
///
/// let both = Observe::TIMING | Observe::ASKS;
/// assert!(both.contains(Observe::ASKS) && both.contains(Observe::COUNTS)); // times include counts
/// assert_eq!(Observe::NOTHING | Observe::COUNTS, Observe::COUNTS);
/// assert_eq!(format!("{both:?}"), "TIMING | ASKS");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Observe(u8);

impl Observe {
    /// Nothing: the default.
    pub const NOTHING: Observe = Observe(0);
    /// The number of messages that each actor has handled: [`Messages::handled`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Messages.html#structfield.handled).
    pub const COUNTS: Observe = Observe(0b001);
    /// The times of messages: how long they wait, and how long their handlers run. Includes [`COUNTS`](Self::COUNTS).
    pub const TIMING: Observe = Observe(0b011);
    /// Which actor waits for the reply of which other: a cycle of them raises
    /// [`AskCycle`](crate::values::event::EventKind::AskCycle).
    pub const ASKS: Observe = Observe(0b100);
    /// Everything.
    pub const EVERYTHING: Observe = Observe(0b111);

    /// The number of bits.
    #[doc(hidden)]
    pub const BITS: usize = 3;

    /// Returns whether all facts of `other` are in this set.
    pub const fn contains(self, other: Observe) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether no fact is in this set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[doc(hidden)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Returns the set with these bits.
    #[doc(hidden)]
    pub const fn of_bits(bits: u8) -> Observe {
        Observe(bits & Self::EVERYTHING.0)
    }
}

impl BitOr for Observe {
    type Output = Observe;

    fn bitor(self, other: Observe) -> Observe {
        Observe(self.0 | other.0)
    }
}

impl BitOrAssign for Observe {
    fn bitor_assign(&mut self, other: Observe) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Observe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        if self.is_empty() {
            return f.write_str("NOTHING");
        }
        for (name, facts) in [("TIMING", Self::TIMING), ("COUNTS", Self::COUNTS), ("ASKS", Self::ASKS)] {
            let is_said = facts == Self::COUNTS && self.contains(Self::TIMING);
            if self.contains(facts) && !is_said {
                write!(f, "{between}{name}")?;
                between = " | ";
            }
        }
        Ok(())
    }
}
