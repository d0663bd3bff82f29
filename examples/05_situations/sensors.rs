//! Stop: a sensor that fails is left out of the report.

use anyhow::ensure;
use supervise::error::AskError;
use supervise::prelude::*;

/// Builds the report from the answers of the sensors below it.
struct Station {
    sensors: Vec<ActorRef<Sensor>>,
}

#[actor]
impl Station {
    #[pre_start]
    async fn mount(&mut self, cx: &mut Context<Self>) -> anyhow::Result<()> {
        for (place, degrees) in [("roof", Some(11)), ("pole", None), ("cellar", Some(8))] {
            self.sensors.push(cx.spawn(child! { place: Sensor = Sensor { degrees } }).await?);
        }
        Ok(())
    }

    #[message]
    async fn report(&mut self) -> Vec<(String, Result<i32, AskError>)> {
        let mut lines = Vec::new();
        for sensor in &self.sensors {
            lines.push((sensor.path(), sensor.read().await));
        }
        lines
    }

    /// OneForOne, with Stop for every failure.
    #[supervision]
    fn sensors(&self) -> SupervisorStrategy {
        SupervisorStrategy::STOPPING
    }
}

struct Sensor {
    degrees: Option<i32>,
}

#[derive(Debug, thiserror::Error)]
#[error("the sensor is broken")]
struct Broken;

#[actor]
impl Sensor {
    #[message]
    fn read(&self) -> Result<i32, Thrown> {
        Ok(self.degrees.ok_or(Broken)?)
    }
}

supervisor! {
    struct Weather {
        station: Station = Station { sensors: Vec::new() },
    }
}

pub(crate) async fn run() -> anyhow::Result<()> {
    println!("Sensors: a sensor that fails is stopped, and left out of the report");
    let weather = Weather::start().await?;
    for report in ["first", "second"] {
        println!("  {report} report:");
        let lines = weather.station.report().await?;
        for (sensor, line) in &lines {
            match line {
                Ok(degrees) => println!("    {sensor}: {degrees}°"),
                // The error arrives at once, whether the sensor fails at this question or has failed before.
                Err(error) => println!("    {sensor}: left out, {error}"),
            }
        }
        let read: Vec<_> = lines.iter().filter_map(|(_, line)| line.clone().ok()).collect();
        ensure!(read == [11, 8], "the report should leave out the pole");
    }
    weather.shutdown().await;
    Ok(())
}
