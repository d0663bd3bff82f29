//! The values and the decisions of the crate `supervise`: what a tree is made of, and what happens when a part of it
//! fails, without a task that carries it out.
//!
//! **Do not depend on this crate directly.** Depend on `supervise`, which re-exports the public items. The examples on
//! these pages use that name.
//!
//! Three floors, each of which knows those below it:
//!
//! * [`base`]: locks, drops of user values, times, mirrors of enums;
//! * [`values`]: failures, events, settings, reports: what users read and write;
//! * [`decide`]: the tables of `docs/semantics-table.md` as code.
//!
//! In these pages, a number such as S17 refers to a rule in `docs/semantics.md`, and a number such as C6 to a page of
//! `supervise::errors`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))] // checks arithmetic on times only, see `clippy.toml`

#[doc(hidden)]
pub mod base;
#[doc(hidden)]
pub mod decide;
pub mod values;

#[doc(inline)]
pub use base::{BoxFuture, line::one_line};
