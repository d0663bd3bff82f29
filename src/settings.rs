#![cfg_attr(not(doctest), doc = include_str!("links.md"))]
#![doc = include_str!("../docs/settings.md")]

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/backoff.md")]
pub mod backoff {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/decider.md")]
pub mod decider {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/initial.md")]
pub mod initial {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/lifecycle.md")]
pub mod lifecycle {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/limit.md")]
pub mod limit {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/mailbox.md")]
pub mod mailbox {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/max_children.md")]
pub mod max_children {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/max_starting.md")]
pub mod max_starting {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/on.md")]
pub mod on {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/only_with.md")]
pub mod only_with {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/post_restart.md")]
pub mod post_restart {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/pre_restart.md")]
pub mod pre_restart {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/redeliver.md")]
pub mod redeliver {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/runtime.md")]
pub mod runtime {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/shutdown.md")]
pub mod shutdown {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/strategy.md")]
pub mod strategy {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/settings/while_down.md")]
pub mod while_down {}
