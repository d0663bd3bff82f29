//! The compile errors of a tree that cannot work, mistake by mistake: the source, the reason, the fix, and the message.
//!
//! The macro reports every mistake in one run, once, at the token that causes it. If a mistake makes part of a tree
//! unreadable, rustc's errors for that tree are suppressed until it is fixed, and so are those for code that uses the
//! tree. A message says what is wrong, and after the semicolon what to write instead.
//!
//! Only literals can be checked at compile time. Computed values are checked when the tree starts, where a mistake is
//! an [`InvalidSettings`](crate::error::InvalidSettings) with the path of the child.
//!
//! These pages are generated from the tests of the messages: each source is compiled and has to fail, and each message
//! is the one that the compiler printed.
//!
//! | | |
//! |---|---|
//! | [C1](c01) | Settings, shapes and the form of a tree |
//! | [C2](c02) | Names |
//! | [C3](c03) | Durations |
//! | [C4](c04) | Settings that have no effect |
//! | [C5](c05) | Backoff |
//! | [C6](c06) | Limits that are never reached |
//! | [C7](c07) | The order of children |
//! | [C8](c08) | Values that a tree keeps |
//! | [C9](c09) | Types of children, starts and arguments |
//! | [C10](c10) | Deciders |
//! | [C11](c11) | Hooks |
//! | [C12](c12) | The time to stop |
//! | [C13](c13) | Settings for some children only |
//! | [C14](c14) | Actors |
//! | [C15](c15) | Remote children |

#[doc = include_str!("../docs/errors/c01.md")]
pub mod c01 {}

#[doc = include_str!("../docs/errors/c02.md")]
pub mod c02 {}

#[doc = include_str!("../docs/errors/c03.md")]
pub mod c03 {}

#[doc = include_str!("../docs/errors/c04.md")]
pub mod c04 {}

#[doc = include_str!("../docs/errors/c05.md")]
pub mod c05 {}

#[doc = include_str!("../docs/errors/c06.md")]
pub mod c06 {}

#[doc = include_str!("../docs/errors/c07.md")]
pub mod c07 {}

#[doc = include_str!("../docs/errors/c08.md")]
pub mod c08 {}

#[doc = include_str!("../docs/errors/c09.md")]
pub mod c09 {}

#[doc = include_str!("../docs/errors/c10.md")]
pub mod c10 {}

#[doc = include_str!("../docs/errors/c11.md")]
pub mod c11 {}

#[doc = include_str!("../docs/errors/c12.md")]
pub mod c12 {}

#[doc = include_str!("../docs/errors/c13.md")]
pub mod c13 {}

#[doc = include_str!("../docs/errors/c14.md")]
pub mod c14 {}

#[doc = include_str!("../docs/errors/c15.md")]
pub mod c15 {}
