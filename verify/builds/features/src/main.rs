//! A build without features, with each alone, and with all: a tree recovers in each, and each feature works.

use std::fmt;

use supervise::prelude::*;

#[derive(Debug)]
enum Broken {
    Fuse,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fuse has blown")
    }
}

impl std::error::Error for Broken {}

struct Lamp;

enum Switch {
    Blow,
    Works(Reply<u32>),
}

#[actor]
impl Lamp {
    async fn handle(&mut self, msg: Switch, cx: &mut Context<Self>) -> Result<(), Broken> {
        match msg {
            Switch::Blow => Err(Broken::Fuse),
            Switch::Works(reply) => {
                reply.send(cx.incarnation());
                Ok(())
            }
        }
    }
}

supervisor! {
    struct House {
        #![decider(Broken::Fuse => Restart)]
        lamp: Lamp = Lamp,
        heating: task = |cx| heat(cx),
    }
}

#[cfg(not(feature = "tokio-util"))]
async fn heat(cx: TaskContext) {
    cx.stopped().await;
}

#[cfg(feature = "tokio-util")]
async fn heat(cx: TaskContext) {
    cx.token().cancelled_owned().await;
}

#[cfg(feature = "anyhow")]
mod boiler {
    use super::*;

    pub struct Boiler;

    #[actor]
    impl Boiler {
        fn handle(&mut self, pressure: u32) -> anyhow::Result<()> {
            anyhow::ensure!(pressure < 10, Broken::Fuse);
            Ok(())
        }
    }

    supervisor! {
        pub struct Cellar {
            // Only an error that was downcast is a `Broken`.
            #![decider(Broken::Fuse => Stop)]
            pub boiler: Boiler = Boiler,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tree = House::tree();
    let mut events = tree.events();
    let house = tree.start().await?;
    house.lamp.tell(Switch::Blow).await?;
    assert_eq!(house.lamp.ask(Switch::Works).await?, 2, "the tree has recovered");
    assert!(house.snapshot().render().contains("lamp"));

    #[cfg(feature = "testing")]
    {
        use supervise::testing::{Fault, Inject};
        house.lamp.inject(Fault::panic("a spider"));
        while house.lamp.incarnation() < 3 {
            tokio::task::yield_now().await;
        }
    }

    #[cfg(feature = "anyhow")]
    {
        let cellar = boiler::Cellar::start().await?;
        cellar.boiler.tell(20).await?;
        assert!(matches!(cellar.boiler.terminated().await?, Ended::Failed(_)), "the decider has stopped the child");
        cellar.shutdown().await;
    }

    #[cfg(feature = "metrics")]
    {
        let recorder = metrics_util::debugging::DebuggingRecorder::new();
        let snapshotter = recorder.snapshotter();
        recorder.install().map_err(|_| "the recorder is installed once")?;
        let metering = house.metrics();
        house.lamp.ask(Switch::Works).await?; // the actor follows at its next turn
        house.lamp.ask(Switch::Works).await?;
        supervise::metrics::sample();
        drop(metering);
        let found = snapshotter.snapshot().into_hashmap();
        let names: std::collections::BTreeSet<_> = found.keys().map(|key| key.key().name()).collect();
        for name in ["supervise.children", "supervise.mailbox.wait", "supervise.budget.remaining"] {
            assert!(names.contains(name), "{names:?}");
        }
    }

    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&house.snapshot())?;
        assert!(text.contains("\"lamp\""), "{text}");
    }

    // Compiled only: no signal is sent here.
    #[cfg(feature = "signal")]
    drop(House::run(supervise::signal()));

    // Outside of systemd nothing is sent.
    #[cfg(feature = "systemd")]
    assert!(House::tree().systemd().start().await?.shutdown().await.is_orderly());

    let report = house.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    let mut told = 0;
    while events.try_next().is_some() {
        told += 1;
    }
    assert!(told > 5, "{told} events");
    let features = [
        ("anyhow", cfg!(feature = "anyhow")),
        ("metrics", cfg!(feature = "metrics")),
        ("serde", cfg!(feature = "serde")),
        ("signal", cfg!(feature = "signal")),
        ("systemd", cfg!(feature = "systemd")),
        ("testing", cfg!(feature = "testing")),
        ("tokio-util", cfg!(feature = "tokio-util")),
    ];
    let on: Vec<_> = features.into_iter().filter_map(|(name, on)| on.then_some(name)).collect();
    println!("works with {on:?}");
    Ok(())
}
