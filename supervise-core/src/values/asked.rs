//! Arms about failures that no decider is asked about (rule C10).
//!
//! The macros know an arm by its words only, and a user's enum may have the same ones. So they ask for the type of the
//! arm: a method gives [`NotAsked`] for [`Cause`] and [`Other`] for any other type, and each of the traits here is one
//! reason why that matters.

use std::marker::PhantomData;

use crate::values::failure::Cause;
use crate::values::invalid_settings::InvalidSettings;

/// The type that an arm names.
#[doc(hidden)]
#[derive(Debug)]
pub struct ArmOf<T: ?Sized>(PhantomData<fn(&T)>);

/// Returns the type that an arm names, of the value that the arm matches on.
#[doc(hidden)]
pub fn arm_of<T: ?Sized>(_: &T) -> ArmOf<T> {
    ArmOf(PhantomData)
}

/// The arm is about a type of this library.
#[doc(hidden)]
#[derive(Debug)]
pub struct NotAsked;

/// The arm is about any other type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Other;

impl ArmOf<Cause> {
    /// Says that the arm is about a [`Cause`].
    #[doc(hidden)]
    pub fn is_cause(&self) -> NotAsked {
        NotAsked
    }
}

impl ArmOf<InvalidSettings> {
    /// Says that the arm is about [`InvalidSettings`].
    #[doc(hidden)]
    pub fn is_invalid_settings(&self) -> NotAsked {
        NotAsked
    }
}

/// The same methods for an arm of any other type. A type's own methods come first.
#[doc(hidden)]
pub trait OtherArm: Sized {
    fn is_cause(&self) -> Other {
        Other
    }

    fn is_invalid_settings(&self) -> Other {
        Other
    }
}

impl<T: ?Sized> OtherArm for ArmOf<T> {}

macro_rules! reasons {
    ($($name:ident: $message:literal)*) => {$(
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = $message, label = "this arm is never used")]
        pub trait $name: Sized {
            fn asks(self) {}
        }

        #[diagnostic::do_not_recommend]
        impl $name for Other {}
    )*};
}

reasons! {
    EndIsAsked: "no decider is asked about an end by itself; `#[lifecycle(Transient)]` lets it be, and \
                 `#![lifecycle(Permanent)]` with `max_restarts = 0` makes it a failure"
    RequestIsAsked: "no decider is asked about a restart on request, since nothing has failed; remove this arm, and look \
                     for `Cause::Requested` in `pre_restart` or `post_restart`"
    PactOfTaskIsAsked: "a task makes no death pact, so its decider is never asked about one; remove this arm"
    NodeOfTaskIsAsked: "a task runs on no node that could be lost, so its decider is never asked about one; remove this \
                        arm"
    LimitOfTaskIsAsked: "a task has no children that could reach a limit, and no decider is asked about its own; remove \
                         this arm, and write `on_limit = Stop` in its `limit` to let it end"
    BugOfTaskIsAsked: "a task has no children, and no decider is asked about a bug in the code that runs the task itself; \
                       remove this arm"
    TimeOfTaskIsAsked: "this task has no time limit, so its decider is never asked about one; write `ready` and \
                        `start = 5s` in its `lifecycle`, or remove this arm"
    LimitOfRemoteIsAsked: "a limit inside of a remote child crosses as an error, and no decider is asked about its own; \
                           write `Cause::Error(_)`, or remove this arm"
    BugOfRemoteIsAsked: "a bug on the node of a remote child crosses as an error, and no decider is asked about one at the \
                         owner; write `Cause::Error(_)`, or remove this arm"
    InvalidSettingsAreAsked: "no decider is asked about settings that contradict each other, since each start would fail; \
                              remove this arm"
}
