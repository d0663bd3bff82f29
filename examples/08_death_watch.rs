//! Three reactions to the end of another actor.
//!
//! * The observer **watches**, and continues. It is notified of each end once, with the reason, even of a candle that
//!   was out before the observer watched it. It is not notified of a restart, since the handle stays valid.
//! * The moth has a **death pact** with the candle: it fails when the candle ends. A death pact is always explicit.
//! * The chandelier supervises two bulbs. When one fails it **ends both, and creates new ones later**. A restart would
//!   keep their mailboxes, but here the messages to the old bulbs are no longer useful.
//!
//! The rules are S37 (watch) and S18 (a Stop under AllForOne stops all).

use std::fmt::Display;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{bail, ensure};
use supervise::error::SpawnError;
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

supervisor! {
    struct House {
        #[lifecycle(Transient)]
        stump: Candle = Candle,

        #[lifecycle(Transient)]
        candle: Candle = Candle,

        moth: Moth = Moth { candle },
        observer: Observer = Observer { stump, candle, moth },
        chandelier: Chandelier = Chandelier { bulbs: Vec::new() },
    }
}

// ----- the candles

struct Candle;

#[derive(Debug, thiserror::Error)]
#[error("a draught")]
struct Draught;

#[actor]
impl Candle {
    #[pre_start]
    fn light(&mut self, cx: &mut Context<Self>) {
        cx.send_after(Duration::from_secs(3), CandleMsg::go_out());
    }

    #[message]
    fn draught(&mut self) -> Result<(), Thrown> {
        Err(Draught.into())
    }

    #[message]
    fn go_out(&mut self, cx: &mut Context<Self>) {
        cx.stop();
    }

    #[post_restart]
    fn lit_again(&mut self, failure: &Failure, cx: &mut Context<Self>) {
        say(format!("{} burns again, after: {}", cx.path(), failure.cause()));
    }
}

// ----- an actor that depends on another

struct Moth {
    candle: ActorRef<Candle>,
}

#[actor]
impl Moth {
    #[pre_start]
    fn circle(&mut self, cx: &mut Context<Self>) {
        cx.depend_on(&self.candle);
    }

    fn handle(&mut self, _: ()) {}
}

// ----- an actor that watches

struct Observer {
    stump: ActorRef<Candle>,
    candle: ActorRef<Candle>,
    moth: ActorRef<Moth>,
}

#[actor]
impl Observer {
    #[message]
    fn watch_all(&mut self, cx: &mut Context<Self>) {
        say("the observer watches stump, candle and moth");
        cx.watch(&self.stump);
        cx.watch(&self.candle);
        cx.watch(&self.moth);
    }

    #[terminated]
    fn hear(&mut self, who: &Watched, ended: &Ended) {
        say(format!("the observer learns that {} has ended: {ended}", who.path()));
    }
}

// ----- an actor that ends its children, and creates new ones

struct Chandelier {
    bulbs: Vec<ActorRef<Bulb>>,
}

#[actor]
impl Chandelier {
    #[pre_start]
    async fn light(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        for name in ["left", "right"] {
            let bulb = cx.spawn(child! { name: Bulb = Bulb }).await?;
            cx.watch(&bulb);
            self.bulbs.push(bulb);
        }
        say("the chandelier has two new bulbs");
        Ok(())
    }

    #[message]
    async fn light_again(&mut self, cx: &mut Context<Self>) -> Result<(), Thrown> {
        Ok(self.light(cx).await?)
    }

    #[message]
    fn bulbs(&self) -> Vec<ActorRef<Bulb>> {
        self.bulbs.clone()
    }

    #[terminated]
    fn out(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) {
        say(format!("the chandelier learns that {} has ended: {ended}", who.path()));
        self.bulbs.retain(|bulb| *who != *bulb);
        if self.bulbs.is_empty() {
            say("the chandelier is dark, and gets new bulbs in 10 s");
            cx.send_after(Duration::from_secs(10), ChandelierMsg::light_again());
        }
    }

    #[supervision]
    fn both_or_none(&self) -> SupervisorStrategy {
        strategy! { #![strategy(AllForOne)] #![decider(_ => Stop)] }
    }
}

struct Bulb;

#[derive(Debug, thiserror::Error)]
#[error("a surge")]
struct Surge;

#[actor]
impl Bulb {
    #[message]
    fn flash(&self, cx: &mut Context<Self>) {
        say(format!("{} flashes", cx.path()));
    }

    #[message]
    fn surge(&mut self) -> Result<(), Thrown> {
        Err(Surge.into())
    }
}

// ----- the house

/// Prints the text after the time since the first call.
fn say(what: impl Display) {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let at = BEGUN.get_or_init(Instant::now).elapsed().as_secs();
    println!("{at:3} s  {what}");
}

// A paused clock jumps to the next timer when no task can run: the times are exact, and no real time passes.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let house = House::start().await?;

    house.stump.go_out().forget().await?;
    house.stump.terminated().await?;
    say("stump is out, and no actor was watching it");
    house.observer.watch_all().forget().await?;

    sleep(Duration::from_secs(1)).await;
    say("main lets in a draught");
    house.candle.draught().forget().await?;
    let ended = house.moth.terminated().await?;
    let pact = ended.failure().is_some_and(|failure| matches!(failure.cause(), Cause::DeathPact(_)));
    ensure!(pact && house.candle.ended().is_some(), "the moth should end with the candle");

    sleep(Duration::from_secs(1)).await;
    let old = house.chandelier.bulbs().await?;
    say("main sends left a surge, and after it a flash");
    old[0].surge().forget().await?;
    old[0].flash().forget().await?;
    sleep(Duration::from_secs(11)).await;
    say(format!("dead letters: {}, the flash after the surge", house.dead_letters()));
    let new = house.chandelier.bulbs().await?;
    new[0].flash().forget().await?;
    sleep(Duration::from_secs(1)).await;
    let Err(error) = old[0].flash().forget().await else { bail!("the old bulb should be gone") };
    say(format!("main tries the old handle: {error}"));
    ensure!(house.dead_letters() == 1 && new.len() == 2 && old[0] != new[0], "the bulbs should be new");
    house.shutdown().await;
    Ok(())
}
