//! The order that a child takes back: it must come after all that the child was told before.

use super::super::child::OwnOrder;
use super::super::child::machine::Order;

#[test]
fn an_order_is_taken_back_only_if_nothing_is_before_it() {
    let own = OwnOrder::taking_back();
    assert!(own.put(Order::Start, || true).is_some(), "another one waits in the queue");
    assert!(own.put(Order::Start, || false).is_none());
    assert!(own.put(Order::Resume, || false).is_some(), "the first one has not been taken");
    assert!(matches!(own.take(), Some(Order::Start)) && own.take().is_none());
    assert!(OwnOrder::default().put(Order::Start, || false).is_some(), "this event gives no order back");
}
