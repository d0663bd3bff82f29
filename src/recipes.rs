#![doc = include_str!("links.md")]
#![doc = include_str!("../docs/recipes/README.md")]

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/blocking.md")]
pub mod blocking {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/composing.md")]
pub mod composing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/configuration.md")]
pub mod configuration {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/failures.md")]
pub mod failures {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/messages.md")]
pub mod messages {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/sets.md")]
pub mod sets {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/stopping.md")]
pub mod stopping {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/recipes/testing.md")]
pub mod testing {}
