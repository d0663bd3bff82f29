//! AllForOne: two results that do not fit together are worth nothing.

use anyhow::ensure;
use supervise::prelude::*;

supervisor! {
    struct Alone(list: Vec<u32>) {
        #![strategy(OneForOne)]
        low: Low = Low { list, pivot: 0 },
        high: High = High::new(list, low.pivot().await?),
    }

    struct Together(list: Vec<u32>) {
        #![strategy(AllForOne)]
        low: Low = Low { list, pivot: 0 },
        high: High = High::new(list, low.pivot().await?),
    }
}

/// Sorts the numbers below the pivot, and chooses another pivot at each attempt.
struct Low {
    list: Vec<u32>,
    pivot: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("bad luck with the pivot")]
struct BadLuck;

#[actor]
impl Low {
    #[pre_start]
    fn choose(&mut self, cx: &mut Context<Self>) {
        self.pivot = self.list[cx.incarnation() as usize - 1];
    }

    #[message]
    fn pivot(&self) -> u32 {
        self.pivot
    }

    #[message]
    fn sorted(&mut self) -> Vec<u32> {
        self.list.retain(|number| *number < self.pivot);
        self.list.sort();
        self.list.clone()
    }

    #[message]
    fn fail(&mut self) -> Result<(), Thrown> {
        Err(BadLuck.into())
    }
}

/// Sorts the rest: the numbers that are not below the pivot at its start.
struct High {
    list: Vec<u32>,
}

#[actor]
impl High {
    fn new(mut list: Vec<u32>, pivot: u32) -> High {
        list.retain(|number| *number >= pivot);
        list.sort();
        High { list }
    }

    #[message]
    fn rest(&self) -> Vec<u32> {
        self.list.clone()
    }
}

pub(crate) async fn run() -> anyhow::Result<()> {
    let list = vec![5, 3, 8, 1, 9, 2];
    println!("Sort: low sorts the numbers of {list:?} below a pivot, high sorts the rest");
    println!("  low fails at pivot {}, and tries again with pivot {}", list[0], list[1]);
    let (alone, together) = (Alone::start(list.clone()).await?, Together::start(list).await?);
    let flawed = fail_and_merge(&alone.low, &alone.high).await?;
    println!("  OneForOne: {flawed:?}, a number is lost, because high still uses the first pivot");
    let whole = fail_and_merge(&together.low, &together.high).await?;
    println!("  AllForOne: {whole:?}, high was restarted too, and uses the second pivot");
    ensure!(flawed == [1, 2, 5, 8, 9] && whole == [1, 2, 3, 5, 8, 9], "only the second list should be complete");
    tokio::join!(alone.shutdown(), together.shutdown());
    Ok(())
}

async fn fail_and_merge(low: &ActorRef<Low>, high: &ActorRef<High>) -> anyhow::Result<Vec<u32>> {
    low.fail().forget().await?;
    let mut sorted = low.sorted().await?;
    sorted.extend(high.rest().await?);
    Ok(sorted)
}
