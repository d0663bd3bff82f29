//! Leases for trees of the crate [`supervise`](https://docs.rs/supervise-tree): of several replicas, one runs the tree, or a part of it.
//!
//! [`only_with`](RunsUnder::only_with) runs a whole tree under a [`Lease`], and `#[only_with(lease)]` a subtree. This crate has leases for both:
//!
//! * `FileLease`: a locked file, for processes of one machine (Unix), with the feature `file`, which is on by default.
//! * `PostgresLease`: a row in PostgreSQL, with the feature `postgres`.
//! * `KubernetesLease`: a `Lease` of `coordination.k8s.io/v1`, with the feature `kubernetes`.
//!
//! Rule S55 of `docs/semantics/operation.md` says what holds, and `docs/leases.md` begins from zero.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "file", unix))]
mod file;
mod hold;
mod keeper;
#[cfg(feature = "kubernetes")]
mod kubernetes;
mod lease;
mod part;
#[cfg(feature = "postgres")]
mod postgres;
mod token;
mod whole;

#[cfg(all(feature = "file", unix))]
#[cfg_attr(docsrs, doc(cfg(feature = "file")))]
pub use file::FileLease;
#[cfg(feature = "kubernetes")]
#[cfg_attr(docsrs, doc(cfg(feature = "kubernetes")))]
pub use kubernetes::KubernetesLease;
pub use lease::Lease;
pub use part::Leased;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub use postgres::PostgresLease;
#[doc(no_inline)]
pub use supervise_core::values::lease::{Acquired, LeaseCall, LeaseChange};
pub use token::LeaseToken;
pub use whole::{OnlyWith, RunsUnder};

/// The parts that generated code calls.
#[doc(hidden)]
pub mod expansion {
    pub use crate::part::{LeaseOf, Leased, LeasedIf, Subtree, lease_of, of_subtree, only};
}

/// The time for which a grant holds, unless another one is set.
#[cfg(any(all(feature = "file", unix), feature = "kubernetes", feature = "postgres"))]
const TTL: std::time::Duration = std::time::Duration::from_secs(15);

/// Runs the examples of the README.
#[cfg(all(doctest, feature = "file", unix))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the examples of `docs/leases.md`.
#[cfg(all(doctest, feature = "file", unix))]
#[doc = include_str!("../../docs/leases.md")]
struct Leases;
