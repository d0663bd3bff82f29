#![cfg_attr(not(doctest), doc = include_str!("links.md"))]
#![doc = include_str!("../docs/guide/README.md")]

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/1-a-first-actor.md")]
pub mod chapter_1 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/2-a-tree.md")]
pub mod chapter_2 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/3-failures.md")]
pub mod chapter_3 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/4-tasks.md")]
pub mod chapter_4 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/5-at-run-time.md")]
pub mod chapter_5 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/6-testing.md")]
pub mod chapter_6 {}

#[cfg_attr(not(doctest), doc = include_str!("links.md"))]
#[doc = include_str!("../docs/guide/7-other-machines.md")]
pub mod chapter_7 {}
