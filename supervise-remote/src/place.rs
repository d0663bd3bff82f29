//! The part of a remote child that stays over all its incarnations: where it is, and the messages that are not known to
//! be begun.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::task::{Context as TaskCx, Poll, Waker};
use std::time::Duration;

use crate::hooks::{self, OnReply, ReplyBytes};
use serde_bytes::ByteBuf;
use supervise_runtime::event::{DeadLetterReason, EventKind};
use supervise_runtime::spec::RemoteSpec;
use supervise_runtime::{Actor, ActorRef, Cause, Context, Failure, Phase};
use tokio::sync::Notify;

use crate::Remote;
use crate::clock::Moment;
use crate::errors::{Errors, from_wire, guarded, to_wire, too_large};
use crate::frame::{EndKind, PlaceOrder, ToNode, ToOwner, WireFailure, short};
use crate::inlet::{AtOwner, Inlet};
use crate::lock::lock;
use crate::proxy::Proxy;
use crate::run::{Placed, PlacementRequest, Run, Waiting, Waits};
use crate::wire::Peer;

/// How long a child waits before it asks a node again that has declined it.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// So many reasons for which nodes do not take a child are reported in one wait.
const MOST_REASONS: usize = 100;

/// So many bytes of the messages of one child may be sent and not begun, besides its last message.
const WINDOW_BYTES: usize = 1 << 20;

pub(crate) struct Place<A: Actor<Msg: Remote>> {
    /// How often a message may be handed in again.
    redeliver: Option<u32>,
    /// A restart drops the messages that are not begun.
    fresh: bool,
    /// Set by the first start.
    plan: OnceLock<Plan>,
    state: Mutex<State<A>>,
    changed: Notify,
}

#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) spec: &'static RemoteSpec,
    pub(crate) key: Arc<str>,
    pub(crate) errors: Errors,
}

struct State<A: Actor<Msg: Remote>> {
    run: Option<Arc<Run>>,
    /// For the code that writes messages; made once for each start.
    context: Option<Arc<AtOwner>>,
    me: Option<ActorRef<Proxy<A>>>,
    placed: Option<(u64, Peer)>,
    /// Where it was last.
    before: Option<Peer>,
    /// The answer to the order.
    answer: Option<Answer>,
    /// In order: begun and not done (kept only with `redeliver`), sent, not sent yet.
    window: VecDeque<Entry<A>>,
    /// How many of them are begun.
    begun: usize,
    /// The bytes of those that are sent and not known to be begun.
    under_way: usize,
    /// The number of the last message of this placement.
    seq: u64,
    asks: u64,
    /// Callers that wait for a reply of this placement.
    pending: HashMap<u64, OnReply>,
    /// Replies that have come, to be read by the child's own task.
    backs: VecDeque<(OnReply, ReplyBytes)>,
    /// Messages that are over, to be dropped by the child's own task: their drops are code of the user.
    to_drop: Vec<A::Msg>,
    /// In order, each until the supervisor has decided about the one before.
    occurrences: VecDeque<Occurrence>,
    /// The owner has sent the order to go down.
    goes_down: bool,
    /// The child goes down since its node leaves.
    moves: bool,
    /// Meanwhile the instance has ended by itself, perhaps with words: nothing is to be started elsewhere.
    is_done: Option<Option<String>>,
    /// The instance did not go down in its time, and its node has dropped it.
    aborted: bool,
    /// The failures of the instance on its way down, which the hooks of the child return.
    failures: VecDeque<WireFailure>,
    /// The last failure is one of a message that was in hand.
    in_hand: bool,
    /// The mailbox is closed: the child ends with this instance.
    closed: bool,
    /// The number of the failure of the instance that the supervisor decides.
    in_decision: Option<u64>,
    turn: Option<Waker>,
}

struct Entry<A: Actor<Msg: Remote>> {
    msg: A::Msg,
    sent: Option<u64>,
    /// The size of the message, once it is written.
    bytes: usize,
    /// How often it was in hand when the instance failed, or on a node that was lost.
    tries: u32,
}

enum Answer {
    Up,
    NotUp(WireFailure),
    Declined(String),
}

enum Occurrence {
    /// A failure, with its number if the instance waits for the decision, and whether a message was in hand.
    Failed(Option<u64>, WireFailure, bool),
    NotRead(u64, String),
    Lost(Peer),
    Itself(Option<String>),
    /// The node has dropped the instance without an order of the owner.
    Dropped,
}

/// Messages that are dead, to be reported and dropped without a lock.
#[must_use]
struct DeadLetters<A: Actor<Msg: Remote>>(Vec<(A::Msg, DeadLetterReason)>, Vec<OnReply>);

impl<A: Actor<Msg: Remote>> Place<A> {
    pub(crate) fn new(redeliver: Option<u32>, fresh: bool) -> Self {
        Place {
            redeliver,
            fresh,
            plan: OnceLock::new(),
            changed: Notify::new(),
            state: Mutex::new(State {
                run: None,
                context: None,
                me: None,
                placed: None,
                before: None,
                answer: None,
                window: VecDeque::new(),
                begun: 0,
                under_way: 0,
                seq: 0,
                asks: 0,
                pending: HashMap::new(),
                backs: VecDeque::new(),
                to_drop: Vec::new(),
                occurrences: VecDeque::new(),
                goes_down: false,
                moves: false,
                is_done: None,
                aborted: false,
                failures: VecDeque::new(),
                in_hand: false,
                closed: false,
                in_decision: None,
                turn: None,
            }),
        }
    }

    pub(crate) fn set_plan(&self, plan: Plan) {
        let _ = self.plan.set(plan); // each start has the same one
    }

    fn plan(&self) -> &Plan {
        self.plan.get().expect("a start gives it before anything is placed")
    }

    fn lock(&self) -> MutexGuard<'_, State<A>> {
        lock(&self.state)
    }

    pub(crate) fn node(&self) -> Option<Peer> {
        Some(self.lock().placed.as_ref()?.1.clone())
    }

    // ----- placing

    /// Finds a node, and starts the instance there.
    pub(crate) async fn start(
        self: &Arc<Self>,
        captured: &[u8],
        exports: &AtOwner,
        inlet: impl FnOnce() -> Arc<dyn Inlet>,
        cx: &mut Context<Proxy<A>>,
    ) -> Result<(), Failure> {
        let path: Arc<str> = cx.actor_ref().path().into();
        let failed = |text: &str| {
            let cause = Cause::Error(supervise_runtime::Thrown::from(text.to_owned()));
            hooks::failure(Phase::Start, cause, path.to_string(), cx.incarnation())
        };
        let network = hooks::network(cx);
        let Some(net) = network.as_ref().and_then(crate::net::of) else {
            return Err(failed(
                "this tree has remote children, and is on no network; write `.on(net)` before it is started",
            ));
        };
        if captured.len() > net.0.max_frame {
            let why = too_large(captured.len(), net.0.max_frame);
            return Err(failed(&format!("the values of the start expression are not sent: {why}")));
        }
        let run = net.run_of(hooks::root(cx).id).ok_or_else(|| failed("the tree is over"))?;
        if hooks::is_leased_part(cx) {
            return Err(failed(
                "a remote child below `#[only_with]` is not supported: its nodes would follow another owner; put it into a \
                 tree of its own, and run that with `.on(net).only_with(lease)`",
            ));
        }
        if let Some(words) = self.take_done() {
            match words {
                Some(words) => cx.stop_with(words),
                None => cx.stop(),
            }
            return Ok(());
        }
        exports.let_in(&run);
        run.inlets.add(inlet());
        if self.fresh {
            self.empty();
        }
        let healing = hooks::healing(cx).map(|failure| to_wire(failure, self.plan().errors));
        {
            let mut state = self.lock();
            state.run = Some(run.clone());
            state.context = Some(AtOwner::of(&run));
            state.me = Some(cx.actor_ref());
            state.occurrences.clear();
            (state.answer, state.in_decision) = (None, None);
            (state.goes_down, state.aborted, state.closed, state.in_hand) = (false, false, false, false);
            state.failures.clear();
        }
        let place = Arc::downgrade(self);
        let at_close = move || place.upgrade().into_iter().for_each(|place| place.close());
        hooks::at_close(&cx.actor_ref(), Arc::new(at_close));
        let mut wait = WaitForNode::new(&run, self.plan().spec.role, cx.actor_ref());
        loop {
            self.find_node(&run, &path, captured, healing.clone(), &mut wait, cx).await;
            match self.answer().await {
                Ok(Answer::Up) => break,
                Ok(Answer::NotUp(failure)) => return Err(from_wire(failure, self.plan().errors)),
                Ok(Answer::Declined(why)) => {
                    hooks::set_node(&cx.actor_ref(), None);
                    wait.is_refused(why);
                    wait.declined.extend(self.lock().before.clone());
                    wait.ask_again.get_or_insert(run.clock().now() + ASK_AGAIN);
                }
                Err(node) => return Err(lost(&node, &path, cx.incarnation())),
            }
        }
        drop(wait);
        self.send_waiting();
        Ok(())
    }

    /// Takes the end that the instance came to by itself while it was to be moved to another node.
    fn take_done(&self) -> Option<Option<String>> {
        let mut state = self.lock();
        state.moves = false;
        state.is_done.take()
    }

    /// Waits for a node that takes it, and sends the order.
    async fn find_node(
        self: &Arc<Self>,
        run: &Arc<Run>,
        path: &Arc<str>,
        captured: &[u8],
        healing: Option<WireFailure>,
        wait: &mut WaitForNode<A>,
        cx: &Context<Proxy<A>>,
    ) {
        let Plan { spec, key, .. } = self.plan();
        let holder: Weak<dyn Placed> = Arc::downgrade(self) as Weak<dyn Placed>;
        // `None` (no time limit) is possible only where instances may overlap, and then no start waits for this time.
        let shutdown = spec.shutdown.unwrap_or(Duration::ZERO);
        let order = |placement, epoch| PlaceOrder {
            placement,
            key: key.to_string(),
            build: spec.build,
            captured: ByteBuf::from(captured.to_vec()),
            path: path.to_string(),
            incarnation: cx.incarnation(),
            healing: healing.clone(),
            lease: spec.lease,
            shutdown,
            epoch,
            redelivers: self.redeliver.is_some(),
        };
        // `seen`: how often a room had become free when this child looked last.
        let (bells, mut seen) = run.bell(spec.role);
        loop {
            run.forget_clear(path);
            let bell = bells.notified();
            let mut bell = std::pin::pin!(bell);
            bell.as_mut().enable();
            let before = self.lock().before.clone();
            let wish = PlacementRequest {
                spec,
                key,
                path,
                shutdown,
                before: before.as_ref(),
                declined: &wait.declined,
                order: &order,
                holder: holder.clone(),
            };
            let waits = {
                // Under the lock of both: a frame about the placement finds it here.
                let mut state = self.lock();
                match run.place(&wish) {
                    Ok((placement, peer)) => {
                        state.placed = Some((placement, peer.clone()));
                        state.before = Some(peer.clone());
                        (state.answer, state.seq) = (None, 0);
                        // Under the lock, so that a loss of the node comes after it.
                        hooks::set_node(&cx.actor_ref(), Some(peer.as_str().into()));
                        drop(state);
                        run.flush();
                        wait.is_over();
                        hooks::emit(&cx.actor_ref(), EventKind::Placed { node: peer.to_string() });
                        return;
                    }
                    Err(waits) => waits,
                }
            };
            // One child is woken for each room. If it cannot use it, for whatever reason, it lets the next one look.
            let (_, rooms) = run.bell(spec.role);
            if std::mem::replace(&mut seen, rooms) < rooms {
                bells.notify_one();
            }
            match waits {
                Waits::Over => std::future::pending().await,
                Waits::Takeover { until } => {
                    if !std::mem::replace(&mut wait.says_takeover, true) {
                        let left = until.since(run.clock().now());
                        let missing = run.missing().join(", ");
                        say!(info, %path, ?left, missing, "waits until nothing of an owner before can act");
                    }
                    tokio::select! {
                        () = run.clock().sleep_until(until) => {}
                        () = &mut bell => {}
                    }
                }
                Waits::Older { until, bell: older } => {
                    let older = older.notified();
                    let mut older = std::pin::pin!(older);
                    older.as_mut().enable();
                    // The time may have changed before this wait began, so the first look comes soon.
                    let soon = run.clock().now() + LOOK_AGAIN;
                    if let Some(until) = until
                        && !std::mem::replace(&mut wait.says_older, true)
                    {
                        let left = until.since(run.clock().now());
                        say!(info, %path, ?left, "waits until its instance before cannot act any more");
                    }
                    let until = until.map_or(soon, |until| until.min(soon));
                    tokio::select! {
                        () = run.clock().sleep_until(until) => {}
                        () = &mut older => {}
                        () = &mut bell => {}
                    }
                }
                Waits::Node { refused } => {
                    wait.begins();
                    refused.into_iter().for_each(|why| wait.is_refused(why));
                    let again = wait.ask_again;
                    tokio::select! {
                        () = &mut bell => {}
                        () = run.clock().sleep_until(again.unwrap_or(run.clock().now())), if again.is_some() => {
                            wait.declined.clear();
                            wait.ask_again = None;
                        }
                    }
                }
            }
        }
    }

    /// Waits for the answer to the order; an error: the node is lost.
    async fn answer(&self) -> Result<Answer, Peer> {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            {
                let mut state = self.lock();
                if let Some(answer) = state.answer.take() {
                    return Ok(answer);
                }
                if state.placed.is_none() {
                    // The node of the instance is lost, or the instance has vanished there.
                    state.occurrences.clear();
                    return Err(state.before.clone().expect("it was placed"));
                }
            }
            changed.await;
        }
    }

    // ----- messages

    /// The next turn of the proxy: what has happened beside the messages, and whether there is room for one.
    pub(crate) fn poll_turn(&self, cx: &mut Context<Proxy<A>>, task: &mut TaskCx<'_>) -> Poll<Result<(), Failure>> {
        let mut state = self.turn(task);
        let failure = |cause| hooks::failure(Phase::Running, cause, cx.actor_ref().path(), cx.incarnation());
        if let Some(upto) = state.in_decision.take() {
            // The proxy is polled again after a failure, so the failure was decided Resume.
            if let (Some((placement, peer)), Some(run)) = (&state.placed, state.run.clone()) {
                run.put(peer, ToNode::Resume { placement: *placement, upto });
                drop(state);
                run.flush();
                state = self.lock();
            }
        }
        let occurrences = state.occurrences.pop_front();
        state.in_hand = matches!(occurrences, Some(Occurrence::Failed(_, _, true) | Occurrence::NotRead(..)));
        match occurrences {
            Some(Occurrence::Failed(number, failure, _)) => {
                state.in_decision = number;
                drop(state);
                return Poll::Ready(Err(from_wire(failure, self.plan().errors)));
            }
            Some(Occurrence::NotRead(number, why)) => {
                state.in_decision = Some(number);
                drop(state);
                let error =
                    supervise_runtime::error::FarError { texts: vec![format!("a message cannot be read: {why}")] };
                return Poll::Ready(Err(failure(Cause::Error(error.into()))));
            }
            Some(Occurrence::Lost(peer)) => {
                drop(state);
                return Poll::Ready(Err(failure(Cause::NodeLost { node: peer.to_string() })));
            }
            Some(Occurrence::Dropped) => {
                let node = state.before.as_ref().map(Peer::to_string).unwrap_or_default();
                drop(state);
                return Poll::Ready(Err(failure(Cause::NodeLost { node })));
            }
            Some(Occurrence::Itself(words)) => {
                drop(state);
                match words {
                    Some(words) => cx.stop_with(words),
                    None => cx.stop(),
                }
                return Poll::Ready(Ok(()));
            }
            None => {}
        }
        // The size of the next message does not count: a message larger than the rest of the window passes too.
        let has_room = state.sent() < self.plan().spec.window && state.under_way < WINDOW_BYTES;
        if has_room { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Begins a turn: what comes after this wakes the task again.
    fn turn(&self, task: &mut TaskCx<'_>) -> MutexGuard<'_, State<A>> {
        loop {
            self.clean_up();
            let mut state = self.lock();
            // A frame that came after `clean_up` found no waker, so clean up again.
            if !state.backs.is_empty() || !state.to_drop.is_empty() {
                continue;
            }
            if state.turn.as_ref().is_none_or(|waker| !waker.will_wake(task.waker())) {
                state.turn = Some(task.waker().clone());
            }
            return state;
        }
    }

    /// A drain waits until everything that was sent is begun.
    pub(crate) fn poll_drained(&self, task: &mut TaskCx<'_>) -> Poll<()> {
        let state = self.turn(task);
        // A failure that has come since the turn began is decided first: the turn's waker was woken for it.
        let waits = !state.occurrences.is_empty() || (state.placed.is_some() && state.sent() > 0);
        if waits { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Hands a message to the node.
    pub(crate) fn hand_over(&self, msg: A::Msg, cx: &Context<Proxy<A>>) {
        self.write(Entry { msg, sent: None, bytes: 0, tries: 0 }, &cx.actor_ref());
        self.show_window();
    }

    /// Writes an entry, and sends it if the child is placed. It is at the end of the window then.
    fn write(&self, mut entry: Entry<A>, me: &ActorRef<Proxy<A>>) {
        // One writer: the task of the proxy. So the numbers of asks need no lock while user code runs.
        let (mut asks, run, context) = {
            let state = self.lock();
            (state.asks, state.run.clone(), state.context.clone())
        };
        let (Some(run), Some(context)) = (run, context) else { return };
        let most = run.net().max_frame;
        let written = guarded(|| hooks::encode(&entry.msg, &mut asks, Some(context.clone()))).unwrap_or_else(Err);
        let written = match written {
            Ok((body, _)) if body.len() > most => Err(too_large(body.len(), most)),
            written => written,
        };
        let (body, replies) = match written {
            Ok(written) => written,
            Err(why) => {
                hooks::emit(me, EventKind::NotWritten { why });
                return self.bury(DeadLetters(vec![(entry.msg, DeadLetterReason::NotWritten)], Vec::new()), Some(me));
            }
        };
        let mut unused = Vec::new();
        {
            let mut state = self.lock();
            let state = &mut *state;
            state.asks = asks;
            if let Some((placement, peer)) = &state.placed {
                state.seq = state.seq.saturating_add(1);
                entry.sent = Some(state.seq);
                entry.bytes = body.len();
                state.under_way = state.under_way.saturating_add(entry.bytes);
                state.pending.extend(replies);
                run.put(peer, ToNode::Msg { placement: *placement, seq: state.seq, body: ByteBuf::from(body) });
            } else {
                unused = replies; // written once more when it is placed again
            }
            state.window.push_back(entry);
        }
        run.flush();
        drop(unused);
    }

    /// Drops what the incarnation before has left.
    fn empty(&self) {
        let (dead, me) = {
            let mut state = self.lock();
            (state.begun, state.under_way) = (0, 0);
            let messages = state.window.drain(..).map(|entry| (entry.msg, DeadLetterReason::Restarted)).collect();
            (DeadLetters(messages, Vec::new()), state.me.clone())
        };
        self.bury(dead, me.as_ref());
        self.show_window();
    }

    /// Sends what waits in the window, in order.
    fn send_waiting(&self) {
        let (waiting, me) = {
            let mut state = self.lock();
            (state.begun, state.under_way) = (0, 0);
            (std::mem::take(&mut state.window), state.me.clone())
        };
        let Some(me) = me else { return };
        for mut entry in waiting {
            entry.sent = None;
            self.write(entry, &me);
        }
        self.show_window();
    }

    fn show_window(&self) {
        let state = self.lock();
        let (me, sent) = (state.me.clone(), state.sent());
        drop(state);
        if let Some(me) = me {
            hooks::set_window(&me, sent);
        }
    }

    /// Reads the replies that have come, and drops the messages that are over: code of the user, so in the task of this
    /// child, and without a lock.
    pub(crate) fn clean_up(&self) {
        loop {
            let (next, to_drop, me) = {
                let mut state = self.lock();
                (state.backs.pop_front(), std::mem::take(&mut state.to_drop), state.me.clone())
            };
            to_drop.into_iter().for_each(drop_guarded);
            let Some((on_reply, back)) = next else { return };
            let read = guarded(move || on_reply(back)).unwrap_or_else(Err);
            if let (Err(why), Some(me)) = (read, me) {
                hooks::emit(&me, EventKind::NotWritten { why: format!("a reply: {why}") });
            }
        }
    }

    /// Reports dead messages, and leaves them to the child's own task.
    fn bury_later(&self, dead: DeadLetters<A>, me: Option<&ActorRef<Proxy<A>>>) {
        let DeadLetters(messages, askers) = dead;
        if let Some(me) = me {
            for (msg, reason) in &messages {
                hooks::dead_letter(me, hooks::name_of::<A>(msg), *reason);
            }
        }
        let mut state = self.lock();
        state.to_drop.extend(messages.into_iter().map(|(msg, _)| msg));
        state.backs.extend(askers.into_iter().map(|asker| (asker, None)));
        let has_ended = state.me.is_none();
        drop(state);
        if has_ended {
            self.clean_up(); // the child has ended, so no task of it would clean up
        }
    }

    /// Reports dead messages, and drops them: the drops are code of the user.
    fn bury(&self, dead: DeadLetters<A>, me: Option<&ActorRef<Proxy<A>>>) {
        let DeadLetters(messages, askers) = dead;
        for (msg, reason) in messages {
            if let Some(me) = me {
                hooks::dead_letter(me, hooks::name_of::<A>(&msg), reason);
            }
            drop_guarded(msg);
        }
        for asker in askers {
            drop_guarded(asker);
        }
    }

    // ----- going down

    /// Goes down for a restart.
    pub(crate) async fn leave(&self, failure: &Failure) -> Result<(), Failure> {
        let failure = to_wire(failure, self.plan().errors);
        self.down(|placement| ToNode::Leave { placement, failure }).await
    }

    /// Goes down for good.
    pub(crate) async fn stop(&self) -> Result<(), Failure> {
        self.down(|placement| ToNode::Stop { placement }).await
    }

    /// Returns the next failure of the instance on its way down.
    async fn down(&self, frame: impl FnOnce(u64) -> ToNode) -> Result<(), Failure> {
        self.lock().goes_down = true;
        self.tell_node(frame);
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            self.clean_up();
            if self.lock().placed.is_none() {
                break;
            }
            changed.await;
        }
        self.show_window();
        let (aborted, failure, me) = {
            let mut state = self.lock();
            (std::mem::take(&mut state.aborted), state.failures.pop_front(), state.me.clone())
        };
        if let Some(me) = me
            && aborted
        {
            hooks::abort(&me);
            std::future::pending::<()>().await; // no hook ends after an abort
        }
        failure.map_or(Ok(()), |failure| Err(from_wire(failure, self.plan().errors)))
    }

    /// Returns whether the last failure is one of a message that was in hand.
    pub(crate) fn has_in_hand(&self) -> bool {
        self.lock().in_hand
    }

    /// Kills the instance on its node. False: it is not placed.
    pub(crate) fn kill(&self) -> bool {
        self.tell_node(|placement| ToNode::Kill { placement })
    }

    fn tell_node(&self, frame: impl FnOnce(u64) -> ToNode) -> bool {
        let state = self.lock();
        let (Some((placement, peer)), Some(run)) = (&state.placed, state.run.clone()) else { return false };
        run.put(peer, frame(*placement));
        drop(state);
        run.flush();
        true
    }

    /// The proxy is gone, in order or not. A placement that is not known to be down is given up.
    pub(crate) fn let_go(&self) {
        let (given_up, me, dead, closed) = {
            let mut state = self.lock();
            let given_up = state.placed.take();
            let dead = given_up.is_some().then(|| state.lost(self.redeliver));
            (given_up.zip(state.run.clone()), state.me.clone(), dead, state.closed)
        };
        if let Some(((placement, _), run)) = given_up {
            run.give_up(placement);
        }
        if let Some(me) = &me {
            hooks::set_node(me, None);
        }
        if let Some(dead) = dead {
            self.bury(dead, me.as_ref());
        }
        if closed {
            self.end();
        }
    }

    /// The mailbox is closed. An instance that is up goes down now, and may begin more of what was sent to it.
    fn close(&self) {
        let is_placed = {
            let mut state = self.lock();
            state.closed = state.placed.is_some();
            state.closed
        };
        if !is_placed {
            self.end();
        }
    }

    /// The child has ended, unless it is started again.
    pub(crate) fn end(&self) {
        self.clean_up();
        let (dead, me) = {
            let mut state = self.lock();
            state.turn = None;
            (state.moves, state.is_done) = (false, None);
            // Both lead back to this proxy, and would keep it alive; the next start sets them again.
            (state.run, state.context) = (None, None);
            state.begun = 0;
            state.under_way = 0;
            let messages = state.window.drain(..).map(|entry| (entry.msg, DeadLetterReason::Ended)).collect();
            let mut askers: Vec<_> = state.pending.drain().map(|(_, on_reply)| on_reply).collect();
            askers.extend(state.backs.drain(..).map(|(on_reply, _)| on_reply));
            (DeadLetters(messages, askers), state.me.take())
        };
        self.bury(dead, me.as_ref());
        if let Some(me) = &me {
            hooks::set_window(me, 0);
        }
    }

    fn wake(&self) {
        self.changed.notify_waiters();
        let turn = self.lock().turn.take();
        if let Some(turn) = turn {
            turn.wake();
        }
    }
}

const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The search of a start for a node.
struct WaitForNode<A: Actor<Msg: Remote>> {
    me: ActorRef<Proxy<A>>,
    run: Arc<Run>,
    role: &'static str,
    /// While it waits.
    counted: Option<Waiting>,
    /// Nodes that have declined it just now.
    declined: Vec<Peer>,
    /// When they are asked again.
    ask_again: Option<Moment>,
    /// The event that there is no node was raised.
    told: bool,
    /// The reasons that were reported.
    refused: Vec<String>,
    /// The log says for what it waits.
    says_takeover: bool,
    says_older: bool,
}

impl<A: Actor<Msg: Remote>> WaitForNode<A> {
    fn new(run: &Arc<Run>, role: &'static str, me: ActorRef<Proxy<A>>) -> Self {
        let (run, counted) = (run.clone(), None);
        WaitForNode {
            me,
            run,
            role,
            counted,
            declined: Vec::new(),
            ask_again: None,
            told: false,
            refused: Vec::new(),
            says_takeover: false,
            says_older: false,
        }
    }

    fn begins(&mut self) {
        if self.counted.is_none() {
            hooks::set_wait(&self.me, Some(self.role));
            self.counted = Some(self.run.waits(self.role));
        }
        if !std::mem::replace(&mut self.told, true) {
            hooks::emit(&self.me, EventKind::NoNode { role: self.role.to_owned() });
        }
    }

    /// A node does not take the child: reported once for each reason.
    fn is_refused(&mut self, why: String) {
        if self.refused.len() < MOST_REASONS && !self.refused.contains(&why) {
            hooks::emit(&self.me, EventKind::Refused { why: why.clone() });
            self.refused.push(why);
        }
    }

    /// A node is ordered to start it.
    fn is_over(&mut self) {
        if self.counted.take().is_some() {
            hooks::set_wait(&self.me, None);
        }
    }
}

impl<A: Actor<Msg: Remote>> Drop for WaitForNode<A> {
    fn drop(&mut self) {
        self.is_over();
    }
}

/// Drops a value of the user, whose panic must not end the task that drops it.
fn drop_guarded<T>(value: T) {
    if let Err(why) = guarded(move || drop(value)) {
        say!(error, why, "the drop of a message failed");
    }
}

fn lost(node: &Peer, path: &str, incarnation: u32) -> Failure {
    hooks::failure(Phase::Start, Cause::NodeLost { node: node.to_string() }, path.to_owned(), incarnation)
}

impl<A: Actor<Msg: Remote>> State<A> {
    /// Returns how many messages are not known to be begun.
    fn sent(&self) -> usize {
        self.window.len().saturating_sub(self.begun)
    }

    /// Notes how many messages of this placement were begun, and how many handled. Returns those that are over.
    fn begun(&mut self, upto: u64, done: u64, redeliver: Option<u32>) -> Vec<A::Msg> {
        let done = if redeliver.is_some() { done } else { upto };
        while let Some(entry) = self.window.get(self.begun)
            && entry.sent.is_some_and(|seq| seq <= upto)
        {
            self.under_way = self.under_way.saturating_sub(entry.bytes);
            self.begun = self.begun.saturating_add(1);
        }
        let mut over = Vec::new();
        while self.window.front().is_some_and(|entry| entry.sent.is_some_and(|seq| seq <= done)) {
            let Some(entry) = self.window.pop_front() else { break };
            match self.begun.checked_sub(1) {
                Some(begun) => self.begun = begun,
                // The node has reported more messages as done than as started.
                None => self.under_way = self.under_way.saturating_sub(entry.bytes),
            }
            over.push(entry.msg);
        }
        over
    }

    /// The placement is over, and its node has said how many messages were begun.
    fn settle(&mut self, upto: u64, done: u64, redeliver: Option<u32>) -> (Vec<A::Msg>, DeadLetters<A>) {
        let over = self.begun(upto, done, redeliver);
        let mut dead = Vec::new();
        // The message in hand goes back to the front, as long as it may.
        if let Some(most) = redeliver
            && self.begun > 0
            && let Some(entry) = self.window.front_mut()
        {
            entry.tries = entry.tries.saturating_add(1);
            if entry.tries > most
                && let Some(entry) = self.window.pop_front()
            {
                dead.push((entry.msg, DeadLetterReason::GivenUp));
            }
        }
        (over, self.forget_placement(dead))
    }

    /// The placement is over, and nobody knows how many messages were begun.
    fn lost(&mut self, redeliver: Option<u32>) -> DeadLetters<A> {
        let mut dead = Vec::new();
        for mut entry in std::mem::take(&mut self.window) {
            match (entry.sent, redeliver) {
                (None, _) => self.window.push_back(entry),
                (Some(_), None) => dead.push((entry.msg, DeadLetterReason::Unknown)),
                (Some(_), Some(most)) => {
                    entry.tries = entry.tries.saturating_add(1);
                    if entry.tries > most {
                        dead.push((entry.msg, DeadLetterReason::Unknown));
                    } else {
                        self.window.push_back(entry);
                    }
                }
            }
        }
        self.forget_placement(dead)
    }

    fn forget_placement(&mut self, dead: Vec<(A::Msg, DeadLetterReason)>) -> DeadLetters<A> {
        self.window.iter_mut().for_each(|entry| entry.sent = None);
        (self.begun, self.under_way) = (0, 0);
        self.placed = None;
        DeadLetters(dead, self.pending.drain().map(|(_, on_reply)| on_reply).collect())
    }
}

impl<A: Actor<Msg: Remote>> Placed for Place<A> {
    fn frame(&self, placement: u64, frame: ToOwner) {
        let redeliver = self.redeliver;
        let mut state = self.lock();
        if state.placed.as_ref().is_none_or(|(state, _)| *state != placement) {
            return; // a frame of a placement that was given up
        }
        let mut over = Vec::new();
        let mut dead = DeadLetters(Vec::new(), Vec::new());
        let (mut leaves, mut words) = (false, None);
        match frame {
            ToOwner::Up { .. } => state.answer = Some(Answer::Up),
            ToOwner::NotUp { failure, .. } => {
                state.answer = Some(Answer::NotUp(failure));
                (over, dead) = state.settle(0, 0, None);
            }
            ToOwner::Declined { why, .. } => {
                state.answer = Some(Answer::Declined(short(why)));
                (over, dead) = state.settle(0, 0, None);
            }
            ToOwner::Begun { upto, done, ends, .. } => {
                over = state.begun(upto, done, redeliver);
                leaves = ends;
            }
            ToOwner::NotRead { number, seq, why, begun, done, .. } => {
                over = state.begun(begun, done, redeliver);
                let at = state.begun;
                if state.window.get(at).is_some_and(|entry| entry.sent == Some(seq))
                    && let Some(entry) = state.window.remove(at)
                {
                    state.under_way = state.under_way.saturating_sub(entry.bytes);
                    dead.0.push((entry.msg, DeadLetterReason::NotRead));
                }
                state.occurrences.push_back(Occurrence::NotRead(number, why));
            }
            ToOwner::Reply { ask, back, begun, done, .. } => {
                over = state.begun(begun, done, redeliver);
                if let Some(on_reply) = state.pending.remove(&ask) {
                    state.backs.push_back((on_reply, back.map(|back| back.map(ByteBuf::into_vec))));
                }
            }
            ToOwner::Failed { number, failure, begun, done, .. } => {
                over = state.begun(begun, done, redeliver);
                state.occurrences.push_back(Occurrence::Failed(Some(number), failure, done < begun));
            }
            ToOwner::Ended { how, failures, begun, done, .. } => {
                state.failures.extend(failures);
                (over, dead) = state.settle(begun, done, redeliver);
                if let EndKind::Failed(failure) = &how {
                    state.occurrences.push_back(Occurrence::Failed(None, failure.clone(), false));
                }
                let occurrences = match how {
                    // The node leaves, and the instance had finished before it could be moved.
                    EndKind::Itself(words) if state.moves => {
                        state.is_done = Some(words);
                        None
                    }
                    EndKind::Itself(said) if state.goes_down => {
                        words = said;
                        None
                    }
                    EndKind::Itself(words) => Some(Occurrence::Itself(words)),
                    // There is no instance to resume, so the failure is handled like the loss of the node.
                    EndKind::Failed(_) => Some(Occurrence::Dropped),
                    EndKind::Told if state.goes_down => None,
                    EndKind::Aborted | EndKind::Dropped if state.goes_down => {
                        state.aborted = true;
                        None
                    }
                    // The node took the instance down before this owner moved it: it leaves, or has another owner.
                    EndKind::Told | EndKind::Dropped | EndKind::Aborted => Some(Occurrence::Dropped),
                };
                state.occurrences.extend(occurrences);
            }
            ToOwner::Vanished { .. } => {
                dead = state.lost(redeliver);
                state.occurrences.push_back(Occurrence::Dropped);
            }
            _ => {}
        }
        state.to_drop.append(&mut over);
        let me = state.me.clone();
        if let Some(me) = me.as_ref().filter(|_| leaves) {
            hooks::ends_by_itself(me); // under the lock: of this placement, and of no later one
        }
        drop(state);
        if let (Some(me), Some(words)) = (&me, words) {
            hooks::says(me, words);
        }
        self.bury_later(dead, me.as_ref());
        self.show_window();
        self.wake();
    }

    fn lost(&self, placement: u64, node: &Peer, after: Duration) {
        let redeliver = self.redeliver;
        let (dead, me) = {
            let mut state = self.lock();
            if state.placed.as_ref().is_none_or(|(state, _)| *state != placement) {
                return;
            }
            state.occurrences.push_back(Occurrence::Lost(node.clone()));
            if let Some(me) = &state.me {
                hooks::set_node(me, None);
            }
            (state.lost(redeliver), state.me.clone())
        };
        if let Some(me) = &me {
            hooks::emit(me, EventKind::NodeLost { node: node.to_string(), after });
        }
        self.bury_later(dead, me.as_ref());
        self.show_window();
        self.wake();
    }

    fn moves(&self, placement: u64) {
        let state = self.lock();
        let here = state.placed.as_ref().is_some_and(|(state, _)| *state == placement);
        let me = state.me.clone().filter(|_| here);
        drop(state);
        if let Some(me) = me {
            // A restart that was asked for: it is charged to no budget. Refused if the child ends anyway.
            self.lock().moves = true;
            if me.restart().is_err() {
                self.lock().moves = false;
            }
        }
    }

    fn fenced(&self) {
        let me = self.lock().me.clone();
        if let Some(me) = me {
            hooks::emit(&me, EventKind::Fenced);
        }
    }
}
