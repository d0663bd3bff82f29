//! Checks children that go down at the same time (rule C15).

use super::super::model::{Body, Child, setting};
use crate::errors::{Errors, in_line};
use crate::free_names::{FreeNames, binds};

/// Reports children that drain into each other while both go down.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    let shutdown = setting(&body.settings, "shutdown");
    let Some(together) = shutdown.and_then(|shutdown| shutdown.says("Together")) else { return };
    let drain = |child: &Child| setting(&child.settings, "lifecycle")?.says("drain").cloned();
    let draining: Vec<_> = body.children().filter_map(|child| Some((child, drain(child)?))).collect();
    for (i, (child, drain)) in draining.iter().enumerate() {
        let Some(start) = &child.start else { continue };
        let free = FreeNames::of([start]);
        for (into, _) in &draining[..i] {
            if free.value(&into.name).is_some() && !binds(start, &into.name) {
                let message = format!(
                    "`{child}` drains into `{into}`, which drains at the same time and may be gone first; remove one \
                     `drain`, or the `Together`{line}",
                    child = child.name,
                    into = into.name,
                    line = in_line(together.span()),
                );
                errors.at(drain.span(), message);
            }
        }
    }
}
