//! Supervision that is set up at run time: the `link`, `unlink`, `spawnLink` and `trapExit` of the Akka of 2009. This
//! example declares no tree.
//!
//! | 2009 | here |
//! |---|---|
//! | `spawn(classOf[Printer])` | `supervise::spawn(child! { "laser": Printer = .. })` |
//! | `link(laser)`, `unlink(laser)` | `cx.link(&laser)`, `cx.unlink(&laser)` |
//! | `spawnLink(classOf[Printer])` | `cx.spawn(child! { "inkjet": Printer = .. })` |
//! | `faultHandler = Some(OneForOneStrategy(3, 10000))` | the method marked `#[supervision]` |
//! | `trapExit = true` and `Exit(dead, cause)` | `cx.watch(&laser)` and the method marked `#[terminated]` |
//!
//! In 2009 a link did two things: the actor that trapped an exit also restarted the failed actor. Here these are
//! separate. Look at the same failure, `Smoke`, before and after the link: the current supervisor decides. And look at
//! the desk, which supervises no actor and is only notified of ends. The rules are S8, S37 and S38.

use anyhow::ensure;
use supervise::error::{LinkError, SpawnError};
use supervise::prelude::*;

// ----- a printer, which fails on request

#[derive(Default)]
struct Printer {
    pages: u32,
}

#[derive(Debug, Clone, Copy, thiserror::Error)]
enum Trouble {
    #[error("the paper is jammed")]
    Jam,
    #[error("smoke comes out of it")]
    Smoke,
}

#[actor]
impl Printer {
    #[message]
    fn print(&mut self) {
        self.pages += 1;
    }

    #[message]
    fn suffer(&mut self, trouble: Trouble) -> Result<(), Thrown> {
        Err(trouble.into())
    }

    #[message]
    fn pages(&self) -> u32 {
        self.pages
    }

    #[post_restart]
    fn restarted(&mut self, failure: &Failure, cx: &mut Context<Self>) {
        println!("  {} is up again as incarnation {}, after: {}", cx.path(), cx.incarnation(), failure.cause());
    }

    #[post_stop]
    fn stopped(&mut self, cx: &mut Context<Self>) {
        println!("  {} goes down; it was incarnation {}, pages printed: {}", cx.path(), cx.incarnation(), self.pages);
    }
}

// ----- the room, which supervises the printers that it has at the moment

struct Room;

#[actor]
impl Room {
    #[message]
    async fn take_over(&mut self, printer: ActorRef<Printer>, cx: &mut Context<Self>) -> Result<(), LinkError> {
        cx.link(&printer).await
    }

    #[message]
    async fn release(&mut self, printer: ActorRef<Printer>, cx: &mut Context<Self>) -> Result<(), LinkError> {
        cx.unlink(&printer).await
    }

    #[message]
    async fn set_up(&mut self, name: &'static str, cx: &mut Context<Self>) -> Result<ActorRef<Printer>, SpawnError> {
        cx.spawn(child! { name: Printer = Printer::default() }).await
    }

    /// The fault handler, which applies to each printer from the moment that the printer is linked.
    #[supervision]
    fn fault_handler(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne, max_restarts = 3, within = 10s)]
            #![decider(Trouble::Jam => Restart, Trouble::Smoke => Stop)]
        }
    }
}

// ----- the desk, which traps exits

struct Desk;

#[actor]
impl Desk {
    #[message]
    fn observe(&mut self, printer: ActorRef<Printer>, cx: &mut Context<Self>) {
        cx.watch(&printer);
    }

    #[terminated]
    fn exit(&mut self, dead: &Watched, cause: &Ended) {
        println!("  the desk is notified of the exit of {}: {cause}", dead.path());
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let room = spawn(child! { "room": Room = Room }).await?;
    let desk = spawn(child! { "desk": Desk = Desk }).await?;

    println!("spawn: laser has no supervisor, so the default decides, which restarts after each failure");
    let laser = spawn(child! { "laser": Printer = Printer::default() }).await?;
    desk.observe(laser.clone()).await?;
    laser.print().forget().await?;
    println!("  main makes laser smoke");
    laser.suffer(Trouble::Smoke).forget().await?;
    laser.print().forget().await?;
    println!("  laser works: pages printed: {}", laser.pages().await?);

    println!("link: the room takes laser over and decides from now on: a jam restarts laser, smoke ends it");
    room.take_over(laser.clone()).await??;
    println!("  laser continues as incarnation {}, pages printed: {}", laser.incarnation(), laser.pages().await?);
    ensure!(laser.incarnation() == 2, "a link should not restart the printer");
    println!("  main jams laser");
    laser.suffer(Trouble::Jam).forget().await?;
    laser.pages().await?;
    println!("  main makes laser smoke");
    laser.suffer(Trouble::Smoke).forget().await?;
    let ended = laser.terminated().await?;
    ensure!(matches!(ended, Ended::Failed(_)), "the room should stop a printer that smokes");

    println!("spawnLink: the room spawns two printers");
    let plotter = room.set_up("plotter").await??;
    let inkjet = room.set_up("inkjet").await??;
    println!("  they are {} and {}", plotter.path(), inkjet.path());
    let second = room.take_over(inkjet.clone()).await?;
    let Err(error) = second else { anyhow::bail!("an actor should have at most one supervisor") };
    println!("  main asks the room to link inkjet again, which is an error:");
    println!("    {error}");

    println!("unlink: the room releases plotter");
    for printer in [&plotter, &inkjet] {
        desk.observe(printer.clone()).await?;
    }
    room.release(plotter.clone()).await??;
    println!("  main stops the room");
    room.stop();
    room.terminated().await?;
    plotter.print().forget().await?;
    println!("  plotter continues without the room, pages printed: {}", plotter.pages().await?);
    ensure!(inkjet.ended().is_some() && plotter.ended().is_none(), "only the linked printer should end");
    Ok(())
}
