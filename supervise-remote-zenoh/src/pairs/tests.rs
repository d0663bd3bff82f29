use std::task::Wake;

use super::*;
use crate::outbox::Next;

const MAX_FRAME: usize = 1 << 20;
const LONG: Duration = Duration::from_secs(3600);

/// The connection of all peers, unless a test says otherwise.
const WAY: Way = Way { connection: 7, holder: 1 };

/// Another connection, of another holder.
const OTHER: Way = Way { connection: 8, holder: 2 };

fn peer(name: &str) -> Peer {
    Peer::new(format!("{name}#0"))
}

/// An event that can be compared: the peer, and what it is about.
type Seen = (Peer, Of);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Up,
    Frame(Vec<u8>),
    Down,
}

fn seen(event: LinkEvent) -> Seen {
    match event {
        LinkEvent::Up(peer, _) => (peer, Of::Up),
        LinkEvent::Down(peer) => (peer, Of::Down),
        LinkEvent::Frame { from, bytes } => (from, Of::Frame(bytes)),
    }
}

fn up(name: &str) -> Seen {
    (peer(name), Of::Up)
}

fn down(name: &str) -> Seen {
    (peer(name), Of::Down)
}

fn frame(name: &str, byte: u8) -> Seen {
    (peer(name), Of::Frame(vec![byte]))
}

/// A batch of one frame.
fn one(number: u64, byte: u8) -> Vec<u8> {
    batch::frames(number, &[vec![byte]]).0
}

struct Test {
    pairs: Pairs,
    now: Instant,
}

impl Test {
    fn new() -> Test {
        Test { pairs: Pairs::new(Side::Node, LONG, MAX_FRAME), now: Instant::now() }
    }

    /// The outbox of a peer that has come up, and whose subscriber is known.
    fn up(&self, name: &str) -> Arc<Outbox> {
        let begun = self.pairs.token(&peer(name), WAY, Rights::all(), self.now).expect("a pair that begins");
        assert_eq!(begun.peer, peer(name));
        begun.outbox.reachable(true);
        begun.outbox
    }

    fn down(&self, name: &str) {
        self.pairs.gone(&peer(name), WAY);
    }

    /// A peer that was down comes again.
    fn again(&self, name: &str) -> Arc<Outbox> {
        let begun = self.pairs.token(&peer(name), OTHER, Rights::all(), self.now).expect("it is told");
        begun.outbox.reachable(true);
        begun.outbox
    }

    fn batch(&self, name: &str, bytes: &[u8]) -> Option<Begun> {
        self.pairs.batch(&peer(name), WAY, bytes, self.now)
    }

    fn events(&self) -> Vec<Seen> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut events = Vec::new();
        while let Poll::Ready(Some(event)) = self.pairs.poll_event(&mut cx) {
            events.push(seen(event));
        }
        events
    }
}

fn told(outbox: &Outbox) -> String {
    match outbox.next(&mut Vec::new()) {
        Next::Tell(why) => why,
        next => panic!("{next:?}"),
    }
}

#[test]
fn frames_of_a_peer_come_behind_its_up() {
    let test = Test::new();
    let begun = test.batch("a", &one(0, 1)).expect("a batch begins a pair");
    assert!(test.batch("a", &one(1, 2)).is_none());
    assert_eq!(test.events(), []);
    assert!(test.pairs.token(&peer("a"), WAY, Rights::all(), test.now).is_none(), "the pair has begun before");
    test.batch("a", &one(2, 3));
    assert_eq!(test.events(), [up("a"), frame("a", 1), frame("a", 2), frame("a", 3)]);
    assert!(begun.outbox.writes());
}

/// Peers that are not up yet, and may never be: all behind a connection together have room for one frame.
#[test]
fn the_bytes_that_wait_for_tokens_are_bounded_for_each_connection() {
    let test = Test::new();
    let half = |number| batch::frames(number, &[vec![0; MAX_FRAME / 2 - 100]]).0;
    let a = test.batch("a", &half(0)).unwrap().outbox;
    a.reachable(true);
    let b = test.batch("b", &half(0)).unwrap().outbox;
    b.reachable(true);
    assert!(a.writes() && b.writes());
    test.batch("b", &half(1));
    assert!(!b.writes(), "what waits has no bound");
    assert_eq!(told(&b), "it sent more than 1048576 bytes before it was up");
    // Room for others again, also for empty frames, which take memory too.
    test.batch("a", &batch::frames(1, &vec![Vec::new(); 10_000]).0);
    assert!(a.writes());
    test.batch("a", &batch::frames(2, &vec![Vec::new(); 30_000]).0);
    assert_eq!(told(&a), "it sent more than 1048576 bytes before it was up");
    // Another connection has its own room.
    let begun = test.pairs.batch(&peer("c"), OTHER, &half(0), test.now).unwrap();
    test.pairs.batch(&peer("c"), OTHER, &half(1), test.now);
    assert!(begun.outbox.writes());
    // The frames of a peer that is up are bounded elsewhere.
    test.pairs.token(&peer("c"), OTHER, Rights::all(), test.now);
    test.pairs.batch(&peer("c"), OTHER, &half(2), test.now);
    assert!(begun.outbox.writes());
}

#[test]
fn a_token_that_is_seen_twice_is_one_up() {
    let test = Test::new();
    test.up("a");
    assert!(test.pairs.token(&peer("a"), WAY, Rights::all(), test.now).is_none());
    assert_eq!(test.events(), [up("a")]);
}

#[test]
fn a_missing_batch_ends_this_pair_alone() {
    let test = Test::new();
    let (a, b) = (test.up("a"), test.up("b"));
    test.batch("a", &one(0, 1));
    test.batch("a", &one(2, 3));
    test.batch("a", &one(3, 4));
    test.batch("b", &one(0, 5));
    assert_eq!(test.events(), [up("a"), up("b"), frame("a", 1), down("a"), frame("b", 5)]);
    assert_eq!(told(&a), "batch 2 came in place of 1");
    assert!(b.writes());
}

#[test]
fn a_batch_that_comes_twice_ends_the_pair() {
    let test = Test::new();
    let a = test.up("a");
    test.batch("a", &one(0, 1));
    test.batch("a", &one(0, 1));
    assert_eq!(test.events(), [up("a"), frame("a", 1), down("a")]);
    assert_eq!(told(&a), "batch 0 came in place of 1");
}

#[test]
fn a_bad_batch_ends_this_pair_alone() {
    let test = Test::new();
    let (a, b) = (test.up("a"), test.up("b"));
    test.batch("a", b"nonsense");
    test.batch("a", &one(0, 1));
    test.batch("b", &one(0, 5));
    assert_eq!(test.events(), [up("a"), up("b"), down("a"), frame("b", 5)]);
    assert_eq!(told(&a), "it sent a batch of version 110, and this is version 1");
    assert!(b.writes());
}

#[test]
fn a_bad_batch_before_the_token_is_no_down() {
    let test = Test::new();
    let begun = test.batch("a", b"nonsense").unwrap();
    begun.outbox.reachable(true);
    assert!(told(&begun.outbox).starts_with("it sent"));
    assert!(told(&test.again("a")).starts_with("it was down"));
    assert_eq!(test.events(), []);
}

#[test]
fn a_peer_that_is_down_stays_down_and_hears_so() {
    let test = Test::new();
    let a = test.up("a");
    test.down("a");
    test.down("a");
    assert_eq!(told(&test.again("a")), "it was down, and joins again as a new one");
    test.batch("a", &one(0, 1));
    test.pairs.send(&peer("a"), vec![1]);
    assert_eq!(test.events(), [up("a"), down("a")]);
    assert_eq!(a.next(&mut Vec::new()), Next::Finish);
}

/// A side learns that it was down at the other side, also if it did not know of the other side.
#[test]
fn a_join_that_was_down_elsewhere_is_over() {
    let test = Test::new();
    test.batch("a", &batch::end(0, "it was down, and joins again as a new one"));
    assert_eq!(test.events(), [up("a"), down("a")]);
    test.batch("b", &batch::end(0, LEFT));
    assert_eq!(test.events(), []);
    test.up("c");
    test.batch("c", &batch::end(0, "it was down, and joins again as a new one"));
    assert_eq!(test.events(), [up("c"), down("c")]);
}

/// Under the id of a peer, another connection leads to nobody.
#[test]
fn a_peer_comes_over_one_connection() {
    let test = Test::new();
    let a = test.up("a");
    test.batch("a", &one(0, 1));
    assert!(test.pairs.token(&peer("a"), OTHER, Rights::all(), test.now).is_none());
    assert!(test.pairs.batch(&peer("a"), OTHER, &one(1, 2), test.now).is_none());
    assert!(test.pairs.batch(&peer("a"), OTHER, b"nonsense", test.now).is_none());
    test.pairs.gone(&peer("a"), OTHER);
    test.pairs.all_gone(OTHER);
    test.batch("a", &one(1, 3));
    assert_eq!(test.events(), [up("a"), frame("a", 1), frame("a", 3)]);
    assert!(a.writes());
    let b = test.up("b");
    test.pairs.all_gone(WAY);
    let mut events = test.events();
    events.sort();
    assert_eq!(events, [down("a"), up("b"), down("b")]);
    assert!(!b.writes());
    // The answer to the last words counts only from where the peer is.
    let c = test.up("c");
    test.pairs.leave();
    test.pairs.batch(&peer("c"), OTHER, &batch::end(0, LEFT), test.now);
    assert!(c.writes());
    test.batch("c", &batch::end(0, LEFT));
    assert!(!c.writes());
}

#[test]
fn a_peer_that_leaves_is_down_behind_its_frames_and_is_answered() {
    let test = Test::new();
    let a = test.up("a");
    test.batch("a", &one(0, 1));
    test.batch("a", &batch::end(1, LEFT));
    test.down("a");
    assert_eq!(test.events(), [up("a"), frame("a", 1), down("a")]);
    // The peer withdraws its token once the answer has come, so the loss of the token does not overtake the answer.
    assert_eq!(a.next(&mut Vec::new()), Next::Tell(LEFT.into()));
}

#[test]
fn a_peer_whose_token_does_not_come_is_forgotten() {
    let mut test = Test::new();
    let a = test.batch("a", &one(0, 1)).unwrap();
    test.now += TOKEN_WITHIN - Duration::from_millis(1);
    test.up("b");
    assert!(a.outbox.writes());
    test.now += Duration::from_millis(1);
    test.up("c");
    assert!(!a.outbox.writes());
    assert_eq!(test.events(), [up("b"), up("c")]);
}

fn large(number: u64) -> Vec<u8> {
    batch::frames(number, &[vec![1; MAX_FRAME]]).0
}

/// A reader that hangs harms nobody while little comes. Then the peers go that have sent the most, and their frames.
#[test]
fn a_link_that_nobody_reads_ends_those_who_send_the_most() {
    let mut test = Test::new();
    let (a, b) = (test.up("a"), test.up("b"));
    test.batch("b", &one(0, 1));
    let mut number = 0;
    while test.pairs.lock().events.bytes <= MOST_UNREAD {
        test.now += READ_WITHIN;
        test.batch("a", &large(number));
        number += 1;
    }
    assert_eq!(number as usize, MOST_UNREAD / MAX_FRAME);
    test.batch("a", &one(number, 2));
    test.now += READ_WITHIN;
    assert!(a.writes());
    test.batch("b", &one(1, 2));
    assert_eq!(told(&a), "nothing was read for 10s");
    assert!(b.writes());
    assert_eq!(test.events(), [up("a"), up("b"), frame("b", 1), down("a"), frame("b", 2)]);
    assert_eq!(test.pairs.lock().events.bytes, 0);
    // A new peer is let in.
    test.up("c");
    assert_eq!(test.events(), [up("c")]);
}

/// A reader that is slower than what comes has no more behind it than a bound.
#[test]
fn a_link_that_is_read_too_slowly_ends_those_who_send_the_most() {
    let test = Test::new();
    let (a, b) = (test.up("a"), test.up("b"));
    let mut cx = Context::from_waker(Waker::noop());
    test.batch("b", &one(0, 1));
    for number in 0.. {
        test.batch("a", &large(number));
        if !a.writes() {
            break;
        }
        assert!(number as usize <= 9 * MOST_UNREAD / MAX_FRAME);
        if number % 100 == 0 {
            assert!(test.pairs.poll_event(&mut cx).is_ready());
        }
    }
    assert!(told(&a).contains("bytes were not read"));
    assert!(b.writes());
}

/// Many peers of one holder, each with less than a peer of another one, take no room from that one.
#[test]
fn a_holder_with_many_peers_does_not_end_the_others() {
    let mut test = Test::new();
    let way = |connection| Way { connection, holder: 9 };
    let good = test.up("good");
    (0..3).for_each(|number| drop(test.batch("good", &large(number))));
    let many: Vec<_> =
        (0..MOST_UNREAD as u64 / MAX_FRAME as u64).map(|n| (peer(&n.to_string()), way(20 + n))).collect();
    let outboxes = many.iter().map(|(peer, way)| test.pairs.token(peer, *way, Rights::all(), test.now).unwrap().outbox);
    let outboxes: Vec<_> = outboxes.collect();
    for (peer, way) in &many {
        test.pairs.batch(peer, *way, &large(0), test.now);
    }
    test.now += READ_WITHIN;
    test.batch("good", &one(3, 1));
    assert!(good.writes(), "{}", told(&good));
    assert!(outboxes.iter().any(|outbox| !outbox.writes()));
    assert!(test.pairs.lock().events.bytes <= MOST_UNREAD);
}

/// Each answer to a peer that comes back takes a thread for a while.
#[test]
fn peers_that_come_back_are_told_so_at_a_rate() {
    let mut test = Test::new();
    test.up("a");
    test.down("a");
    let mut told = 0;
    for _ in 0..1000 {
        told += usize::from(test.pairs.token(&peer("a"), WAY, Rights::all(), test.now).is_some());
    }
    assert_eq!(told, MOST_TOLD);
    test.now += TOLD_WITHIN;
    assert!(test.pairs.token(&peer("a"), WAY, Rights::all(), test.now).is_some());
}

#[test]
fn a_slow_reader_is_a_reader() {
    let mut test = Test::new();
    let a = test.up("a");
    let mut cx = Context::from_waker(Waker::noop());
    for number in 0..10 {
        test.batch("a", &one(number, 1));
        test.now += READ_WITHIN - Duration::from_millis(1);
        assert!(test.pairs.poll_event(&mut cx).is_ready());
    }
    // Nothing to read is no reason either.
    test.events();
    test.now += LONG;
    test.batch("a", &one(10, 1));
    assert!(a.writes());
}

#[test]
fn a_frame_that_is_too_long_ends_the_pair() {
    let test = Test::new();
    let (a, b) = (test.up("a"), test.up("b"));
    test.pairs.send(&peer("b"), vec![0; MAX_FRAME]);
    test.pairs.send(&peer("a"), vec![0; MAX_FRAME + 1]);
    assert_eq!(test.events(), [up("a"), up("b"), down("a")]);
    assert_eq!(told(&a), "a frame of 1048577 bytes was to be sent, above 1048576");
    assert_eq!(b.next(&mut Vec::new()), Next::Write);
}

#[test]
fn one_that_leaves_hears_nothing_more_than_answers() {
    let test = Test::new();
    let (a, b, c) = (test.up("a"), test.up("b"), test.up("c"));
    test.pairs.send(&peer("a"), vec![1]);
    test.pairs.leave();
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(test.pairs.poll_event(&mut cx), Poll::Ready(None)));
    let mut frames = Vec::new();
    assert_eq!(a.next(&mut frames), Next::Write);
    assert_eq!(frames, [[1]]);
    test.batch("a", &one(0, 1));
    assert_eq!(a.next(&mut Vec::new()), Next::Leave);
    test.batch("a", &batch::end(1, LEFT));
    assert_eq!(a.next(&mut Vec::new()), Next::Finish);
    test.down("b");
    assert_eq!(b.next(&mut Vec::new()), Next::Finish);
    assert_eq!(c.next(&mut Vec::new()), Next::Leave);
    assert!(test.pairs.token(&peer("d"), WAY, Rights::all(), test.now).is_none());
    assert!(matches!(test.pairs.poll_event(&mut cx), Poll::Ready(None)));
}

#[test]
fn only_so_many_are_remembered() {
    let test = Test::new();
    for n in 0..=REMEMBERED {
        test.up(&format!("p{n}"));
        test.down(&format!("p{n}"));
    }
    let state = test.pairs.lock();
    assert_eq!(state.over.peers.len(), REMEMBERED);
    assert!(!state.over.peers.contains(&peer("p0")) && state.over.peers.contains(&peer("p1")));
    assert!(state.pairs.is_empty());
}

/// Calls back, as the waker of a task may.
struct CallsBack(Arc<Pairs>, Mutex<u32>);

impl Wake for CallsBack {
    fn wake(self: Arc<Self>) {
        assert!(self.0.state.try_lock().is_ok(), "a waker runs under the lock");
        self.0.send(&peer("a"), vec![1]);
        *self.1.lock().unwrap() += 1;
    }
}

impl Drop for CallsBack {
    fn drop(&mut self) {
        assert!(self.0.state.try_lock().is_ok(), "a waker is dropped under the lock");
    }
}

#[test]
fn events_wake_and_no_waker_is_touched_under_the_lock() {
    let pairs = Arc::new(Pairs::new(Side::Node, LONG, MAX_FRAME));
    let wakes = |pairs: &Arc<Pairs>| Arc::new(CallsBack(pairs.clone(), Mutex::new(0)));
    let (first, second) = (wakes(&pairs), wakes(&pairs));
    {
        let waker = Waker::from(first);
        assert!(pairs.poll_event(&mut Context::from_waker(&waker)).is_pending());
    }
    let waker = Waker::from(second.clone());
    for _ in 0..2 {
        assert!(pairs.poll_event(&mut Context::from_waker(&waker)).is_pending());
    }
    pairs.token(&peer("a"), WAY, Rights::all(), Instant::now());
    assert_eq!(*second.1.lock().unwrap(), 1);
    pairs.token(&peer("b"), WAY, Rights::all(), Instant::now());
    assert_eq!(*second.1.lock().unwrap(), 1, "woken once until it is polled again");
    for _ in 0..2 {
        assert!(pairs.poll_event(&mut Context::from_waker(&waker)).is_ready());
    }
    assert!(pairs.poll_event(&mut Context::from_waker(&waker)).is_pending());
    pairs.leave();
    assert_eq!(*second.1.lock().unwrap(), 2, "the end wakes too");
}

/// Signs of life wait for nobody who polls; what is none stays an event.
#[test]
fn a_sign_of_life_goes_to_the_taker_of_signs_at_once() {
    let test = Test::new();
    let ahead = |way, byte: u8| test.pairs.ahead(&peer("a"), way, vec![byte], test.now);
    let taken: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let into = taken.clone();
    ahead(WAY, 1); // not up
    test.up("a");
    assert_eq!(test.events(), [up("a")]);
    ahead(WAY, 2); // nobody takes signs yet
    test.pairs.take_signs(Arc::new(move |from, bytes| {
        assert_eq!(*from, peer("a"));
        into.lock().unwrap().push(bytes.to_vec());
        bytes != [5]
    }));
    ahead(WAY, 3);
    ahead(OTHER, 4);
    ahead(WAY, 5);
    test.pairs.ahead(&peer("a"), WAY, vec![6; MOST_AHEAD + 1], test.now);
    assert_eq!(*taken.lock().unwrap(), [[3], [5]]);
    assert_eq!(test.events(), [frame("a", 2), frame("a", 5)]);
    // The peer may be a new owner, whose frames come first. The peers of an owner are nodes, whose signs do not wait.
    let owner = Test { pairs: Pairs::new(Side::Owner, LONG, MAX_FRAME), now: test.now };
    owner.up("a");
    owner.pairs.take_signs(Arc::new(|_, _| true));
    owner.pairs.ahead(&peer("a"), WAY, vec![1], owner.now);
    assert_eq!(owner.events(), [up("a")]);
    test.up("new");
    ahead(WAY, 9);
    assert_eq!((taken.lock().unwrap().len(), test.events()), (2, vec![up("new"), frame("a", 9)]));
    ahead(WAY, 10);
    assert_eq!(taken.lock().unwrap().pop(), Some(vec![10]));
    test.down("a");
    ahead(WAY, 7);
    test.up("b");
    test.pairs.leave();
    test.pairs.ahead(&peer("b"), WAY, vec![8], test.now);
    assert_eq!(taken.lock().unwrap().len(), 2, "neither behind `Down` nor after this side has left");
}

/// The answer to a sign is sent by its taker.
#[test]
fn a_taker_of_signs_may_use_the_link() {
    let test = Arc::new(Test::new());
    let outbox = test.up("a");
    assert_eq!(test.events(), [up("a")]);
    let inside = Arc::downgrade(&test);
    test.pairs.take_signs(Arc::new(move |from, _| {
        let test = inside.upgrade().unwrap();
        test.pairs.send(from, vec![9]);
        test.pairs.take_signs(Arc::new(|_, _| false));
        true
    }));
    test.pairs.ahead(&peer("a"), WAY, vec![1], test.now);
    let mut frames = Vec::new();
    assert!(matches!(outbox.next(&mut frames), Next::Write));
    assert_eq!(frames, [[9]]);
    test.pairs.ahead(&peer("a"), WAY, vec![2], test.now);
    assert_eq!(test.events(), [frame("a", 2)]);
}

/// The pieces of a long frame, as batches from this number on.
fn pieces(number: u64, length: usize) -> Vec<Vec<u8>> {
    batch::pieces(number, &[vec![7; length]]).expect("a long frame").0.collect()
}

#[test]
fn the_pieces_of_a_long_frame_are_one_frame() {
    let test = Test::new();
    let all = pieces(0, MAX_FRAME);
    // The first pieces come before the token of the peer.
    test.batch("a", &all[0]);
    assert!(test.pairs.token(&peer("a"), WAY, Rights::all(), test.now).is_none());
    for piece in &all[1..] {
        test.batch("a", piece);
    }
    test.batch("a", &one(all.len() as u64, 1));
    assert_eq!(test.events(), [up("a"), (peer("a"), Of::Frame(vec![7; MAX_FRAME])), frame("a", 1)]);
}

/// A peer may begin long frames, and send the rest of none.
#[test]
fn the_pieces_that_wait_are_bounded_for_each_connection() {
    let test = Test::new();
    let mut last = pieces(0, MAX_FRAME);
    last.pop();
    let early = test.batch("early", &last[0]).unwrap().outbox;
    let other = test.batch("other", &one(0, 1)).unwrap().outbox;
    for piece in &last[1..] {
        test.batch("early", piece);
    }
    other.reachable(true);
    for piece in &last[..2] {
        test.batch("other", piece);
    }
    assert!(early.writes(), "it has less than one frame");
    assert!(!other.writes(), "both share the room of one frame");
    let names: Vec<_> = (0..MOST_UNREAD / MAX_FRAME + 9).map(|n| n.to_string()).collect();
    let outboxes: Vec<_> = names.iter().map(|name| test.up(name)).collect();
    for name in &names {
        last.iter().for_each(|piece| drop(test.batch(name, piece)));
    }
    let failed: Vec<_> = outboxes.iter().filter(|outbox| !outbox.writes()).collect();
    assert!(!failed.is_empty() && failed.len() < 9, "{}", failed.len());
    assert!(told(failed[0]).contains("bytes of pieces wait"));
    assert!(test.pairs.lock().pieces(WAY).connection <= MOST_UNREAD);
}

/// One holder of a certificate may have many connections, and each of them begins frames, or sends before its token.
#[test]
fn what_waits_is_bounded_for_each_holder() {
    let of = |holder: u64| move |connection: u64| Way { connection: 10 * holder + connection, holder };
    let (hostile, good) = (of(1), of(2));
    let mut last = pieces(0, MAX_FRAME);
    last.pop();
    let test = Test::new();
    let begin_frames = |way: Way, most: usize| {
        for n in 0..most {
            let peer = peer(&format!("{}-{n}", way.connection));
            test.pairs.token(&peer, way, Rights::all(), test.now);
            last.iter().for_each(|piece| drop(test.pairs.batch(&peer, way, piece, test.now)));
        }
    };
    (0..9).for_each(|connection| begin_frames(hostile(connection), MOST_UNREAD / MAX_FRAME));
    let waits = test.pairs.lock().pieces(hostile(0));
    assert!(waits.holder <= OF_HOLDER * MOST_UNREAD, "{} bytes", waits.holder);
    assert!(waits.holder > (OF_HOLDER - 1) * MOST_UNREAD, "less than its share");
    // The other holders keep all their room.
    begin_frames(good(0), 8);
    let up = |n| test.pairs.lock().pairs.contains_key(&peer(&format!("20-{n}")));
    assert!((0..8).all(up));

    let test = Test::new();
    for connection in 0..9 {
        let peer = peer(&connection.to_string());
        test.pairs.batch(&peer, hostile(connection), &batch::frames(0, &[vec![0; MAX_FRAME / 2]]).0, test.now);
    }
    let waits = test.pairs.lock().early(hostile(0)).holder;
    assert!(waits <= OF_HOLDER * MAX_FRAME && waits > (OF_HOLDER - 1) * MAX_FRAME, "{waits} bytes before tokens");
}

#[test]
fn pieces_that_are_no_frame_end_the_pair() {
    let long = format!("it sent a frame of {} bytes, which is too long", MAX_FRAME + 1);
    let within = "it sent a frame within the pieces of another one";
    let cut = vec![pieces(0, MAX_FRAME).remove(0), one(1, 1)];
    for (batches, why) in [(pieces(0, MAX_FRAME + 1), &*long), (cut, within)] {
        let test = Test::new();
        let a = test.up("a");
        for batch in batches {
            test.batch("a", &batch);
        }
        assert_eq!(test.events(), [up("a"), down("a")]);
        assert_eq!(told(&a), why);
    }
}
