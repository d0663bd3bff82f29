//! The memory of an idle actor, part by part.

use std::convert::Infallible;
use std::future::ready;

use super::*;
use crate::actor::options::ChildOptions;
use crate::engine::bus::TreeShared;
use crate::engine::cell::control::CellCore;
use crate::engine::cell::driver::Driver;
use crate::engine::cell::life::live;
use supervise_core::decide::member::Member;
use supervise_core::values::place::Name;
use supervise_core::values::strategy::WhileDown;

struct Idle;

impl Actor for Idle {
    type Msg = u64;
    type Error = Infallible;

    fn receive(&mut self, _: u64, _: &mut Context<Self>) -> impl Future<Output = Result<(), Infallible>> + Send {
        ready(Ok(()))
    }
}

/// There may be millions of idle actors. `verify/cost` counts the bytes of one; here each part has a limit of its own.
/// The limits are those of a debug build of the tests, in which some parts are larger than in a release.
#[test]
fn an_idle_actor_takes_little_room() {
    let core = || {
        CellCore::new(Name::Number(1), None, Arc::new(TreeShared::new(1, crate::extension::StandingExtensions::NONE)))
    };
    let cell: Arc<Cell<Idle>> = Cell::new(core, 16, std::time::Duration::ZERO, WhileDown::Hold);
    let start = || ready(Ok::<_, Thrown>(Idle));
    let mut body = ActorBody::new(cell.clone(), Reader::new(ChildOptions::<Idle>::default()), start);
    let (common, body_size) = (body.common(), size_of_val(&body));
    let sizes = [
        ("the name", size_of::<Name>(), 24),
        ("the part of a cell without types", size_of::<CellCore>(), 264),
        ("the cell", size_of::<Cell<Idle>>(), 384),
        ("the inbox", size_of::<Inbox<Envelope<Idle>>>(), 56),
        ("the body", body_size, 144),
        ("the driver", size_of::<Driver>(), 168),
        ("the task", size_of_val(&live(cell, common, body)), 408),
        ("the member of its group", size_of::<Option<Member>>(), 104),
    ];
    let large: Vec<_> = sizes.iter().filter(|(_, size, limit)| size > limit).collect();
    assert!(large.is_empty(), "more bytes than the limit: {large:?}");
}
