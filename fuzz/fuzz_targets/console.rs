//! For anything that a client sends, the console never panics and always answers: queries, headers, tokens and the body of a
//! request to act. Errors are JSON. Texts of addresses and tokens are read or refused.
//!
//! cargo fuzz run --sanitizer none --no-cfg-fuzzing console -- -max_total_time=60

#![no_main]

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, StatusCode, header};
use libfuzzer_sys::fuzz_target;
use supervise::prelude::*;
use supervise_console::{Address, Console, Token};
use tokio::runtime::Runtime;
use tower::ServiceExt;

const LOOK: &str = "look-0123456789abcdef";
const ACT: &str = "act-fedcba9876543210";

const ROUTES: [&str; 8] =
    ["/", "/info.json", "/tree.json", "/set.json", "/detail.json", "/events.ndjson", "/live", "/control"];

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        db: Db = Db,
        sessions: [u8 => Db] = |_number: u8| Db,
    }
}

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

/// A running tree with consoles for it, on a clock that does not make anybody wait.
struct World {
    runtime: Runtime,
    shop: Running<Shop>,
    consoles: Vec<Router>,
}

impl World {
    fn new() -> World {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (shop, consoles) = runtime.block_on(async {
            let shop = Shop::start().await.unwrap();
            for number in 0..9 {
                shop.sessions.spawn(number).await.unwrap();
            }
            let console = || Console::new(TreeRef::clone(&shop));
            let consoles = [
                console(),
                console().token(LOOK),
                console().token(LOOK).allow_control(ACT),
                console().authenticated_by_server().allow_control(ACT),
            ];
            let consoles = consoles.map(|console| console.router().unwrap());
            (shop, consoles.to_vec())
        });
        World { runtime, shop, consoles }
    }

    fn ask(&self, console: u8, request: Request<Body>) {
        let console = self.consoles[usize::from(console) % self.consoles.len()].clone();
        self.runtime.block_on(async {
            let response = console.oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            assert!(parts.status != StatusCode::INTERNAL_SERVER_ERROR, "{parts:?}");
            assert!(!parts.headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
            if parts.status.is_success() || parts.status == StatusCode::METHOD_NOT_ALLOWED {
                return; // a stream has no end
            }
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert!(body["error"].as_str().is_some_and(|error| !error.is_empty()), "{body}");
            let text = body.to_string();
            assert!(!text.contains(LOOK) && !text.contains(ACT), "{text}");
        });
    }
}

thread_local! {
    /// Left alone at the end of the thread, when the context of its runtime is gone.
    static WORLD: RefCell<ManuallyDrop<Option<World>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// Reads the parts of a request: a byte each for the console, the route and the peer, then lines.
fn request(bytes: &[u8]) -> Option<(u8, Request<Body>)> {
    let [console, route, flags, rest @ ..] = bytes else { return None };
    let mut lines = rest.splitn(6, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (query, token, host, kind, other, body) = (line(), line(), line(), line(), line(), line());
    let path = ROUTES[usize::from(*route) % ROUTES.len()];
    let query = String::from_utf8_lossy(query);
    let method = if path == "/control" { "POST" } else { "GET" };
    let mut request = Request::builder().method(method).uri(format!("{path}?{query}")).body(Body::from(body.to_vec())).ok()?;
    let mut set = |name: header::HeaderName, value: &[u8], usual: &str, is_usual: bool| {
        let value = if is_usual { HeaderValue::from_str(usual) } else { HeaderValue::from_bytes(value) };
        if let Ok(value) = value {
            request.headers_mut().insert(name, value);
        }
    };
    set(header::AUTHORIZATION, token, &format!("Bearer {}", if flags & 1 == 0 { LOOK } else { ACT }), flags & 2 != 0);
    set(header::HOST, host, "localhost", flags & 4 != 0);
    set(header::CONTENT_TYPE, kind, "application/json", flags & 8 != 0);
    if !other.is_empty() {
        set(header::HeaderName::from_static("sec-fetch-site"), other, "", false);
    }
    if flags & 16 == 0 {
        let peer: SocketAddr = if flags & 32 == 0 { ([127, 0, 0, 1], 1) } else { ([10, 0, 0, 1], 1) }.into();
        request.extensions_mut().insert(ConnectInfo(peer));
    }
    Some((*console, request))
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(address) = text.parse::<Address>()
        && !text.starts_with("localhost:")
    {
        assert_eq!(address.to_string().parse::<Address>().unwrap(), address);
    }
    if let Ok(token) = Token::new(&text) {
        assert!(text.len() >= 16 && format!("{token:?}") == "Token(..)");
    }
    let Some((console, request)) = request(bytes) else { return };
    WORLD.with_borrow_mut(|world| {
        let now = world.get_or_insert_with(World::new);
        now.ask(console, request);
        if !now.shop.is_alive() || now.shop.db.ended().is_some() {
            **world = None; // the shop was stopped, as asked
        }
    });
});
