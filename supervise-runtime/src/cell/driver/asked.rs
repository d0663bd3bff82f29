//! What was asked of a cell and is not done yet.

use super::*;

/// What was asked of the cell and is not done yet.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) start: bool,
    pub(crate) resume: bool,
    pub(crate) redecide: bool,
    pub(crate) finish: bool,
    pub(crate) children_down: bool,
    pub(crate) abort: bool,
    rare: Option<Box<Rare>>,
}

/// What an actor that runs undisturbed never needs: idle actors are counted in bytes.
#[derive(Debug, Default)]
struct Rare {
    killed: Option<Cause>,
    down: Option<Failure>,
    end: Option<Ended>,
    over: Option<Ended>,
    /// Until when it waits.
    wait: Option<Instant>,
    escalated: Option<Failure>,
    all_ended: Option<Option<Failure>>,
}

macro_rules! rarely_asked {
    ($($name:ident, $take:ident, $put:ident, $($is:ident)?: $ty:ty;)*) => {
        impl Asked {$(
            pub(crate) fn $name(&self) -> Option<&$ty> {
                self.rare.as_ref()?.$name.as_ref()
            }

            $(pub(crate) fn $is(&self) -> bool {
                self.$name().is_some()
            })?

            pub(crate) fn $take(&mut self) -> Option<$ty> {
                self.rare.as_mut()?.$name.take()
            }

            pub(crate) fn $put(&mut self, value: $ty) {
                self.rare.get_or_insert_default().$name = Some(value);
            }
        )*}
    };
}

rarely_asked! {
    killed, take_killed, put_killed, is_killed: Cause;
    down, take_down, put_down, is_down: Failure;
    end, take_end, put_end, is_end: Ended;
    over, take_over, put_over, is_over: Ended;
    wait, take_wait, put_wait, : Instant;
    escalated, take_escalated, put_escalated, is_escalated: Failure;
    all_ended, take_all_ended, put_all_ended, is_all_ended: Option<Failure>;
}

impl Asked {
    /// The first reason to end stays.
    pub(crate) fn end_for(&mut self, why: Ended) {
        if !self.is_end() {
            self.put_end(why);
        }
    }

    /// A new incarnation begins.
    pub(super) fn clear(&mut self) {
        let finish = self.finish;
        let mut rare = self.rare.take();
        if let Some(rare) = &mut rare {
            **rare = Rare::default();
        }
        *self = Asked { finish, rare, ..Asked::default() };
    }
}
