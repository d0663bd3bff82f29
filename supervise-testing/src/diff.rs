//! The difference between expected and actual lines.

use std::fmt::Write;

/// Returns the difference between two lists of lines, as `diff -u` shows it: `-` was expected and did not happen, `+`
/// happened and was not expected. `None` if the lists are equal.
///
/// ```
/// # use supervise::testing::diff;
/// let text = diff(&["a started", "a failed"], &["a started".to_owned(), "a ended Done".to_owned()]);
/// assert_eq!(text.unwrap(), "  a started\n- a failed\n+ a ended Done\n");
/// ```
pub fn diff<E: AsRef<str>>(expected: &[E], happened: &[String]) -> Option<String> {
    let (old, new) = (expected, happened);
    if old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.as_ref() == new) {
        return None;
    }
    let same = |i: usize, j: usize| old[i].as_ref() == new[j];
    // `common[i][j]`: the length of the longest common subsequence of the rest from (i, j) on.
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if same(i, j) { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && same(i, j) {
            let _ = writeln!(text, "  {}", new[j]);
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            let _ = writeln!(text, "- {}", old[i].as_ref());
            i += 1;
        } else {
            let _ = writeln!(text, "+ {}", new[j]);
            j += 1;
        }
    }
    Some(text)
}
