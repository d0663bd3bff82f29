//! The hooks of an actor's type.

/// The hooks that an actor runs at its starts, restarts and ends, as its type declares them.
///
/// `#[actor]` and `#[derive(Actor)]` declare those that are there. An `impl Actor` by hand counts as one with all four.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[post_stop]
///     fn close(&mut self) {}
/// }
///
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let hooks = shop.snapshot().find("db").and_then(|db| db.hooks).expect("an actor");
/// assert!(hooks.post_stop && !hooks.pre_start);
/// assert_eq!(hooks.names().collect::<Vec<_>>(), ["post_stop"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredHooks {
    /// Runs on every new instance, before its first message.
    pub pre_start: bool,
    /// Runs on every instance at its end.
    pub post_stop: bool,
    /// Runs on the old instance before a restart.
    pub pre_restart: bool,
    /// Runs on the new instance after a restart.
    pub post_restart: bool,
}

impl DeclaredHooks {
    /// All hooks.
    #[doc(hidden)]
    pub const ALL: DeclaredHooks =
        DeclaredHooks { pre_start: true, post_stop: true, pre_restart: true, post_restart: true };

    /// Returns the names of the hooks.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = [
            (self.pre_start, "pre_start"),
            (self.post_stop, "post_stop"),
            (self.pre_restart, "pre_restart"),
            (self.post_restart, "post_restart"),
        ];
        named.into_iter().filter_map(|(is_there, name)| is_there.then_some(name))
    }
}
