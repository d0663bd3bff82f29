//! Checks of the documentation: links have a target, every public type has an example, examples print the shown output,
//! and the pages that are generated from tests and mutants are up to date.
//!
//! `cargo test --test docs semantics` runs one module. With `UPDATE=1`, `semantics` writes the index in
//! `docs/semantics.md` and the pages in `docs/semantics/proofs`, `compile_errors` the index of mistakes and the pages in
//! `docs/errors`, `book` the modules of the guide and of the recipes with their links, `case_studies` the page
//! `tests/case_studies/README.md`, `costs` the table in `docs/performance.md`, and `metrics` that in `docs/metrics.md`.

mod book;
mod case_studies;
mod compile_errors;
mod costs;
mod coverage;
mod examples;
mod links;
mod metrics;
mod named;
mod plots;
mod prose;
mod readme;
mod semantics;
