//! The tree of `--demo`: a bakery on a bad day. Children fail and back off, hold a thread, are slow, ask in a circle; a set
//! has customers with all kinds of names.

use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

use supervise::prelude::*;
use supervise_console::Address;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use crate::client::Secret;
use crate::shell::DEMO_THREAD;

/// The customers at the begin.
const CUSTOMERS: u32 = 500;

/// The time that the tree has to stop.
const PATIENCE: Duration = Duration::from_secs(2);

supervisor! {
    /// A bakery on a bad day.
    struct Bakery(served: Served) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]

        /// Declared first, so it stops last.
        #[lifecycle(Permanent, ready, shutdown = 1s)]
        console: task = |cx| console(cx, served.clone(), tree.clone()),

        /// The flour comes from far away, and often not at all.
        #[lifecycle(Permanent, shutdown = 1s)]
        #[backoff(4s..15s)]
        #[limit(max_restarts = 8, within = 10min)]
        #[decider(Delivery::Never => Stop, _ => Restart)]
        flour: Flour = Flour,

        /// Takes ten seconds for a cake, so its mailbox is often full.
        #[lifecycle(Permanent, shutdown = 1s)]
        #[mailbox(Bounded(8))]
        oven: Oven = Oven,

        /// Loses its temper at a large order.
        #[limit(max_restarts = 5, within = 1min, on_limit = Stop)]
        counter: Counter = Counter { orders: 0 },

        /// Asks the counter, and is asked back now and then.
        #[lifecycle(Permanent, shutdown = 1s)]
        #[mailbox(Bounded(64), ask = 6s)]
        till: Till = Till { counter: counter.clone() },

        /// Holds its thread now and then.
        #[lifecycle(Permanent, shutdown = 3s)]
        mixer: Mixer = Mixer,

        /// One book pulls the other down with it.
        books: struct Books {
            #![strategy(AllForOne, max_restarts = 20, within = 1min)]
            income: Book = Book,
            expenses: Book = Book,
        },

        shelves: [Shelf; 4] = |_index| Shelf,

        /// One for each customer.
        customers: [String => Customer] = |_name: String| Customer,

        /// Was replaced last year; somebody kills it.
        sundial: Book = Book,

        #[lifecycle(Permanent, shutdown = 2s)]
        street: task = |cx| street(
            cx, flour.clone(), oven.clone(), counter.clone(), till.clone(), mixer.clone(), books.income.clone(),
            shelves.to_vec(), customers.clone(), sundial.clone(),
        ),
    }
}

#[derive(Clone)]
struct Served {
    look: String,
    control: String,
    bound: mpsc::UnboundedSender<Address>,
}

async fn console(cx: TaskContext, served: Served, tree: TreeRef) -> Result<(), supervise_console::Error> {
    let local = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    supervise_console::serve(cx, local, tree)
        .token(served.look)
        .allow_control(served.control)
        .on_bound(move |address| _ = served.bound.send(address.clone()))
        .await
}

#[derive(Debug, thiserror::Error)]
enum Delivery {
    #[error("no flour has come today")]
    Late(#[source] io::Error),
    #[error("the mill has burnt down")]
    #[allow(dead_code, reason = "shows an arm that seldom answers")]
    Never,
}

struct Flour;

#[actor]
impl Flour {
    async fn handle(&mut self, order: u32) -> Result<(), Delivery> {
        sleep(Duration::from_millis(2)).await;
        match order % 300 {
            100 => Err(Delivery::Late(io::ErrorKind::ConnectionRefused.into())),
            _ => Ok(()),
        }
    }
}

struct Oven;

#[actor]
impl Oven {
    async fn handle(&mut self, cake: u32) {
        // A wedding cake takes longer than anybody would believe.
        let seconds = if cake.is_multiple_of(5) { 36 } else { 7 };
        sleep(Duration::from_secs(seconds)).await;
    }
}

struct Counter {
    orders: u32,
}

enum CounterMsg {
    Order,
    /// Asks the till back: a circle, if it comes from there.
    Total(ActorRef<Till>, Reply<u32>),
}

#[actor]
impl Counter {
    async fn handle(&mut self, msg: CounterMsg) {
        match msg {
            CounterMsg::Order => {
                self.orders += 1;
                assert!(self.orders < 900, "{} orders do not fit on the counter", self.orders);
            }
            CounterMsg::Total(till, reply) => {
                let discount = till.ask(TillMsg::Discount).within(Duration::from_secs(4)).await;
                reply.send(self.orders - discount.unwrap_or(0));
            }
        }
    }
}

struct Till {
    counter: ActorRef<Counter>,
}

enum TillMsg {
    Pay,
    PayTotal,
    Discount(Reply<u32>),
}

#[actor]
impl Till {
    async fn handle(&mut self, msg: TillMsg, cx: &mut Context<Self>) {
        match msg {
            TillMsg::Pay => sleep(Duration::from_millis(5)).await,
            TillMsg::PayTotal => {
                let own = cx.actor_ref();
                // The counter asks this actor, which waits for the counter.
                let _total = self.counter.ask(|reply| CounterMsg::Total(own, reply)).await;
            }
            TillMsg::Discount(reply) => reply.send(0),
        }
    }
}

struct Mixer;

#[actor]
impl Mixer {
    fn handle(&mut self, dough: u32) {
        if dough.is_multiple_of(120) {
            std::thread::sleep(Duration::from_millis(2500)); // instead of `spawn_blocking`
        }
    }
}

struct Book;

#[derive(Debug, thiserror::Error)]
#[error("the numbers of {0} do not add up")]
struct WrongSum(&'static str);

#[actor]
impl Book {
    fn handle(&mut self, page: u32) -> Result<(), WrongSum> {
        if page % 150 == 149 { Err(WrongSum("Monday")) } else { Ok(()) }
    }
}

struct Shelf;

#[actor]
impl Shelf {
    fn handle(&mut self, _loaf: u32) {}
}

struct Customer;

#[derive(Debug, thiserror::Error)]
#[error("the customer has left without a word")]
struct Offended;

#[actor]
impl Customer {
    fn handle(&mut self, word: u32) -> Result<(), Offended> {
        if word % 499 == 498 { Err(Offended) } else { Ok(()) }
    }
}

/// Returns the name of a customer.
fn name_of(number: u32) -> String {
    const NAMES: [&str; 10] = ["Ada", "Łukasz", "李雷", "Zoë", "Олена", "たろう", "Nuño", "Þóra", "Ömer", "Grace"];
    format!("{} {number}", NAMES[number as usize % NAMES.len()])
}

/// The customers, and all that they want: the same in every run.
#[expect(clippy::too_many_arguments, reason = "one for each part of the bakery")]
async fn street(
    cx: TaskContext,
    flour: ActorRef<Flour>,
    oven: ActorRef<Oven>,
    counter: ActorRef<Counter>,
    till: ActorRef<Till>,
    mixer: ActorRef<Mixer>,
    income: ActorRef<Book>,
    shelves: Vec<ActorRef<Shelf>>,
    customers: Keyed<String, Customer, ()>,
    sundial: ActorRef<Book>,
) {
    for number in 0..CUSTOMERS {
        if cx.is_stopped() {
            return;
        }
        let _ = customers.spawn(name_of(number)).await; // an error: there from before a restart
    }
    let mut tick = 0_u32;
    while !cx.is_stopped() {
        tick = tick.wrapping_add(1);
        // Nothing waits here: a mailbox that is full rejects.
        let _ = flour.try_tell(tick);
        for loaf in 0..tick / 50 % 7 {
            let _ = shelves[loaf as usize % shelves.len()].try_tell(loaf);
        }
        for _ in 0..tick % 3 {
            let _ = counter.try_tell(CounterMsg::Order);
        }
        let _ = till.try_tell(if tick % 600 == 150 { TillMsg::PayTotal } else { TillMsg::Pay });
        if tick.is_multiple_of(50) {
            let _ = oven.try_tell(tick / 50);
        }
        if tick.is_multiple_of(5) {
            let _ = mixer.try_tell(tick / 5);
            let _ = income.try_tell(tick / 5);
        }
        if let Some(customer) = customers.get(&name_of(tick.wrapping_mul(7919) % CUSTOMERS)) {
            let _ = customer.try_tell(tick);
        }
        if tick == 100 {
            sundial.kill();
        }
        if tick.is_multiple_of(400) {
            let _ = sundial.try_tell(0); // a dead letter
        }
        tokio::select! {
            () = sleep(Duration::from_millis(20)) => {}
            _ = cx.stopped() => {}
        }
    }
}

/// The running tree. Dropping it stops the tree.
#[derive(Debug)]
pub struct Demo {
    /// The address of its console.
    pub address: String,
    /// The token that allows to look at the tree.
    pub look: Secret,
    /// The token that allows to stop and restart children too.
    pub control: Secret,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Demo {
    /// Starts the tree on threads of its own, since a child of it holds its thread now and then.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses a thread or a port.
    pub fn start() -> Result<Demo, String> {
        // Others on this machine can reach the port, so they need a token, too.
        let token = || format!("{:032x}", rand::random::<u128>());
        let (look, control) = (token(), token());
        let (bound, mut address) = mpsc::unbounded_channel();
        let served = Served { look: look.clone(), control: control.clone(), bound };
        let (stop, stopped) = oneshot::channel::<()>();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).thread_name(DEMO_THREAD).enable_all().build();
        let runtime = runtime.map_err(|error| format!("the demo cannot start: {error}"))?;
        let run = move || {
            let ran = runtime.block_on(async {
                let until = async { _ = stopped.await };
                Bakery::run(served, until).await.map(|_| ())
            });
            if let Err(error) = ran {
                eprintln!("the demo has ended: {error}");
            }
            runtime.shutdown_timeout(PATIENCE);
        };
        let thread = std::thread::Builder::new().name(DEMO_THREAD.to_owned()).spawn(run);
        let thread = thread.map_err(|error| format!("the demo cannot start: {error}"))?;
        let address = address.blocking_recv().ok_or("the demo has ended before it began")?.to_string();
        let secret = |token: &str| Secret::new(token);
        Ok(Demo { address, look: secret(&look)?, control: secret(&control)?, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.stop.take(); // dropping it stops the tree
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // an error: it has panicked, and is gone
        }
    }
}
