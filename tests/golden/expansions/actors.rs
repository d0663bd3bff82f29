struct Counter(u64);

#[actor]
impl Counter {
    fn handle(&mut self, (add, cx): (u64, u8)) -> Result<(), Error> {
        Ok(())
    }

    #[pre_start]
    async fn open(&mut self, cx: &mut Context<Self>) {}

    #[post_stop]
    fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[supervision]
    fn children(&self) -> SupervisorStrategy {
        strategy! { #![strategy(OneForOne, max_restarts = 3, within = 1min, budget = Shared)] }
    }
}

#[derive(Actor)]
#[actor(msg = String, error = io::Error)]
#[pre_start(open)]
#[terminated(hears)]
struct Log {
    lines: Vec<String>,
}

fn cautious() -> Decider {
    decider! {
        DbError::Timeout { .. } => Restart,
        e: io::Error => Stop,
        _ => Escalate,
    }
}
