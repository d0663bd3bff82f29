//! Leases for trees of the crate [`supervise`](https://docs.rs/supervise-tree): of several replicas, one runs the tree, or a part of it.
//!
//! [`Tree::only_with`](supervise_runtime::Tree::only_with) runs a whole tree under a [`Lease`](supervise_runtime::Lease),
//! and `#[only_with(lease)]` a subtree. This crate has leases for both:
//!
//! * `FileLease`: a locked file, for processes of one machine (Unix).
//! * `PostgresLease`: a row in PostgreSQL, with the feature `postgres`.
//! * `KubernetesLease`: a `Lease` of `coordination.k8s.io/v1`, with the feature `kubernetes`.
//!
//! Rule S55 of `docs/semantics/operation.md` says what holds, and `docs/leases.md` begins from zero.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(unix)]
mod file;
#[cfg(feature = "kubernetes")]
mod kubernetes;
#[cfg(feature = "postgres")]
mod postgres;

#[cfg(unix)]
pub use file::FileLease;
#[cfg(feature = "kubernetes")]
#[cfg_attr(docsrs, doc(cfg(feature = "kubernetes")))]
pub use kubernetes::KubernetesLease;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub use postgres::PostgresLease;

/// The time for which a grant holds, unless another one is set.
const TTL: std::time::Duration = std::time::Duration::from_secs(15);

/// Runs the examples of the README.
#[cfg(all(doctest, unix))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the examples of `docs/leases.md`.
#[cfg(all(doctest, unix))]
#[doc = include_str!("../../docs/leases.md")]
struct Leases;
