//! Members that change their supervisor, members without a supervisor, and members that come back on request (S26, S38,
//! S39).

use super::harness::tree;
use crate::decide::group::{Moving, Owner};
use crate::values::strategy::{Directive, Strategy};

/// A top-level actor has no parent that could fail: the actor alone ends.
#[test]
fn nothing_fails_above_a_top_level_actor() {
    for directive in [Directive::Escalate, Directive::Stop] {
        let mut harness = tree(Strategy::OneForOne).owner(Owner::Guardian).steady();
        assert_eq!(harness.comes_to(1, directive), Ok(Directive::Stop));
        assert_eq!(harness.fails(1, directive), "decided: end 1");
    }
    let mut harness = tree(Strategy::OneForOne).owner(Owner::Guardian).max(0).steady();
    assert_eq!(harness.comes_to(1, Directive::Restart), Ok(Directive::Stop));
    assert_eq!(harness.fails(1, Directive::Restart), "decided: limit 1, end 1");
}

/// A member leaves and joins only where it is up and the group is at rest.
#[test]
fn a_member_moves_only_where_nothing_goes_on() {
    let actor = tree(Strategy::AllForOne).owner(Owner::Actor);
    let moving = || -> Moving {
        let mut from = actor.steady();
        let moving = from.group.leave(1).expect("it is up");
        assert_eq!(from.group.living(), 2);
        assert!(from.group.is_free(1));
        moving
    };
    let mut to = actor.steady();
    assert_eq!(to.group.join(moving()).expect("nothing is going on"), 3);
    assert_eq!(to.group.living(), 4);
    assert_eq!(to.fails(0, Directive::Restart), "decided: down 3", "it is the last of the order");
    for mut busy in [actor.down(), actor.failed(), actor.stops()] {
        assert!(busy.group.leave(0).is_none());
        assert!(busy.group.join(moving()).is_err());
    }
    let mut suspended = actor.steady();
    suspended.suspend();
    assert!(suspended.group.leave(0).is_none());
    assert!(suspended.group.join(moving()).is_err());
    assert!(tree(Strategy::OneForOne).steady().group.leave(0).is_none(), "it is declared");
}

/// S26: a drain applies once. A member that was drained, started again and then stopped ignores a Down.
#[test]
fn a_drain_is_over_with_the_life_it_ended() {
    let strategy = Strategy::AllForOne;
    let mut harness = tree(strategy).steady();
    assert_eq!(harness.drain(2), "drain 2");
    assert_eq!(harness.fails(0, Directive::Restart), "decided: down 2", "what it drains still is over");
    let mut harness = tree(strategy).steady();
    assert_eq!(harness.drain(2), "drain 2");
    assert_eq!(harness.gone(2), "over 2");
    assert_eq!(harness.start_again(2), "start 2");
    assert_eq!((harness.up(2), harness.stop_member(2)), (String::new(), String::new()));
    assert_eq!(harness.fails(0, Directive::Restart), "decided: ");
    assert_eq!(harness.gone(2), "over 2, down 1");
}
