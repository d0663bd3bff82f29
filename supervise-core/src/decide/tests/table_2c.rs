//! Table 2c: the supervisor, event by event, in the order of its columns.

mod alongside;
mod failures;
mod whole;

use super::table::Case;

const UP: &str = "Up (also first start)";
const STEADY: &str = "steady";
const DOWN: &str = "Down (range)";
const FAILED: &str = "failed, parent to decide";
const STOPPING: &str = "stopping";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = failures::cases();
    cases.extend(whole::cases());
    cases.extend(alongside::cases());
    cases
}
