//! Mirrors of enums whose values cannot be compared.

/// Declares an enum with the variants of another one, without their values, and the method `kind()` of that one. A variant
/// behind `|` has the kind of the one before it.
#[doc(hidden)]
#[macro_export]
macro_rules! kinds {
    (
        $(#[$of_type:meta])*
        pub enum $kind:ident of $of:ident { $($variant:ident $(| $also:ident)?,)+ }

        $(#[$of_method:meta])*
        fn kind;
    ) => {
        $(#[$of_type])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $(
                #[doc = concat!(
                    "[`", stringify!($of), "::", stringify!($variant), "`]",
                    $(" or [`", stringify!($of), "::", stringify!($also), "`]",)? "."
                )]
                $variant,
            )+
        }

        impl $of {
            $(#[$of_method])*
            pub fn kind(&self) -> $kind {
                match self {
                    $($of::$variant { .. } $(| $of::$also { .. })? => $kind::$variant,)+
                }
            }
        }
    };
}

#[doc(hidden)]
pub use kinds;
