//! The configuration of supervision in the Akka of 2009, and the same declared here, line by line.
//!
//! Akka offered two ways: a `SupervisorFactory` for actors, and an `ActiveObjectManager` for objects, whose methods it
//! intercepted and sent as messages. Here a method that is marked as a message is called on the handle, in both trees.
//! The Akka code is in the comments on the right. Look at three things:
//!
//! * hooks around a restart are marked on methods (`MyActor1`), or named in the tree (`pojo`);
//! * the program never looks up an instance: `manager.foo` is a handle with a type;
//! * the handles are cloned before the failures, and used after them.

#![allow(clippy::disallowed_names)] // `foo` and `bar` are the names in the Akka code of 2009

use anyhow::ensure;
use supervise::prelude::*;

supervisor! {
    struct Factory(config: u64) {                                  // object factory extends SupervisorFactory
        #![strategy(AllForOne, max_restarts = 3, within = 100ms)]  // RestartStrategy(AllForOne, 3, 100)

        #[lifecycle(Permanent, shutdown = 100ms)]                  //   LifeCycle(Permanent, 100)
        my_actor_1: MyActor1 = MyActor1 { count: config },         // Supervise(new MyActor1, ..); Init(config)

        #[lifecycle(Permanent, shutdown = 100ms)]                  //   LifeCycle(Permanent, 100)
        my_actor_2: MyActor2 = MyActor2 { other: my_actor_1 },     // Supervise(new MyActor2, ..)
    }

    struct Manager {                                               // new ActiveObjectManager().configure(..)
        #![strategy(AllForOne, max_restarts = 3, within = 1000ms)] // new RestartStrategy(new AllForOne(), 3, 1000)

        #[lifecycle(Permanent, shutdown = 1000ms)]                 //   new LifeCycle(new Permanent(), 1000)
        #[mailbox(ask = 1000ms)]                                   //   1000: the timeout of a call
        foo: Foo = Foo { calls: 0 },                               // new Component(Foo.class, ..)

        #[lifecycle(Permanent, shutdown = 1000ms)]                 //   new LifeCycle(new Permanent(), 1000)
        #[mailbox(ask = 1000ms)]                                   //   1000
        bar: BarImpl = BarImpl { foo },                            // new Component(Bar.class, BarImpl.class, ..)

        #[lifecycle(Permanent, shutdown = 1000ms)]                 //   new LifeCycle(new Permanent(), 1000)
        #[mailbox(ask = 10000ms)]                                  //   10000
        #[pre_restart(Pojo::clean_up)]                             //   new RestartCallbacks("preRestart",
        #[post_restart(Pojo::reinit)]                              //       "postRestart")
        pojo: Pojo = Pojo { open_files: 2 },                       // new Component(POJO.class, ..)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a number")]
struct NoNumber(String);

// ----- the actors of the factory

struct MyActor1 {
    count: u64,
}

#[actor]
impl MyActor1 {
    // The error is neither caught here nor sent back: the actor fails, and its supervisor decides.
    #[message]
    fn add(&mut self, number: &str) -> Result<(), Thrown> {
        self.count += number.parse::<u64>().map_err(|_| NoNumber(number.to_owned()))?;
        Ok(())
    }

    #[message]
    fn count(&self) -> u64 {
        self.count
    }

    // preRestart(reason, config): the hook needs no config, since the actor was created from it.
    #[pre_restart]
    fn save(&mut self, reason: &Failure) {
        println!("  my_actor_1, before its restart: the count of {} is lost, since {}", self.count, reason.cause());
    }

    #[post_restart]
    fn begin_again(&mut self) {
        println!("  my_actor_1, after its restart: I count from {} again", self.count);
    }
}

struct MyActor2 {
    other: ActorRef<MyActor1>,
}

#[actor]
impl MyActor2 {
    #[message]
    async fn twice(&mut self) -> Result<u64, Thrown> {
        Ok(2 * self.other.count().await?)
    }

    #[pre_restart]
    fn save(&mut self, reason: &Failure) {
        println!("  my_actor_2, before its restart: I restart too, since {} has failed", reason.path());
    }
}

// ----- the objects of the manager: each method becomes a message

struct Foo {
    calls: u32,
}

#[actor]
impl Foo {
    #[message]
    fn count_call(&mut self) -> u32 {
        self.calls += 1;
        self.calls
    }
}

struct BarImpl {
    foo: ActorRef<Foo>,
}

#[actor(calls = Bar)] // Bar.class: the trait of the handles is the interface
impl BarImpl {
    #[message]
    async fn call_foo(&mut self) -> Result<u32, Thrown> {
        Ok(self.foo.count_call().await?)
    }
}

struct Pojo {
    open_files: u32,
}

#[actor]
impl Pojo {
    #[message]
    fn open(&mut self, number: &str) -> Result<(), Thrown> {
        self.open_files += number.parse::<u32>().map_err(|_| NoNumber(number.to_owned()))?;
        Ok(())
    }

    // Ordinary methods, which are called because the tree names them. A misspelled name does not compile.
    fn clean_up(&mut self) {
        println!("  pojo, in the hook preRestart: I close my {} files", self.open_files);
    }

    fn reinit(&mut self) {
        println!("  pojo, in the hook postRestart: I have opened {} files again", self.open_files);
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    println!("SupervisorFactory: two actors; if one fails, both restart, at most 3 times within 100 ms");
    let factory = Factory::tree(100); //             factory.newSupervisor
    let supervisor = factory.start().await?; //      supervisor.startSupervisor
    let one = supervisor.my_actor_1.clone();
    let two = supervisor.my_actor_2.clone();
    one.add("5").forget().await?;
    println!("  my_actor_1 begins at 100; main tells it to add \"5\", and asks both");
    println!("  my_actor_1 is at {}", one.count().await?);
    println!("  my_actor_2 asks my_actor_1, and answers that twice the count is {}", two.twice().await?);

    println!("  main tells my_actor_1 to add \"five\"");
    one.add("five").forget().await?;
    let (once, twice) = (one.count().await?, two.twice().await?);
    println!("  main asks both, through the same handles as before: {once} and {twice}");
    println!("  the handles are the same, and each leads to a new instance, incarnation {}", one.incarnation());
    ensure!((once, twice) == (100, 200), "both should start again with their first values");
    ensure!((one.incarnation(), two.incarnation()) == (2, 2), "AllForOne should restart both");

    println!("  main sends the same message three more times, within the 100 ms");
    for _ in 0..3 {
        one.add("five").forget().await?;
        let _ = two.twice().await; // waits until it is up again, or has ended
    }
    let report = supervisor.join().await;
    let Ended::Limit(failure) = report.ended else { anyhow::bail!("the limit should end the supervisor") };
    println!("  the fourth failure exceeds the limit, and the supervisor itself fails: {}", failure.cause());

    println!("ActiveObjectManager: three objects; if one fails, all restart, at most 3 times within 1000 ms");
    let manager = Manager::start().await?; //        manager.configure(..).supervise()
    let foo: ActorRef<Foo> = manager.foo.clone(); // Foo foo = manager.getInstance(Foo.class)
    foo.count_call().await?; //                       foo.countCall()
    println!(
        "  main has called foo once; bar calls foo too, and answers that this was call {}",
        manager.bar.call_foo().await?
    );

    println!("  main tells pojo to open \"many\" files");
    manager.pojo.open("many").forget().await?;
    let calls = manager.bar.call_foo().await?;
    println!("  main asks bar again: this was call {calls} of a new foo, through the handle that bar has always had");
    ensure!(
        calls == 1 && foo.incarnation() == 2 && foo == manager.foo,
        "the handle of foo should lead to a new instance"
    );
    manager.shutdown().await;
    Ok(())
}
