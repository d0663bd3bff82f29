use supervise::prelude::*;

/// Counts what comes in.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    pub ticks: u64,
    pub last_tick: String,
    pub jobs: u64,
}

#[actor]
impl Journal {
    /// Takes a line of the process.
    #[message]
    pub fn tick(&mut self, line: String) {
        self.ticks += 1;
        self.last_tick = line;
    }

    /// Takes the result of a job.
    #[message]
    pub fn computed(&mut self, sum: u64) {
        self.jobs += 1;
        tracing::debug!(sum, "computed");
    }

    #[message]
    pub fn counts(&self) -> Journal {
        self.clone()
    }
}
