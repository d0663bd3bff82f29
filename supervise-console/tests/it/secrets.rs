//! A token is never in a log.

use std::io;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::json;
use supervise_console::Token;
use tracing::subscriber::set_global_default;
use tracing_subscriber::fmt::MakeWriter;

use crate::client::{Viewer, ask_at, get, post};
use crate::trees::{ACT, LOOK, Open};

/// Everything that was logged.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Captured {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// A session with right and wrong tokens, at the level TRACE, with all crates below.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_never_in_a_log() {
    let captured = Captured::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(captured.clone());
    set_global_default(subscriber.finish()).expect("no other test of this program sets it");

    let wrong = "wrong-token-0123456789";
    let open = Open::new(|serve| serve.token(LOOK).allow_control(ACT)).await;
    let at = open.address();
    let with = |token: &str, path: &str| {
        get(path).header("authorization", format!("Bearer {token}")).body(Body::empty()).unwrap()
    };
    assert_eq!(ask_at(at, with(LOOK, "/tree.json")).await.status, StatusCode::OK);
    assert_eq!(ask_at(at, with(wrong, "/tree.json")).await.status, StatusCode::UNAUTHORIZED);
    let restart = json!({ "path": "db", "operation": "restart", "confirm": "db" });
    assert_eq!(ask_at(at, post(Some(ACT), restart.clone())).await.status, StatusCode::OK);
    assert_eq!(ask_at(at, post(Some(wrong), restart)).await.status, StatusCode::FORBIDDEN);
    let mut viewer = Viewer::with(at, Some(LOOK)).await;
    viewer.next().await.unwrap();
    // A token in the address, by mistake of a client.
    assert_eq!(ask_at(at, with(wrong, &format!("/tree.json?token={LOOK}"))).await.status, StatusCode::UNAUTHORIZED);
    open.shop.console.restart().unwrap();
    while viewer.next().await.is_some() {}
    open.shop.shutdown().await;

    let log = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("the console listens") && log.contains("requested"), "{log}");
    for secret in [LOOK, ACT, wrong] {
        assert!(!log.contains(secret), "{log}");
    }
    // Nor in what a program could log of its own.
    let shown = format!("{:?} {:?}", Token::new(LOOK).unwrap(), Token::new("short").unwrap_err());
    assert!(!shown.contains(LOOK) && !shown.contains("\"short\""), "{shown}");
}
