//! Requests to act.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use supervise::event::{Event, EventKind, Events, Operation};
use supervise_console::Console;

use crate::client::{Answer, ask, post, soon};
use crate::trees::{ACT, Plain, tree};

fn body(path: &str, operation: &str) -> Value {
    json!({ "path": path, "operation": operation, "confirm": path, "by": "alice" })
}

async fn next(events: &mut Events, is: impl Fn(&Event) -> bool) -> Event {
    soon(async {
        loop {
            match events.next().await {
                Some(event) if is(&event) => return event,
                Some(_) => {}
                None => panic!("the tree has ended"),
            }
        }
    })
    .await
}

#[tokio::test]
async fn each_operation_is_carried_out_and_names_who_asked() {
    let plain = Plain::start().await.unwrap();
    plain.sessions.spawn(7).await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let mut events = plain.events();
    for (path, word, operation, follows) in [
        ("db", "restart", Operation::Restart, "db #2 restarted"),
        ("db", "stop", Operation::Stop, "db #2 ended: stopped"),
        ("db", "start_again", Operation::StartAgain, "db #3 started"),
        ("db", "kill", Operation::Kill, "db #3 ended: killed"),
        ("parts", "restart", Operation::Restart, "parts #2 restarted"),
        ("sessions/7", "restart", Operation::Restart, "sessions/7 #2 restarted"),
    ] {
        let answer = ask(&router, post(Some(ACT), body(path, word))).await;
        assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({ "accepted": true })), "{word} {path}");
        let asked = next(&mut events, |event| matches!(event.kind, EventKind::Requested { .. })).await;
        assert_eq!(asked.path, path);
        match asked.kind {
            EventKind::Requested { operation: requested, by } => assert_eq!((requested, &*by), (operation, "alice")),
            other => panic!("{other:?}"),
        }
        next(&mut events, |event| event.to_string() == follows).await;
    }
}

#[tokio::test]
async fn a_refusal_says_why() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let refused = ask(&router, post(Some(ACT), body("db", "start_again"))).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.error().starts_with("db has not ended"), "{}", refused.body);
    let unknown = ask(&router, post(Some(ACT), body("cellar", "stop"))).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.error().contains("\"cellar\""), "{}", unknown.body);
    let root = ask(&router, post(Some(ACT), body("Plain", "restart"))).await;
    assert_eq!(root.status, StatusCode::CONFLICT, "{}", root.body);
    assert!(plain.is_alive());
}

#[tokio::test]
async fn a_wrong_body_does_nothing() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let mut events = plain.events();
    let with = |name: &str, value: Value| {
        let mut body = body("db", "stop");
        body[name] = value;
        body
    };
    for (body, error) in [
        (with("confirm", json!("db2")), "`confirm` is \"db2\"; to confirm, it repeats the path \"db\""),
        (
            with("operation", json!("pause")),
            "there is no operation \"pause\"; there are stop, restart, start_again, kill",
        ),
        (with("by", json!("eve\r\nadmin")), "the name in `by` contains control characters"),
        (with("by", json!("eve\u{1b}[2K")), "the name in `by` contains control characters"),
        (with("by", json!("e".repeat(65))), "the name in `by` has more than 64 characters"),
        (with("path", json!(["db"])), "the body is not {\"path\":"),
        (with("force", json!(true)), "the body is not {\"path\":"),
        (json!({ "path": "db", "operation": "stop" }), "the body is not {\"path\":"),
        (json!(null), "the body is not {\"path\":"),
    ] {
        let answer = ask(&router, post(Some(ACT), body)).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{error}");
        assert!(answer.error().starts_with(error), "{}", answer.body);
    }
    assert!(events.try_next().is_none(), "nothing has happened");
    assert!(plain.db.is_alive());
}

#[tokio::test]
async fn only_json_of_a_small_size_is_read() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let send = async |kind: Option<&str>, body: String| -> Answer {
        let mut request = Request::post("/control").header("host", "localhost");
        request = request.header("authorization", format!("Bearer {ACT}"));
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        ask(&router, request.body(Body::from(body)).unwrap()).await
    };
    let restart = body("db", "restart").to_string();
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonp")] {
        let answer = send(kind, restart.clone()).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind:?}");
    }
    let large = send(Some("application/json"), " ".repeat(8193)).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(plain.db.incarnation(), 1);
    let accepted = send(Some("Application/JSON; charset=utf-8"), restart).await;
    assert_eq!(accepted.status, StatusCode::OK);
}

/// A body that does not come is given up.
#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_given_up() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let never = futures_util::stream::pending::<Result<axum::body::Bytes, std::convert::Infallible>>();
    let mut request = post(Some(ACT), json!({}));
    *request.body_mut() = Body::from_stream(never);
    assert_eq!(ask(&router, request).await.status, StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn without_control_nothing_acts() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    for token in [None, Some(ACT)] {
        let answer = ask(&router, post(token, body("db", "stop"))).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert_eq!(answer.error(), "this console only shows the tree; `.allow_control(..)` lets it act");
    }
    assert!(plain.db.is_alive());
}

/// A request without a name is one of the console.
#[tokio::test]
async fn a_request_without_a_name_is_one_of_the_console() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let mut events = plain.events();
    let body = json!({ "path": "db", "operation": "restart", "confirm": "db" });
    assert_eq!(ask(&router, post(Some(ACT), body)).await.status, StatusCode::OK);
    let asked = next(&mut events, |event| matches!(event.kind, EventKind::Requested { .. })).await;
    assert_eq!(asked.to_string(), "db #1 restart requested by the console");
}
