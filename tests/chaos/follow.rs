//! S65, S5: actors that follow sources under chaos: no item is lost in silence, or counted twice.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskCx, Poll};

use futures_core::Stream;
use supervise::Followed;
use supervise::prelude::*;
use supervise::testing::chaos;
use tokio::time::Sleep;

use crate::{ms, quiet, seeds};

/// A number every few milliseconds, or at once.
struct Numbers {
    next: u32,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Stream for Numbers {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskCx<'_>) -> Poll<Option<u32>> {
        if let Some(pause) = &mut self.pause {
            std::task::ready!(pause.as_mut().poll(cx));
        }
        self.next += 1;
        self.pause = (!self.next.is_multiple_of(3)).then(|| Box::pin(tokio::time::sleep(ms(7))));
        Poll::Ready((self.next < 60).then_some(self.next))
    }
}

#[derive(Default)]
struct Reader {
    followed: Vec<Followed<Reader>>,
}

#[actor]
impl Reader {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        for _ in 0..2 {
            let numbers = Numbers { next: 0, pause: None };
            self.followed.push(cx.follow(numbers, ReaderMsg::read).ended(ReaderMsg::end));
        }
    }

    #[message]
    async fn read(&mut self, number: u32) -> Result<(), Thrown> {
        if number.is_multiple_of(5) {
            tokio::time::sleep(ms(3)).await;
        }
        if number == 50 { Err("planned")? } else { Ok(()) }
    }

    #[message]
    fn end(&mut self) {}

    #[message]
    fn cancel(&mut self) {
        self.followed.drain(..).for_each(|followed| followed.cancel());
    }

    #[message]
    async fn work(&mut self, number: u32) {
        tokio::time::sleep(ms(u64::from(number))).await;
    }
}

supervisor! {
    struct Desk {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[mailbox(Bounded(2))]
        narrow: Reader = Reader::default(),
        #[mailbox(fresh)]
        fresh: Reader = Reader::default(),
        #[lifecycle(Permanent, drain, shutdown = 100ms)]
        drains: Reader = Reader::default(),
        readers: [Reader] = || Reader::default(),
    }
}

#[test]
fn items_of_sources_are_counted_under_chaos() {
    quiet();
    chaos(Desk::tree)
        .seeds(seeds(10))
        .messages(async |desk: &Desk, random| {
            let number = random.below(12) as u32;
            for reader in [&desk.narrow, &desk.fresh, &desk.drains] {
                drop(reader.work(number).forget().await);
            }
            if number == 0 {
                drop(desk.fresh.cancel().forget().await);
            }
            if number == 1 {
                drop(desk.readers.spawn().await);
            }
        })
        .run();
}
