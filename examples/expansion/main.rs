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

use supervise::spec::Render;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Declaration and expansion have the same drawings.
    assert_eq!(small::Clock::SPEC.render(), small_expanded::Clock::SPEC.render());
    assert_eq!(house::House::SPEC.render(), house_expanded::House::SPEC.render());
    println!("{}\n{}", small_expanded::Clock::SPEC.render(), house_expanded::House::SPEC.render());

    // The tree of the macro works.
    let clock = small::Clock::start(5).await?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(clock.counter.ask(small::Count::Get).await? > 5);
    assert!(clock.shutdown().await.is_orderly());

    // The tree of the expansion works, too.
    let clock = small_expanded::Clock::start(5).await?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    println!("counted {}", clock.counter.ask(small_expanded::Count::Get).await? > 5);
    assert!(clock.shutdown().await.is_orderly());

    for broken in [0, 1] {
        let by_macro = house::House::start(broken).await.map_err(|failure| failure.to_string());
        let by_expansion = house_expanded::House::start(broken).await.map_err(|failure| failure.to_string());
        match (by_macro, by_expansion) {
            (Ok(by_macro), Ok(by_expansion)) => {
                by_macro.garden.gate.tell(false).await?;
                by_expansion.garden.gate.tell(false).await?;
                while by_macro.garden.gate.incarnation() < 2 || by_expansion.garden.gate.incarnation() < 2 {
                    tokio::task::yield_now().await;
                }
                by_macro.rooms.spawn(1).await?;
                by_expansion.rooms.spawn(1).await?;
                println!("both are up, and have recovered");
                by_macro.shutdown().await;
                by_expansion.shutdown().await;
            }
            (by_macro, by_expansion) => {
                let (by_macro, by_expansion) = (by_macro.err(), by_expansion.err());
                assert_eq!(by_macro, by_expansion);
                println!("neither comes up: {}", by_expansion.unwrap_or_default());
            }
        }
    }
    Ok(())
}
