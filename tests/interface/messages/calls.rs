//! Methods that are messages: S64.

use std::any::Any;
use std::future::{Ready, ready};
use std::io;
use std::sync::Mutex;

use supervise::CallTo;
use supervise::error::{AskError, SendRejection};
use supervise::event::{DeadLetterReason, EventKind, Events};
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use tokio::time::Instant;

use crate::common::{block_on, ms, pass, quiet_panics, secs, settle};

/// An error that goes to the caller.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("only {0} are there")]
pub struct Overdrawn(u64);

#[derive(Debug)]
pub struct Account {
    owner: String,
    balance: u64,
    held: Vec<Reply<u64>>,
}

impl Account {
    fn new(balance: u64) -> Self {
        Account { owner: "ann".to_owned(), balance, held: Vec::new() }
    }
}

#[actor(derive(Clone))]
impl Account {
    #[message]
    pub fn deposit(&mut self, amount: u64) -> Result<u64, Thrown> {
        self.balance = self.balance.checked_add(amount).ok_or_else(|| io::Error::other("more than there is"))?;
        Ok(self.balance)
    }

    #[message]
    pub fn withdraw(&mut self, amount: u64) -> Result<u64, Overdrawn> {
        self.balance = self.balance.checked_sub(amount).ok_or(Overdrawn(self.balance))?;
        Ok(self.balance)
    }

    #[message]
    pub fn balance(&self) -> u64 {
        self.balance
    }

    #[message]
    pub async fn transfer(&mut self, to: ActorRef<Account>, amount: u64) -> Result<Result<(), Overdrawn>, Thrown> {
        if let Err(refused) = self.withdraw(amount) {
            return Ok(Err(refused));
        }
        to.deposit(amount).await?;
        Ok(Ok(()))
    }

    #[message]
    pub fn rename(&mut self, to: &str) -> String {
        std::mem::replace(&mut self.owner, to.to_owned())
    }

    /// Answers when the next message comes.
    #[message]
    pub fn later(&mut self, reply: Reply<u64>) {
        for held in std::mem::replace(&mut self.held, vec![reply]) {
            held.send(self.balance);
        }
    }

    #[message]
    pub async fn work(&mut self, time: std::time::Duration) {
        tokio::time::sleep(time).await;
    }

    #[message]
    pub fn panics(&mut self) {
        panic!("as planned");
    }

    #[message]
    pub fn end(&mut self, reason: &str, cx: &mut Context<Self>) -> u64 {
        cx.stop_with(format!("{}: {reason}", self.owner));
        self.balance
    }

    /// Hides what it returns behind an alias.
    #[message]
    pub fn aliased(&mut self) -> std::fmt::Result {
        Err(std::fmt::Error)
    }

    #[message]
    pub fn soon(&mut self, cx: &mut Context<Self>) {
        cx.send_after(secs(1), AccountMsg::interest());
        cx.run(async { 7 }, AccountMsg::deposit);
    }

    #[message]
    fn interest(&mut self) {
        self.balance *= 2;
    }

    /// Is answered by the next message of this actor, or by another one.
    #[message]
    pub async fn ask_on(&mut self, to: Option<ActorRef<Account>>, reply: Reply<u64>, cx: &mut Context<Self>) {
        match to {
            Some(to) => drop(to.tell(AccountMsg::at_last(1, reply, "elsewhere")).await),
            None => cx.run(async { 5 }, |more| AccountMsg::at_last(more, reply, "here")),
        }
    }

    #[message]
    fn at_last(&mut self, more: u64, reply: Reply<u64>, _place: &str) -> Result<(), Thrown> {
        reply.send(self.balance.checked_add(more).ok_or_else(|| io::Error::other("too much"))?);
        Ok(())
    }
}

supervisor! {
    struct Bank {
        #![decider(_: io::Error => Restart, _ => Stop)]
        account: Account = Account::new(10),
        savings: Account = Account::new(100),
        #[lifecycle(Transient)]
        closes: Account = Account::new(1),
        #[decider(_ => Restart)]
        panics: Account = Account::new(1),
        #[redeliver(attempts = 2)]
        again: Account = Account::new(0),
        #[mailbox(Bounded(1), ask = 2s)]
        small: Account = Account::new(0),
        #[while_down(Reject)]
        #[backoff(1s..1s, random_factor = 0)]
        rejects: Account = Account::new(0),
        keyed: [String => Account] = |_owner: String| Account::new(5),
    }
}

/// Returns the events of these kinds that have come, in words.
fn told(events: &mut Events) -> Vec<String> {
    std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::Failed { message, .. } => Some(format!("{} failed with {message:?}", event.path)),
            EventKind::Unread { message, error } => {
                Some(format!("{} unread {message} {}", event.path, error.rsplit("::").next().unwrap()))
            }
            EventKind::DeadLetter { message, reason } => Some(format!("{} lost {message} {reason:?}", event.path)),
            EventKind::Aborted { message } => Some(format!("{} aborted with {message:?}", event.path)),
            _ => None,
        })
        .collect()
}

/// S64: the answer is what the method returns, and an error of the caller's own type is an answer.
#[tokio::test]
async fn a_call_is_answered_with_what_the_method_returns() {
    let bank = Bank::start().await.unwrap();
    assert_eq!(bank.account.deposit(5).await.unwrap(), 15);
    assert_eq!(bank.account.withdraw(99).await.unwrap(), Err(Overdrawn(15)));
    assert_eq!(bank.account.transfer(bank.savings.clone(), 12).await.unwrap(), Ok(()));
    assert_eq!(bank.account.transfer(bank.savings.clone(), 12).await.unwrap(), Err(Overdrawn(3)));
    assert_eq!((bank.account.balance().await.unwrap(), bank.savings.balance().await.unwrap()), (3, 112));
    assert_eq!(bank.account.rename("bob").await.unwrap(), "ann");
    assert_eq!(bank.account.rename("cid".to_owned()).await.unwrap(), "bob");
    assert_eq!(bank.account.incarnation(), 1);
}

/// S64: a `Thrown` fails the actor with the error that `?` found, and the caller learns at once that no answer comes.
#[tokio::test(start_paused = true)]
async fn a_thrown_error_fails_the_actor_and_is_no_answer() {
    let bank = Bank::start().await.unwrap();
    let (mut events, begun) = (bank.events(), Instant::now());
    let answer = bank.account.deposit(u64::MAX).await;
    assert!(matches!(answer, Err(AskError::NoReply { .. })), "{answer:?}");
    assert_eq!(begun.elapsed(), ms(0));
    settle().await;
    assert_eq!(told(&mut events), ["account failed with Some(\"Account::deposit\")"]);
    // The decider has an arm for `io::Error`: the type is kept.
    assert_eq!((bank.account.incarnation(), bank.account.balance().await.unwrap()), (2, 10));
}

/// S64: a panic fails the actor, in the name of the method.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_method_fails_the_actor() {
    quiet_panics();
    let bank = Bank::start().await.unwrap();
    let mut events = bank.events();
    assert!(matches!(bank.panics.panics().await, Err(AskError::NoReply { .. })));
    settle().await;
    assert_eq!(told(&mut events), ["panics failed with Some(\"Account::panics\")"]);
    assert_eq!(bank.panics.balance().await.unwrap(), 1);
}

/// S64: a method with a `Reply` answers when it wants, also in a later message.
#[tokio::test(start_paused = true)]
async fn a_method_with_a_reply_answers_later() {
    let bank = Bank::start().await.unwrap();
    let (first, second) = tokio::join!(bank.account.later(), async {
        settle().await;
        bank.account.later().within(secs(1)).await
    });
    assert_eq!(first.unwrap(), 10);
    assert!(matches!(second, Err(AskError::TimedOut { .. })));
    bank.account.later().forget().await.unwrap(); // nobody waits: it is answered into nothing
    assert_eq!(bank.account.balance().await.unwrap(), 10);
}

/// S64: a fault that is injected while a method runs names it, as any failure does.
#[tokio::test(start_paused = true)]
async fn an_injected_fault_names_the_method_in_hand() {
    let bank = Bank::start().await.unwrap();
    let mut events = bank.events();
    bank.account.work(secs(10)).forget().await.unwrap();
    settle().await;
    bank.account.inject(Fault::error(std::fmt::Error));
    settle().await;
    assert_eq!(told(&mut events), ["account failed with Some(\"Account::work\")"]);
}

/// S64: the constructor of a message with a `Reply` takes the one of a message that is being handled, so that its caller is
/// answered by a later message, or by another actor; without a caller, it takes `None`.
#[tokio::test(start_paused = true)]
async fn a_reply_is_passed_on_in_a_message() {
    let bank = Bank::start().await.unwrap();
    assert_eq!(bank.account.ask_on(None).await.unwrap(), 15);
    let other = bank.small.clone();
    let expected = other.balance().await.unwrap() + 1;
    assert_eq!(bank.account.ask_on(Some(other.clone())).await.unwrap(), expected);
    bank.account.tell(AccountMsg::at_last(0, None, "nobody")).await.unwrap();

    // The actor fails with the reply in hand, and gets it again.
    bank.again.deposit(u64::MAX).await.unwrap();
    assert_eq!(bank.account.ask_on(Some(bank.again.clone())).await.unwrap(), 1);
    assert_eq!(bank.again.incarnation(), 2);

    // The actor that should answer has ended, and the message with the reply is dropped: the caller gets an error at
    // once.
    other.stop();
    other.terminated().await.unwrap();
    let answer = bank.account.ask_on(Some(other)).await;
    assert!(matches!(answer, Err(AskError::NoReply { .. })), "{answer:?}");
}

/// S64: `forget` is a tell: it waits for room, and nobody waits for an answer; `at_once` before it does not wait.
#[tokio::test(start_paused = true)]
async fn a_forgotten_call_is_a_tell() {
    let bank = Bank::start().await.unwrap();
    bank.small.work(secs(10)).forget().await.unwrap();
    settle().await;
    bank.small.deposit(1).forget().await.unwrap();
    let full = bank.small.deposit(2).at_once().forget().await.unwrap_err();
    assert_eq!(full.reason(), SendRejection::Full);
    assert_eq!(format!("{:?}", full.into_message()), "Account::deposit");
    let refused = bank.small.deposit(2).at_once().await;
    assert!(matches!(refused, Err(AskError::Refused { reason: SendRejection::Full, .. })), "{refused:?}");
    let begun = Instant::now();
    bank.small.deposit(3).forget().await.unwrap();
    assert_eq!(begun.elapsed(), secs(10));
    assert_eq!(bank.small.balance().await.unwrap(), 4);
}

/// S64: nothing is sent before a call is awaited, and a call that waits for room and is dropped was not sent.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_awaited_is_not_sent() {
    let bank = Bank::start().await.unwrap();
    drop(bank.small.deposit(1));
    drop(bank.small.deposit(1).forget());
    drop(bank.small.deposit(1).at_once().forget());
    bank.small.work(secs(10)).forget().await.unwrap();
    settle().await;
    bank.small.work(secs(1)).forget().await.unwrap();
    assert!(tokio::time::timeout(secs(1), bank.small.deposit(1)).await.is_err());
    assert_eq!(bank.small.balance().within(secs(20)).await.unwrap(), 0);
}

/// S64: the time of a call is that of the actor, and covers the wait for room.
#[tokio::test(start_paused = true)]
async fn a_call_has_the_ask_time_of_the_actor() {
    let bank = Bank::start().await.unwrap();
    let begun = Instant::now();
    let late = bank.small.work(secs(60)).await;
    assert!(matches!(late, Err(AskError::TimedOut { within, .. }) if within == secs(2)), "{late:?}");
    assert_eq!(begun.elapsed(), secs(2));
}

/// S64: an error for the caller that nobody reads is an event: after `forget`, of a timer, and of a caller that gave up.
#[tokio::test(start_paused = true)]
async fn an_error_that_nobody_reads_is_an_event() {
    let bank = Bank::start().await.unwrap();
    let mut events = bank.events();
    bank.account.withdraw(1).forget().await.unwrap();
    settle().await;
    assert_eq!(told(&mut events), [""; 0], "no error");
    bank.account.withdraw(99).forget().await.unwrap();
    bank.account.tell(AccountMsg::withdraw(99)).await.unwrap();
    settle().await;
    assert_eq!(told(&mut events), ["account unread Account::withdraw Overdrawn"; 2]);
    bank.account.work(secs(3)).forget().await.unwrap();
    let gave_up = bank.account.withdraw(99).within(secs(1)).await;
    assert!(gave_up.is_err());
    pass(secs(3)).await;
    assert_eq!(told(&mut events), ["account unread Account::withdraw Overdrawn"]);
    assert_eq!(bank.account.withdraw(99).await.unwrap(), Err(Overdrawn(9)));
    settle().await;
    assert_eq!(told(&mut events), [""; 0], "it was read");
    bank.account.aliased().forget().await.unwrap();
    settle().await;
    assert_eq!(told(&mut events), ["account unread Account::aliased Error"], "the type counts, and not its name");
    assert_eq!(bank.account.incarnation(), 1);
}

/// S64: constructors make messages for timers and futures, also of private methods.
#[tokio::test(start_paused = true)]
async fn messages_are_sent_by_timers_and_futures() {
    let bank = Bank::start().await.unwrap();
    bank.account.soon().await.unwrap();
    pass(ms(10)).await;
    assert_eq!(bank.account.balance().await.unwrap(), 17);
    pass(secs(1)).await;
    assert_eq!(bank.account.balance().await.unwrap(), 34);
}

/// S64: a method may stop its actor, and is answered.
#[tokio::test]
async fn a_method_may_stop_its_actor() {
    let bank = Bank::start().await.unwrap();
    assert_eq!(bank.closes.end("moved").await.unwrap(), 1);
    assert_eq!(bank.closes.terminated().await.unwrap().to_string(), "done: ann: moved");
    let refused = bank.closes.balance().await;
    assert!(matches!(refused, Err(AskError::Refused { reason: SendRejection::Ended, .. })), "{refused:?}");
}

/// S64, S36: a message is delivered again with its reply, which the second try answers.
#[tokio::test(start_paused = true)]
async fn a_message_that_fails_is_delivered_again_with_its_reply() {
    let bank = Bank::start().await.unwrap();
    let mut events = bank.events();
    bank.again.deposit(u64::MAX).await.unwrap();
    // The first instance is full, and fails; the second begins at zero, and answers.
    assert_eq!(bank.again.deposit(1).await.unwrap(), 1);
    settle().await;
    assert_eq!(told(&mut events), ["again failed with Some(\"Account::deposit\")"]);
    assert_eq!(bank.again.incarnation(), 2);
}

/// S64, S35: while the actor is down, a call is refused, and a forgotten one too, if it is declared so.
#[tokio::test(start_paused = true)]
async fn a_call_to_an_actor_that_is_down_is_refused() {
    let bank = Bank::start().await.unwrap();
    assert!(bank.rejects.deposit(u64::MAX).await.is_ok());
    assert!(bank.rejects.deposit(1).await.is_err());
    settle().await;
    let refused = bank.rejects.balance().await;
    assert!(matches!(refused, Err(AskError::Refused { reason: SendRejection::Down { .. }, .. })), "{refused:?}");
    let refused = bank.rejects.deposit(1).forget().await.unwrap_err();
    assert!(matches!(refused.reason(), SendRejection::Down { .. }));
    pass(secs(2)).await;
    assert_eq!(bank.rejects.balance().await.unwrap(), 0);
}

/// S64, S5, S26: a drain handles what has arrived and refuses what comes; messages in the mailbox of an actor that ends
/// are dead letters with the name of the method, and their callers learn it.
#[tokio::test(start_paused = true)]
async fn calls_are_drained_or_become_dead_letters_by_name() {
    let bank = Bank::start().await.unwrap();
    let mut events = bank.events();
    bank.account.work(secs(1)).forget().await.unwrap();
    let (answer, ()) = tokio::join!(bank.account.balance(), async {
        settle().await;
        bank.account.drain();
    });
    assert_eq!(answer.unwrap(), 10);
    bank.savings.work(secs(1)).forget().await.unwrap();
    let (answer, ()) = tokio::join!(bank.savings.rename("bob"), async {
        settle().await;
        bank.savings.kill();
    });
    assert!(matches!(answer, Err(AskError::NoReply { .. })), "{answer:?}");
    settle().await;
    let reason = DeadLetterReason::Ended;
    assert!(told(&mut events).contains(&format!("savings lost Account::rename {reason:?}")));
}

/// S64, S7, S19: a call to a child that is suspended waits for the decision above, and is answered after it: by the same
/// instance if the supervisor is resumed, by the next one if it is restarted.
#[tokio::test(start_paused = true)]
async fn a_call_waits_while_a_supervisor_above_is_decided_on() {
    supervisor! {
        struct Resumes {
            #![decider(_ => Resume)]
            below: struct ResumedBelow {
                #![decider(_ => Escalate)]
                fails: Account = Account::new(1),
                stays: Account = Account::new(2),
            },
        }
        struct Restarts {
            #![decider(_ => Restart)]
            below: struct RestartedBelow {
                #![decider(_ => Escalate)]
                fails: Account = Account::new(1),
                stays: Account = Account::new(2),
            },
        }
    }
    let resumes = Resumes::start().await.unwrap();
    resumes.below.stays.deposit(1).await.unwrap();
    let (failed, answer) =
        tokio::join!(resumes.below.fails.deposit(u64::MAX), resumes.below.stays.deposit(1).within(secs(20)));
    assert!(failed.is_err());
    assert_eq!((answer.unwrap(), resumes.below.stays.incarnation()), (4, 1));
    let restarts = Restarts::start().await.unwrap();
    restarts.below.stays.deposit(1).await.unwrap();
    assert!(restarts.below.fails.deposit(u64::MAX).await.is_err());
    let answer = restarts.below.stays.deposit(1).within(secs(20)).await;
    assert_eq!((answer.unwrap(), restarts.below.stays.incarnation()), (3, 2));
}

/// S64, S1: of two calls in one poll, each gets its own answer, in the order in which they were polled.
#[tokio::test(start_paused = true)]
async fn two_calls_in_one_poll_are_answered_in_order() {
    let bank = Bank::start().await.unwrap();
    let (first, second, forgotten) =
        tokio::join!(bank.account.deposit(1), bank.account.deposit(1), bank.account.deposit(1).forget());
    forgotten.unwrap();
    assert_eq!((first.unwrap(), second.unwrap(), bank.account.balance().await.unwrap()), (11, 12, 13));
}

/// S64, S25: a call whose runtime is dropped in the middle ends, for a caller elsewhere.
#[test]
fn a_call_ends_with_the_runtime_of_its_actor() {
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let bank = runtime.block_on(Bank::start()).unwrap();
        block_on(async { bank.account.work(secs(60)).forget().await }).unwrap();
        let callers = [1, 2].map(|_| {
            let account = bank.account.clone();
            std::thread::spawn(move || block_on(async { account.balance().forever().await }))
        });
        let waiting = || bank.snapshot().find("account").unwrap().mailbox.as_ref().unwrap().waiting;
        let begun = std::time::Instant::now();
        while waiting() < 2 {
            assert!(begun.elapsed() < secs(60), "both wait behind the work");
            std::thread::yield_now();
        }
        drop(runtime);
        for caller in callers {
            assert!(caller.join().unwrap().is_err());
        }
        drop(bank);
    }
}

/// S64: an instance of a set is called as any other.
#[tokio::test]
async fn instances_of_a_set_are_called() {
    let bank = Bank::start().await.unwrap();
    let bob = bank.keyed.get_or_spawn("bob".to_owned()).await.unwrap();
    assert_eq!(bob.deposit(1).await.unwrap(), 6);
    assert_eq!(bank.keyed.get("bob").unwrap().balance().await.unwrap(), 6);
}

/// A double: remembers the names of the messages, and has its answers prepared.
#[derive(Default)]
struct Double {
    seen: Mutex<Vec<String>>,
    answers: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl CallTo<Account> for Double {
    type Call<'a, R: Send + 'static> = Ready<Result<R, AskError>>;

    fn call<R: Send + 'static>(&self, msg: AccountMsg, _: fn(&mut AccountMsg, Reply<R>)) -> Self::Call<'_, R> {
        self.seen.lock().unwrap().push(format!("{msg:?}"));
        let prepared = self.answers.lock().unwrap().pop().and_then(|answer| answer.downcast::<R>().ok());
        ready(prepared.map(|answer| *answer).ok_or(AskError::NoReply { path: "double".to_owned() }))
    }
}

async fn pays(account: &impl AccountCalls) -> Result<bool, AskError> {
    account.deposit(1).await?;
    Ok(account.withdraw(99).await?.is_ok())
}

/// S64: code for any handle works with an actor and with a double.
#[tokio::test]
async fn a_double_stands_for_an_actor() {
    let bank = Bank::start().await.unwrap();
    assert!(!pays(&bank.account).await.unwrap());
    let double = Double::default();
    let paid: Result<u64, Overdrawn> = Ok(3);
    *double.answers.lock().unwrap() = vec![Box::new(paid), Box::new(7_u64)];
    assert!(pays(&double).await.unwrap());
    assert_eq!(*double.seen.lock().unwrap(), ["Account::deposit", "Account::withdraw"]);
    assert!(pays(&double).await.is_err(), "no answer is left");
}

/// S64: the forms of a method, and all that may stand beside messages.
mod shapes {
    use super::*;

    pub struct Shelf<K, V, const N: usize> {
        all: Vec<(K, V)>,
        ends: u32,
    }

    #[actor(msg = Order, calls = Shelving)]
    impl<K: Clone + PartialEq + Send + 'static, V: Send + 'static, const N: usize> Shelf<K, V, N> {
        /// Puts something on it.
        #[message]
        pub fn put(&mut self, key: K, value: V) -> Result<usize, V> {
            if self.all.len() == N {
                return Err(value);
            }
            self.all.push((key, value));
            Ok(self.all.len())
        }

        #[message]
        pub fn keys(&self, wanted: &[K]) -> Vec<K> {
            self.all.iter().map(|(key, _)| key.clone()).filter(|key| wanted.contains(key)).collect()
        }

        #[message(name = "count")]
        pub fn r#type(&self, (from, to): (usize, usize), _unused: &'static str) -> usize {
            self.all.len().clamp(from, to)
        }

        #[cfg(any())]
        #[message]
        pub fn missing(&self) -> Missing {}

        #[deprecated(note = "use `keys`")]
        #[message]
        pub fn old(&self) {}

        #[message]
        pub fn ends(&self) -> u32 {
            self.ends
        }

        /// Is answered by the next message, whose name is one of Rust.
        #[message]
        pub fn first(&mut self, reply: Reply<Option<(K, Vec<u8>)>>, cx: &mut Context<Self>) {
            cx.run(async { vec![1] }, |bytes| Order::r#in(bytes, reply));
        }

        #[message(name = "inside")]
        fn r#in(&mut self, bytes: Vec<u8>, reply: Reply<Option<(K, Vec<u8>)>>) {
            reply.send(self.all.first().map(|(key, _)| (key.clone(), bytes)));
        }

        #[message]
        pub fn watch(&mut self, other: &AnyRef, cx: &mut Context<Self>) {
            cx.watch(other);
        }

        #[terminated]
        fn ended(&mut self, _who: &Watched) {
            self.ends += 1;
        }

        #[post_stop]
        async fn close(&mut self) -> Result<(), Thrown> {
            Err("as planned")?
        }
    }

    use supervise::{AnyRef, ChildRef as _};

    supervisor! {
        struct Room {
            shelf: Shelf<String, u32, 2> = Shelf { all: Vec::new(), ends: 0 },
            other: Shelf<u8, u8, 0> = Shelf { all: Vec::new(), ends: 0 },
        }
    }

    /// S64: a generic actor, other names, a method with a name of Rust, a pattern, a condition, a hook that fails.
    #[tokio::test]
    async fn a_generic_actor_has_messages_beside_hooks() {
        let room = Room::start().await.unwrap();
        let mut events = room.events();
        assert_eq!(room.shelf.put("a".to_owned(), 1).await.unwrap(), Ok(1));
        assert_eq!(room.shelf.put("b".to_owned(), 2).await.unwrap(), Ok(2));
        assert_eq!(room.shelf.put("c".to_owned(), 3).await.unwrap(), Err(3));
        assert_eq!(room.shelf.keys(["b".to_owned(), "x".to_owned()]).await.unwrap(), ["b"]);
        assert_eq!(room.shelf.r#type((0, 1), "").await.unwrap(), 1);
        assert_eq!(room.shelf.first().await.unwrap(), Some(("a".to_owned(), vec![1])));
        assert_eq!(format!("{:?}", Order::<u8, u8, 0>::r#in(vec![], None)), "Shelf::inside");
        #[expect(deprecated)]
        room.shelf.old().await.unwrap();
        room.shelf.watch(room.other.any()).await.unwrap();
        room.other.stop();
        room.other.terminated().await.unwrap();
        settle().await;
        assert_eq!(room.shelf.ends().await.unwrap(), 1);
        assert_eq!(format!("{:?}", Order::<u8, u8, 0>::r#type((0, 1), "")), "Shelf::count");
        drop(events.try_next());
    }
}

/// S64: many callers of one actor on many threads: each gets its own answer, and nothing is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_on_many_threads_get_their_own_answers() {
    let bank = Bank::start().await.unwrap();
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let account = bank.savings.clone();
            tokio::spawn(async move {
                let mut sums = Vec::new();
                for _ in 0..500 {
                    sums.push(account.deposit(1).forever().await.unwrap());
                    account.deposit(0).forget().await.unwrap();
                }
                sums
            })
        })
        .collect();
    let mut all = Vec::new();
    for caller in callers {
        all.extend(caller.await.unwrap());
    }
    all.sort_unstable();
    assert_eq!(all, (101..=4_100).collect::<Vec<_>>());
}
