//! Checks while compiling that the `shutdown` of a subtree is enough for its children (rule C12).

use std::str::from_utf8;
use std::time::Duration;

use super::{DeclaredShutdown, TreeSpec};
use crate::values::strategy::ShutdownOrder;

/// Panics if the child is a tree whose children together may take longer than this `shutdown`. In a constant that is an
/// error at the call. The arguments are those of [`Duration::new`]: a call less for rustc to check and to evaluate.
#[doc(hidden)]
#[track_caller]
pub const fn shutdown_suffices(tree: Option<&'static TreeSpec>, secs: u64, nanos: u32) {
    if tree.is_some()
        && let Some(text) = too_short(tree, Duration::new(secs, nanos))
    {
        panic!("{}", text.as_str());
    }
}

const fn too_short(tree: Option<&'static TreeSpec>, shutdown: Duration) -> Option<Text> {
    let Some(tree) = tree else { return None };
    let Some(need) = tree.shutdown_budget() else { return None };
    if !supervise_rules::shutdown::too_short(need, shutdown) {
        return None;
    }
    let text = Text::new().push("the children of `").push(tree.name).push("` may take ").time(need);
    let text = text.push(how(tree)).push(", and this gives them ").time(shutdown);
    Some(text.push("; write at least `").time(need).push("`, or remove `shutdown`"))
}

const fn how(tree: &TreeSpec) -> &'static str {
    match (tree.shutdown, tree.shutdown_order) {
        (DeclaredShutdown::Default, ShutdownOrder::Reverse) => " to stop one after the other",
        _ => " to stop",
    }
}

/// A text that is assembled while compiling.
#[derive(Debug, Clone, Copy)]
struct Text {
    bytes: [u8; Text::ROOM],
    len: usize,
}

impl Text {
    const ROOM: usize = 400;

    const fn new() -> Self {
        Text { bytes: [0; Text::ROOM], len: 0 }
    }

    const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < Text::ROOM {
            self.bytes[self.len] = text[i];
            (self.len, i) = (self.len + 1, i + 1);
        }
        self
    }

    /// Appends the time as a literal of the language, in the largest unit that gives a whole number; rounded up to
    /// milliseconds.
    const fn time(self, time: Duration) -> Self {
        let millis = time.as_nanos().div_ceil(1_000_000);
        if millis.is_multiple_of(60_000) && millis > 0 {
            self.number(millis / 60_000).push("min")
        } else if millis.is_multiple_of(1_000) {
            self.number(millis / 1_000).push("s")
        } else {
            self.number(millis).push("ms")
        }
    }

    const fn number(mut self, number: u128) -> Self {
        if number >= 10 {
            self = self.number(number / 10);
        }
        let digit = [b'0' + (number % 10) as u8];
        match from_utf8(&digit) {
            Ok(digit) => self.push(digit),
            Err(_) => self,
        }
    }

    /// Returns the text.
    const fn as_str(&self) -> &str {
        match from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // A long name was cut inside of a character.
            Err(_) => {
                "the children may take longer to stop than `shutdown` gives them; write a longer one, or remove it"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::values::declaration::{Below, ChildSpec, DeclaredLimit, DeclaredShutdown, Shape};
    use crate::values::kind::ChildKind;
    use crate::values::strategy::{Lifecycle, ShutdownTimeout, Strategy};

    const fn child(shutdown: Duration) -> ChildSpec {
        ChildSpec {
            name: "a",
            doc: "",
            item: "A",
            shape: Shape::One,
            kind: ChildKind::Actor,
            lifecycle: Lifecycle::Permanent,
            limit: DeclaredLimit::Never,
            shutdown: DeclaredShutdown::Is(ShutdownTimeout::Within(shutdown)),
            settings: &[],
            at: Location::caller(),
            below: Below::Known(None),
            remote: None,
        }
    }

    const CHILDREN: [ChildSpec; 2] = [child(Duration::from_secs(5)), child(Duration::from_millis(1500))];
    const TREE: TreeSpec = TreeSpec {
        name: "Reports",
        doc: "",
        strategy: Strategy::OneForOne,
        shutdown: DeclaredShutdown::Default,
        shutdown_order: ShutdownOrder::Reverse,
        settings: &[],
        at: Location::caller(),
        module: module_path!(),
        version: None,
        children: &CHILDREN,
    };

    #[test]
    fn adds_up_the_children() {
        assert!(too_short(Some(&TREE), Duration::from_millis(6500)).is_none());
        assert!(too_short(None, Duration::from_millis(1)).is_none());
        let text = too_short(Some(&TREE), Duration::from_secs(6)).unwrap();
        assert_eq!(
            text.as_str(),
            "the children of `Reports` may take 6500ms to stop one after the other, and this gives them 6s; write at \
             least `6500ms`, or remove `shutdown`"
        );
    }

    #[test]
    fn writes_times_as_the_language_does() {
        for (time, text) in [(60_000, "1min"), (90_000, "90s"), (1_500, "1500ms"), (3_600_000, "60min")] {
            assert_eq!(Text::new().time(Duration::from_millis(time)).as_str(), text);
        }
    }
}
