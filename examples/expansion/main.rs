//! The output of `supervisor!`, item by item: `small.rs` and `house.rs` are declarations, `small_expanded.rs` and
//! `house_expanded.rs` are their expansions, with comments that explain each item. All four are compiled and run here.
//!
//! cargo run --example expansion

// Generated code does not follow the lints of the place where it is pasted.
#![allow(unreachable_pub, unused_qualifications, clippy::all, clippy::non_minimal_cfg)]

mod house;
#[rustfmt::skip]
mod house_expanded;
mod small;
#[rustfmt::skip]
mod small_expanded;

use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The same declaration,
    assert_eq!(small::Clock::SPEC.render(), small_expanded::Clock::SPEC.render());
    assert_eq!(house::House::SPEC.render(), house_expanded::House::SPEC.render());
    println!("{}\n{}", small_expanded::Clock::SPEC.render(), house_expanded::House::SPEC.render());

    // and the same tree, by the macro
    let clock = small::Clock::start(5).await?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(clock.counter.ask(small::Count::Get).await? > 5);
    assert!(clock.shutdown().await.is_orderly());

    // and by the expansion.
    let clock = small_expanded::Clock::start(5).await?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    println!("counted {}", clock.counter.ask(small_expanded::Count::Get).await? > 5);
    assert!(clock.shutdown().await.is_orderly());

    for broken in [0, 1] {
        let by_macro = house::House::start(broken).await.map_err(|failure| failure.to_string());
        let by_hand = house_expanded::House::start(broken).await.map_err(|failure| failure.to_string());
        match (by_macro, by_hand) {
            (Ok(by_macro), Ok(by_hand)) => {
                by_macro.garden.gate.tell(false).await?;
                by_hand.garden.gate.tell(false).await?;
                while by_macro.garden.gate.incarnation() < 2 || by_hand.garden.gate.incarnation() < 2 {
                    tokio::task::yield_now().await;
                }
                by_macro.rooms.spawn(1).await?;
                by_hand.rooms.spawn(1).await?;
                println!("both are up, and have healed");
                by_macro.shutdown().await;
                by_hand.shutdown().await;
            }
            (by_macro, by_hand) => {
                let (by_macro, by_hand) = (by_macro.err(), by_hand.err());
                assert_eq!(by_macro, by_hand);
                println!("neither comes up: {}", by_hand.unwrap_or_default());
            }
        }
    }
    Ok(())
}
