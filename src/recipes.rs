#![cfg_attr(not(doctest), doc = include_str!("links.md"))]
#![doc = include_str!("../docs/recipes/README.md")]

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/blocking.md")]
pub mod blocking {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/composing.md")]
pub mod composing {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/configuration.md")]
pub mod configuration {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/failures.md")]
pub mod failures {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/messages.md")]
pub mod messages {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/sets.md")]
pub mod sets {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/stopping.md")]
pub mod stopping {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/recipes/testing.md")]
pub mod testing {}
