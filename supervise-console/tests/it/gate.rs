//! Permission to look, and to act.

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use serde_json::json;
use supervise_console::{Console, Error, Token};
use tokio::time::Instant;

use crate::client::{Answer, ask, ask_from, ask_get, get, post};
use crate::trees::{ACT, LOOK, Plain, tree};

const LOOKS: [&str; 5] = ["/tree.json", "/set.json?path=sessions", "/detail.json?path=db", "/events.ndjson", "/live"];

fn with(token: &str, path: &str) -> axum::http::Request<Body> {
    get(path).header("authorization", format!("Bearer {token}")).body(Body::empty()).unwrap()
}

/// Returns the status of an answer, without its body: a stream has no end.
async fn status(router: &Router, request: axum::http::Request<Body>) -> StatusCode {
    use tower::ServiceExt;
    router.clone().oneshot(request).await.unwrap().status()
}

#[tokio::test(start_paused = true)]
async fn the_token_matrix() {
    let plain = Plain::start().await.unwrap();
    let console = || Console::new(tree(&plain));
    let restart = || json!({ "path": "db", "operation": "restart", "confirm": "db" });
    let wrong = "wrong-0123456789abcdef";
    let only_look = console().token(LOOK).router().unwrap();
    let both = console().token(LOOK).allow_control(ACT).router().unwrap();
    let only_act = console().authenticated_by_server().allow_control(ACT).router().unwrap();
    let none = console().authenticated_by_server().router().unwrap();
    use StatusCode as S;
    for (name, router, token, look, act) in [
        ("none", &none, None, S::OK, S::NOT_FOUND),
        ("none", &none, Some(wrong), S::OK, S::NOT_FOUND),
        ("look", &only_look, None, S::UNAUTHORIZED, S::NOT_FOUND),
        ("look", &only_look, Some(wrong), S::UNAUTHORIZED, S::NOT_FOUND),
        ("look", &only_look, Some(LOOK), S::OK, S::NOT_FOUND),
        ("look", &only_look, Some(ACT), S::UNAUTHORIZED, S::NOT_FOUND),
        ("act", &only_act, None, S::OK, S::UNAUTHORIZED),
        ("act", &only_act, Some(wrong), S::OK, S::FORBIDDEN),
        ("act", &only_act, Some(ACT), S::OK, S::OK),
        ("both", &both, None, S::UNAUTHORIZED, S::UNAUTHORIZED),
        ("both", &both, Some(wrong), S::UNAUTHORIZED, S::FORBIDDEN),
        ("both", &both, Some(LOOK), S::OK, S::FORBIDDEN),
        ("both", &both, Some(ACT), S::OK, S::OK),
    ] {
        for path in LOOKS {
            let request = match token {
                Some(token) => with(token, path),
                None => get(path).body(Body::empty()).unwrap(),
            };
            assert_eq!(status(router, request).await, look, "{name} {token:?} {path}");
        }
        let answer = ask(router, post(token, restart())).await;
        assert_eq!(answer.status, act, "{name} {token:?}: {}", answer.body);
        if act == S::OK {
            assert!(plain.ready().await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_token_is_asked_for() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).token(LOOK).allow_control(ACT).router().unwrap();
    let Answer { headers, body, .. } = ask_get(&router, "/tree.json").await;
    assert_eq!(headers["www-authenticate"], "Bearer");
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body, json!({ "error": "show the token of this console", "look": "token" }));
    let answer = ask(&router, post(None, json!({}))).await;
    assert_eq!(answer.json(), json!({ "error": "show the token for control", "control": "token" }));
    // The page and the info need no token: they contain nothing of the tree but its name.
    assert_eq!(ask_get(&router, "/").await.status, StatusCode::OK);
    assert_eq!(ask_get(&router, "/info.json").await.json()["look"], "token");
}

/// The scheme is read in any case, as HTTP has it; a token elsewhere does not count.
#[tokio::test(start_paused = true)]
async fn a_token_is_read_from_the_header_alone() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).token(LOOK).router().unwrap();
    let of = async |header: String| {
        ask(&router, get("/tree.json").header("authorization", header).body(Body::empty()).unwrap()).await.status
    };
    assert_eq!(of(format!("bearer {LOOK}")).await, StatusCode::OK);
    assert_eq!(of(format!("Bearer  {LOOK} ")).await, StatusCode::OK);
    for header in [LOOK.to_owned(), format!("Basic {LOOK}"), "Bearer".to_owned(), "Bearer ".to_owned(), String::new()] {
        assert_eq!(of(header.clone()).await, StatusCode::UNAUTHORIZED, "{header}");
    }
    for path in [format!("/tree.json?token={LOOK}"), format!("/tree.json?access_token={LOOK}")] {
        assert_eq!(ask_get(&router, &path).await.status, StatusCode::UNAUTHORIZED);
    }
}

/// Guesses wait, the more of them there are the longer; right tokens do not.
#[tokio::test(start_paused = true)]
async fn wrong_tokens_are_answered_slowly() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).token(LOOK).router().unwrap();
    let begun = Instant::now();
    let guess = |number: u32| {
        let router = router.clone();
        tokio::spawn(async move { ask(&router, with(&format!("guess-{number:020}"), "/tree.json")).await.status })
    };
    let guesses: Vec<_> = (0..50).map(guess).collect();
    tokio::task::yield_now().await;
    assert_eq!(ask(&router, with(LOOK, "/info.json")).await.status, StatusCode::OK);
    assert_eq!(status(&router, with(LOOK, "/live")).await, StatusCode::OK);
    assert!(begun.elapsed().as_millis() < 100, "{:?}", begun.elapsed());
    let mut answers = Vec::new();
    for guess in guesses {
        answers.push(guess.await.unwrap());
    }
    // Only so many wait, so that they take no connection from others.
    let (waited, refused) = answers.split_at(32);
    assert!(waited.iter().all(|status| *status == StatusCode::UNAUTHORIZED), "{waited:?}");
    assert!(refused.iter().all(|status| *status == StatusCode::TOO_MANY_REQUESTS), "{refused:?}");
    assert_eq!(begun.elapsed().as_millis() / 100, 32, "the last one that waits does so for 3.2 s");
    // Nobody waits any more, so the next one begins anew.
    let begun = Instant::now();
    assert_eq!(guess(1).await.unwrap(), StatusCode::UNAUTHORIZED);
    assert_eq!(begun.elapsed().as_millis() / 100, 1);
}

#[tokio::test]
async fn a_token_that_is_no_secret_is_refused() {
    let plain = Plain::start().await.unwrap();
    let console = || Console::new(tree(&plain));
    let short = console().token("").allow_control(ACT).router();
    assert!(matches!(short, Err(Error::ShortToken { length: 0 })), "{short:?}");
    let short = console().token(LOOK).allow_control("123456789012345").router();
    assert_eq!(
        short.unwrap_err().to_string(),
        "the token has 15 characters and needs at least 16; make one with `openssl rand -hex 16`"
    );
    let same = console().token(LOOK).allow_control(Token::new(LOOK)).router();
    assert!(matches!(same, Err(Error::SameToken)), "{same:?}");
    let unset = console().token(std::env::var("SUPERVISE_CONSOLE_IS_NOT_SET")).router();
    assert!(matches!(unset, Err(Error::TokenVariable(_))), "{unset:?}");
}

#[tokio::test]
async fn without_a_token_only_this_machine_may_look() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let tree_json = || get("/tree.json").body(Body::empty()).unwrap();
    for peer in ["127.0.0.1:1", "127.5.5.5:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert_eq!(ask_from(&router, Some(peer), tree_json()).await.status, StatusCode::OK, "{peer}");
    }
    for (peer, error) in [
        (Some("10.0.0.7:1"), "answers only requests from its own machine; set one with `.token(..)`"),
        (Some("[2001:db8::1]:1"), "answers only requests from its own machine; set one with `.token(..)`"),
        (None, "serve with `into_make_service_with_connect_info::<SocketAddr>()`"),
    ] {
        for path in ["/", "/info.json", "/tree.json", "/live"] {
            let answer = ask_from(&router, peer, get(path).body(Body::empty()).unwrap()).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{peer:?} {path}");
            assert!(answer.error().contains(error), "{}", answer.body);
        }
        let answer = ask_from(&router, peer, post(Some(ACT), json!({}))).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{peer:?}");
    }
    // A proxy on this machine may speak for anybody.
    for name in ["forwarded", "x-forwarded-for", "x-real-ip", "via"] {
        let request = get("/tree.json").header(name, "for=127.0.0.1").body(Body::empty()).unwrap();
        let answer = ask(&router, request).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}");
        assert!(answer.error().contains("through a proxy"), "{}", answer.body);
    }
}

#[tokio::test]
async fn a_server_may_say_that_it_checks_who_asks() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).authenticated_by_server().router().unwrap();
    let request = || get("/tree.json").header("x-forwarded-for", "10.0.0.7").body(Body::empty()).unwrap();
    assert_eq!(ask_from(&router, None, request()).await.status, StatusCode::OK);
    assert_eq!(ask_from(&router, Some("10.0.0.7:1"), request()).await.status, StatusCode::OK);
}

/// A page of another site may let its name lead to 127.0.0.1, and then ask from the browser of this machine.
#[tokio::test]
async fn names_of_other_machines_are_refused() {
    let plain = Plain::start().await.unwrap();
    let open = Console::new(tree(&plain)).router().unwrap();
    let hosts = |hosts: &[&str]| {
        let mut request = axum::http::Request::get("/tree.json");
        for host in hosts {
            request = request.header("host", *host);
        }
        request.body(Body::empty()).unwrap()
    };
    for host in ["127.0.0.1:9000", "localhost", "[::1]:9000", "shop.localhost:1"] {
        assert_eq!(ask(&open, hosts(&[host])).await.status, StatusCode::OK, "{host}");
    }
    for named in [&["evil.example:9000"][..], &[], &[""], &["127.0.0.1", "evil.example"], &["127.0.0.1.evil.example"]] {
        let answer = ask(&open, hosts(named)).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{named:?}");
        assert!(answer.error().contains("open it as 127.0.0.1 or localhost"), "{}", answer.body);
    }
    // Also in the first line of the request.
    let absolute = get("http://evil.example/tree.json").body(Body::empty()).unwrap();
    assert_eq!(ask(&open, absolute).await.status, StatusCode::FORBIDDEN);
    // With a token the name does not matter: no page of another site knows it.
    let router = Console::new(tree(&plain)).token(LOOK).router().unwrap();
    let mut request = hosts(&["shop.example"]);
    request.headers_mut().insert("authorization", format!("Bearer {LOOK}").parse().unwrap());
    assert_eq!(ask(&router, request).await.status, StatusCode::OK);
}

#[tokio::test]
async fn other_sites_may_not_let_a_browser_ask() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    let from = |site: &str, path: &str| get(path).header("sec-fetch-site", site).body(Body::empty()).unwrap();
    for path in LOOKS {
        for site in ["cross-site", "same-site"] {
            assert_eq!(status_from_here(&router, from(site, path)).await, StatusCode::FORBIDDEN, "{site} {path}");
        }
        for site in ["same-origin", "none"] {
            assert_eq!(status_from_here(&router, from(site, path)).await, StatusCode::OK, "{site} {path}");
        }
    }
    // A link on another page opens the console.
    assert_eq!(status_from_here(&router, from("cross-site", "/")).await, StatusCode::OK);
    let mut act = post(Some(ACT), json!({ "path": "db", "operation": "stop", "confirm": "db" }));
    act.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    assert_eq!(ask(&router, act).await.status, StatusCode::FORBIDDEN);
    assert!(plain.db.is_alive());
}

async fn status_from_here(router: &Router, mut request: axum::http::Request<Body>) -> StatusCode {
    let here: std::net::SocketAddr = ([127, 0, 0, 1], 5000).into();
    request.extensions_mut().insert(axum::extract::ConnectInfo(here));
    status(router, request).await
}
