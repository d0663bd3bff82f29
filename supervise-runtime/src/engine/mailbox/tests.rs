//! The mailbox alone, without a cell that runs.

use std::mem::offset_of;
use std::sync::atomic::AtomicUsize as Count;
use std::task::Wake;

use super::*;
use crate::engine::bus::TreeShared;
use supervise_core::values::hooks::DeclaredHooks;
use supervise_core::values::observe::Observe;
use supervise_core::values::place::Name;

/// A message of eight bytes.
struct Letter(u64);

impl MailboxItem for Letter {
    type Message = Letter;

    const HOOKS: DeclaredHooks = DeclaredHooks::ALL;

    fn of(message: Letter) -> Self {
        message
    }

    fn of_leaving(message: Letter) -> Self {
        message
    }

    fn is_message(&self) -> bool {
        true
    }

    fn message(&self) -> Option<&'static str> {
        Some("Letter")
    }
}

/// A sender that waits for room, and counts how often it is woken.
#[derive(Default)]
struct Sender(Count);

impl Wake for Sender {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn mailbox(capacity: usize) -> (Arc<ActorCell<Letter>>, Inbox<Letter>) {
    let core = || {
        CellCore::new(
            Name::from("letters"),
            None,
            Arc::new(TreeShared::new(1, crate::extension::StandingExtensions::NONE)),
        )
    };
    let cell = ActorCell::new(core, capacity, Duration::from_secs(5), WhileDown::Hold);
    cell.set_gate(Admission::Open, Some(capacity));
    (cell, Inbox::new())
}

/// Takes the next message out; `None` if there is none.
fn next(cell: &ActorCell<Letter>, inbox: &mut Inbox<Letter>) -> Option<u64> {
    let mut next = inbox.next(cell);
    if next.is_none() && inbox.poll_turn(cell, &mut Context::from_waker(Waker::noop())) == Poll::Ready(Turn::Begun) {
        next = inbox.next(cell);
    }
    next.map(|Letter(number)| number)
}

fn push(cell: &ActorCell<Letter>, number: u64) -> bool {
    let mut msg = Some(Letter(number));
    cell.offer(|| msg.take()) || cell.try_push(&mut msg, Patience::Waits).is_ok()
}

/// Returns how full the mailbox is, as a snapshot shows it.
fn depth(cell: &ActorCell<Letter>) -> MailboxDepth {
    cell.mail.depth(cell).expect("a mailbox")
}

/// Takes everything out, also beyond the number after which the actor yields.
fn take_all(cell: &ActorCell<Letter>, inbox: &mut Inbox<Letter>) {
    while depth(cell).waiting > 0 {
        next(cell, inbox);
    }
    // The first of these may only be the actor's turn to yield.
    assert_eq!([next(cell, inbox), next(cell, inbox)], [None, None]);
}

fn capacity(cell: &ActorCell<Letter>, inbox: &Inbox<Letter>) -> usize {
    lock(&cell.mail.inner).queue.capacity().max(inbox.batch.capacity())
}

/// A burst costs memory for little longer than it lasts: the buffers are freed after a second in which a quarter of
/// them would have been enough.
#[tokio::test(start_paused = true)]
async fn large_buffers_are_given_back_after_a_calm_time() {
    let (cell, mut inbox) = mailbox(usize::MAX);
    (0..2048).for_each(|number| assert!(push(&cell, number)));
    take_all(&cell, &mut inbox);
    assert!(capacity(&cell, &inbox) * size_of::<Letter>() > SMALL);
    for (messages, given_back) in [(1024, false), (1, true)] {
        (0..messages).for_each(|number| assert!(push(&cell, number)));
        take_all(&cell, &mut inbox);
        tokio::time::advance(CALM).await;
        assert_eq!(next(&cell, &mut inbox), None);
        assert_eq!(capacity(&cell, &inbox) == 0, given_back, "after {messages} messages");
    }
}

/// Buffers that are as large as a small one may be stay, and cost no timer.
#[tokio::test(start_paused = true)]
async fn small_buffers_stay() {
    let (cell, mut inbox) = mailbox(usize::MAX);
    let number = (SMALL / size_of::<Letter>()) as u64;
    (0..number).for_each(|number| assert!(push(&cell, number)));
    take_all(&cell, &mut inbox);
    assert_eq!(capacity(&cell, &inbox) as u64, number);
    assert!(inbox.calm.is_none());
}

/// S36: a message that is redelivered may be one too many. A sender is woken only once there is room again.
#[test]
fn a_mailbox_that_is_too_full_wakes_no_sender() {
    let (cell, mut inbox) = mailbox(2);
    assert!(push(&cell, 1) && push(&cell, 2));
    assert_eq!(next(&cell, &mut inbox), Some(1));
    assert!(push(&cell, 3));
    let sender = Arc::new(Sender::default());
    let (mut msg, mut ticket) = (Some(Letter(4)), None);
    assert!(cell.poll_push(&mut msg, &mut ticket, Patience::Waits, &sender.clone().into()).is_pending());
    inbox.requeue_front(&cell, Letter(1));
    let woken = |taken| {
        assert_eq!(next(&cell, &mut inbox), Some(taken));
        sender.0.load(Ordering::Relaxed)
    };
    assert_eq!([1, 2, 3].map(woken), [0, 1, 1]);
}

/// The actor checks for waiting senders at each message of a short batch, and at every 32nd of a long one.
#[test]
fn a_long_batch_is_reported_now_and_then() {
    let (cell, mut inbox) = mailbox(100);
    (0..100).for_each(|number| assert!(push(&cell, number)));
    let mut unsaid = 0;
    for left in (0..100).rev() {
        assert!(next(&cell, &mut inbox).is_some());
        unsaid = if left < 32 || left % 32 == 0 { 0 } else { unsaid + 1 };
        assert_eq!(inbox.unsaid, unsaid, "{left} left");
    }
}

/// A full mailbox from which one message was taken, and this many senders that looked at the length of the batch just
/// before that, and did not see the room.
fn missed_the_room(senders: usize) -> (Arc<ActorCell<Letter>>, Inbox<Letter>, Vec<Arc<Sender>>) {
    let (cell, mut inbox) = mailbox(100);
    (0..100).for_each(|number| assert!(push(&cell, number)));
    assert_eq!(next(&cell, &mut inbox), Some(0));
    cell.in_batch.store(100, Ordering::SeqCst);
    let senders = (0..senders).map(|_| {
        let sender = Arc::new(Sender::default());
        let (mut msg, mut ticket) = (Some(Letter(100)), None);
        assert!(cell.poll_push(&mut msg, &mut ticket, Patience::Waits, &sender.clone().into()).is_pending());
        sender
    });
    let senders = senders.collect();
    cell.in_batch.store(99, Ordering::SeqCst);
    (cell, inbox, senders)
}

/// Room that senders have missed is reported with the next message.
#[test]
fn senders_that_missed_the_room_are_woken_at_the_next_message() {
    let (cell, mut inbox, senders) = missed_the_room(3);
    assert_eq!(next(&cell, &mut inbox), Some(1));
    assert_eq!(senders.iter().map(|sender| sender.0.load(Ordering::Relaxed)).collect::<Vec<_>>(), [1, 1, 0]);
}

/// Room that a sender has missed is reported when the handler of the message waits.
#[test]
fn a_sender_that_missed_the_room_is_woken_when_the_handler_waits() {
    let (cell, mut inbox, senders) = missed_the_room(1);
    inbox.return_batch(&cell);
    assert_eq!(senders[0].0.load(Ordering::Relaxed), 1);
}

/// A line of the processor's cache has 64 bytes, on some processors 128. The core is larger than two of them.
#[test]
fn the_actor_and_its_senders_write_to_different_lines() {
    let actor = [
        offset_of!(ActorCell<Letter>, in_batch),
        offset_of!(ActorCell<Letter>, in_hand),
        offset_of!(ActorCell<Letter>, has_waiters),
        offset_of!(ActorCell<Letter>, interrupted),
        offset_of!(ActorCell<Letter>, handled),
    ];
    assert!(actor.iter().all(|place| place + 128 <= offset_of!(ActorCell<Letter>, mail)), "{actor:?}");
}

/// A cell is busy from a message until it asks for the next one.
#[test]
fn a_cell_is_busy_while_a_message_is_in_hand() {
    let (cell, mut inbox) = mailbox(2);
    assert!(push(&cell, 1) && !cell.is_busy());
    assert_eq!((next(&cell, &mut inbox), cell.is_busy()), (Some(1), true));
    assert_eq!((next(&cell, &mut inbox), cell.is_busy()), (None, false));
}

/// S13: the time of a message is told from that of the one before by their numbers.
#[test]
fn two_messages_whose_handlers_wait_have_different_numbers() {
    let (cell, mut inbox) = mailbox(3);
    (1..=3).for_each(|number| assert!(push(&cell, number)));
    let numbers = [1, 2, 3].map(|number| {
        assert_eq!(next(&cell, &mut inbox), Some(number));
        inbox.return_batch(&cell); // as when a handler waits
        cell.in_hand()
    });
    assert!(numbers[0] != numbers[1] && numbers[1] != numbers[2] && !numbers.contains(&0), "{numbers:?}");
}

/// The actor yields after 128 messages, however many batches they came in, and whether or not handlers waited.
#[test]
fn a_turn_that_was_cut_short_costs_only_its_messages() {
    let (cell, mut inbox) = mailbox(usize::MAX);
    for number in 0..u64::from(BUDGET) {
        (0..2).for_each(|_| assert!(push(&cell, number)));
        assert!(next(&cell, &mut inbox).is_some(), "after {number} messages");
        inbox.return_batch(&cell);
    }
    assert_eq!(next(&cell, &mut inbox), None, "the actor's turn to yield");
    assert!(next(&cell, &mut inbox).is_some());
}

/// The quick way takes what the mailbox accepts, and leaves everything else with its sender.
#[test]
fn a_message_is_offered_to_an_open_mailbox_with_room() {
    let (cell, mut inbox) = mailbox(2);
    let offer = || {
        let mut msg = Some(Letter(1));
        let taken = cell.offer(|| msg.take());
        assert_eq!(msg.is_none(), taken);
        taken
    };
    assert_eq!([offer(), offer(), offer()], [true, true, false], "two have room");
    assert!(next(&cell, &mut inbox).is_some());
    assert!(!offer(), "the length of the batch is an upper bound");
    inbox.return_batch(&cell);
    assert!(offer() && !offer());
    take_all(&cell, &mut inbox);
    for (gate, open) in [
        (Admission::Early, false),
        (Admission::Open, true),
        (Admission::Down, false),
        (Admission::Draining, false),
        (Admission::Closed, false),
    ] {
        cell.set_gate(gate, None);
        assert_eq!(offer(), open, "{gate:?}");
    }
    cell.set_gate(Admission::Open, Some(usize::MAX));
    assert!((0..10).all(|_| offer()), "a greater bound");
    drop(cell.mail.drain_gate());
    assert!(!offer(), "a drain accepts nothing new");
}

/// S30: a build may change how long an ask waits.
#[test]
fn the_time_of_an_ask_can_change() {
    let (cell, _) = mailbox(2);
    assert_eq!(cell.ask_time(), Some(Duration::from_secs(5)));
    cell.set_ask_time(Duration::from_secs(7));
    assert_eq!(cell.ask_time(), Some(Duration::from_secs(7)));
    cell.set_ask_time(Duration::MAX);
    assert_eq!(cell.ask_time(), None);
}

/// S48: a walk of pushes, handled messages, returned batches, purges and switches. At each step the oldest message of the
/// mailbox has the age that a list of all arrivals gives it, and the counts are those of the messages handled.
#[tokio::test(start_paused = true)]
async fn the_oldest_message_has_its_age_whatever_happens_to_the_others() {
    use rand::rngs::SmallRng;
    use rand::{RngExt as _, SeedableRng as _};

    for seed in 0..200 {
        let mut random = SmallRng::seed_from_u64(seed);
        let (cell, mut inbox) = mailbox(usize::MAX);
        let switch = &cell.core().bus.observed;
        switch.request(Observe::TIMING);
        // The messages that wait, with the time from which on each counts.
        let mut waiting: VecDeque<(u64, Instant)> = VecDeque::new();
        let (mut on, mut in_hand, mut handled, mut number) = (true, false, 0, 0);
        for step in 0..300 {
            match random.random_range(0..16) {
                0..6 => {
                    number += 1;
                    assert!(push(&cell, number));
                    waiting.push_back((number, Instant::now()));
                }
                6..11 => {
                    handled += u64::from(std::mem::take(&mut in_hand) && on);
                    let taken = next(&cell, &mut inbox).or_else(|| next(&cell, &mut inbox));
                    assert_eq!(taken, waiting.pop_front().map(|(number, _)| number), "seed {seed}, step {step}");
                    in_hand = taken.is_some();
                }
                11 => inbox.return_batch(&cell),
                12 => {
                    inbox.return_batch(&cell);
                    cell.purge(DeadLetterReason::Restarted, |Letter(number)| number % 3 == 0);
                    waiting.retain(|(number, _)| number % 3 != 0);
                }
                13 if seed % 2 == 0 => {
                    // The message in hand and the rest of the turn are no longer observed, or not yet.
                    inbox.served(&cell);
                    handled += u64::from(std::mem::take(&mut in_hand) && on);
                    on = !on;
                    if on {
                        switch.request(Observe::TIMING);
                        let now = Instant::now();
                        waiting.iter_mut().for_each(|(_, came)| *came = now);
                    } else {
                        switch.give_back(Observe::TIMING);
                    }
                    let _ = depth(&cell);
                }
                _ => tokio::time::advance(Duration::from_millis(random.random_range(1..50))).await,
            }
            let depth = depth(&cell);
            let oldest = waiting.front().map(|(_, came)| came.elapsed()).filter(|_| on);
            assert_eq!((depth.waiting, depth.oldest), (waiting.len(), oldest), "seed {seed}, step {step}");
        }
        inbox.served(&cell);
        handled += u64::from(in_hand && on);
        assert_eq!(cell.core().tallied().unwrap_or_default().handled, handled, "seed {seed}");
        inbox.close(&cell);
        assert_eq!(lock(&cell.mail.inner).blocked.arrivals().map_or(0, VecDeque::len), 0, "nothing is left behind");
    }
}

/// S48: without a request nothing is noted, and nothing is allocated for it.
#[test]
fn nothing_is_noted_without_a_request() {
    let (cell, mut inbox) = mailbox(usize::MAX);
    (0..100).for_each(|number| assert!(push(&cell, number)));
    take_all(&cell, &mut inbox);
    assert!(cell.core().tallied().is_none() && lock(&cell.mail.inner).blocked.arrivals().is_none());
    assert_eq!(depth(&cell).oldest, None);
}

/// S48: the time of a message that was taken out is forgotten when times are no longer noted. So a message that goes back
/// later does not get it.
#[tokio::test(start_paused = true)]
async fn a_message_does_not_get_the_time_of_one_before() {
    let (cell, mut inbox) = mailbox(8);
    let switch = &cell.core().bus.observed;
    switch.request(Observe::TIMING);
    assert!(push(&cell, 1));
    assert_eq!(next(&cell, &mut inbox), Some(1));
    switch.give_back(Observe::TIMING);
    assert!(push(&cell, 2));
    assert_eq!(next(&cell, &mut inbox), Some(2));
    tokio::time::advance(Duration::from_secs(3600)).await;
    switch.request(Observe::TIMING);
    assert_eq!(depth(&cell).oldest, None);
    inbox.requeue_front(&cell, Letter(2));
    assert_eq!(depth(&cell).oldest, Some(Duration::ZERO));
}
