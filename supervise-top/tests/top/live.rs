//! The whole program against a real console.

use std::time::Duration;

use supervise_top::client::Client;
use supervise_top::demo::Demo;

/// Writes the recording for the tests of the model: `cargo test -p supervise-top --test top -- --ignored record`.
#[test]
#[ignore = "writes a file"]
fn record() {
    let demo = Demo::start().unwrap();
    let client = Client::new(demo.address.parse().unwrap(), Some(demo.look.clone()), None);
    let seq = |data: &str| serde_json::from_str::<serde_json::Value>(data).unwrap()["seq"].as_u64();
    let text = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut stream = client.live().await.unwrap();
        let begun = tokio::time::Instant::now();
        let mut all = Vec::new();
        while begun.elapsed() < Duration::from_secs(10) {
            all.extend(stream.next().await.unwrap().unwrap());
        }
        let last = client.live().await.unwrap().next().await.unwrap().unwrap().remove(0);
        let until = seq(&last.data).unwrap();
        while all.iter().filter_map(|told| seq(&told.data)).max().unwrap() < until {
            all.extend(stream.next().await.unwrap().unwrap());
        }
        all.retain(|told| seq(&told.data).is_none_or(|seq| seq <= until));
        all.push(last);
        all.iter().map(|told| format!("event: {}\ndata: {}\n\n", told.kind, told.data)).collect::<String>()
    });
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/bakery.sse"), text).unwrap();
}
