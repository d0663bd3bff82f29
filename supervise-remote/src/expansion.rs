//! The names that generated code uses.

pub use crate::crossing::{Export, Several};
pub use crate::declared::*;
pub use crate::errors::{CrossesAsText, CrossesTyped, Crossing, Errors};
pub use crate::far::far_start;
pub use crate::hooks;
pub use crate::hosted::{Hosting, Order, erased};
pub use supervise_macros::supervisor;

/// Finds out how an error type crosses: as itself if it can, else as text.
#[doc(hidden)]
#[macro_export]
macro_rules! __errors {
    ($error:ty) => {{
        #[allow(unused_imports)]
        use $crate::expansion::{CrossesAsText as _, CrossesTyped as _};
        (&$crate::expansion::Crossing::<$error>(::core::marker::PhantomData)).errors()
    }};
}

pub use crate::__errors as errors;

/// The crate that the declaration of a tree names its items by: all that it takes of `supervise` is in `expansion`.
pub mod trees {
    pub mod expansion {
        pub use supervise_lease::expansion::*;
        pub use supervise_macros::{child, decider, strategy, supervisor};
        pub use supervise_observe::expansion::*;
        pub use supervise_runtime::expansion::*;
    }
}
