//! The gate: who may look, and who may act.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::Token;
use crate::address::is_loopback;
use crate::answer::{Refusal, answer, refuse};

/// The time that the answer to a wrong token takes, for each such answer that is due.
const SLOW: Duration = Duration::from_millis(100);

/// The number of such answers that wait at once.
const MOST_WRONG: u32 = 32;

/// The requests that reach a console without a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only those from this machine, and not from a page of another site in a browser of it.
    Loopback,
    /// Only those of the user who may connect to the unix socket.
    Socket,
    /// Clients that the server around the console lets pass.
    Server,
}

pub(crate) struct Gate {
    pub(crate) look: Option<Token>,
    pub(crate) control: Option<Token>,
    pub(crate) reach: Reach,
    /// The number of answers to wrong tokens that are due.
    pub(crate) wrong: AtomicU32,
}

impl Gate {
    /// Lets a request pass that asks for nothing secret.
    pub(crate) fn pass(&self, request: &Parts) -> Result<(), Refusal> {
        // A token keeps all others out, wherever they are.
        if self.look.is_some() || self.reach != Reach::Loopback {
            return Ok(());
        }
        let refused = |why: &str| Err(refuse(StatusCode::FORBIDDEN, why));
        match request.extensions.get::<ConnectInfo<SocketAddr>>() {
            None => {
                return refused(
                    "this console has no token, and the server does not tell where a request comes from; set a token with \
                     `.token(..)`, serve with `into_make_service_with_connect_info::<SocketAddr>()`, or say \
                     `.authenticated_by_server()` if the server checks who asks",
                );
            }
            Some(ConnectInfo(peer)) if !is_loopback(peer.ip()) => {
                return refused(
                    "this console has no token, so it answers only requests from its own machine; set one with `.token(..)`",
                );
            }
            Some(_) => {}
        }
        if ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
            .iter()
            .any(|name| request.headers.contains_key(*name))
        {
            return refused(
                "this console has no token, and the request came through a proxy, perhaps from another machine; set a token \
                 with `.token(..)`",
            );
        }
        if !has_local_host(request) {
            return refused(
                "this console has no token, so it answers only to the names of this machine: open it as 127.0.0.1 or \
                 localhost, or set a token with `.token(..)`",
            );
        }
        Ok(())
    }

    /// Lets a request look at the tree.
    pub(crate) async fn look(&self, request: &Parts) -> Result<(), Refusal> {
        self.pass(request)?;
        same_site(request)?;
        let Some(token) = &self.look else { return Ok(()) };
        let Some(shown) = bearer(request) else { return Err(unauthorized("look", "show the token of this console")) };
        // The token for control is enough to look.
        let may_act = self.control.as_ref().is_some_and(|control| control.is(shown));
        if token.is(shown) || may_act {
            return Ok(());
        }
        self.slowly().await?;
        Err(unauthorized("look", "this is not the token of this console"))
    }

    /// Lets a request act.
    pub(crate) async fn act(&self, request: &Parts) -> Result<(), Refusal> {
        self.pass(request)?;
        same_site(request)?;
        let Some(token) = &self.control else {
            return Err(refuse(
                StatusCode::NOT_FOUND,
                "this console only shows the tree; `.allow_control(..)` lets it act",
            ));
        };
        let Some(shown) = bearer(request) else {
            return Err(unauthorized("control", "show the token for control"));
        };
        if token.is(shown) {
            return Ok(());
        }
        self.slowly().await?;
        let body = json!({ "error": "this is not the token for control", "control": "token" });
        Err(answer(StatusCode::FORBIDDEN, "application/json", body.to_string()).into())
    }

    /// Waits before the answer to a wrong token, the longer the more of them are due. Right ones never wait, so those that
    /// wait may not take all connections.
    async fn slowly(&self) -> Result<(), Refusal> {
        struct Due<'a>(&'a AtomicU32);
        impl Drop for Due<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Relaxed);
            }
        }
        let before = self.wrong.fetch_add(1, Relaxed);
        let _due = Due(&self.wrong);
        if before >= MOST_WRONG {
            return Err(refuse(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens; wait for a while"));
        }
        tokio::time::sleep(SLOW.saturating_mul(before.saturating_add(1))).await;
        Ok(())
    }
}

fn unauthorized(token: &str, why: &str) -> Refusal {
    let body = json!({ "error": why, token: "token" });
    let mut response = answer(StatusCode::UNAUTHORIZED, "application/json", body.to_string());
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response.into()
}

/// Returns the token of `Authorization: Bearer ..`.
fn bearer(request: &Parts) -> Option<&[u8]> {
    let shown = request.headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = shown.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

/// Refuses what a page of another site lets the browser ask for. It could not read the answer, but it could ask often.
fn same_site(request: &Parts) -> Result<(), Refusal> {
    match request.headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => Err(refuse(StatusCode::FORBIDDEN, "another site asks for this; open the console itself")),
    }
}

/// Returns whether the request names this machine. A page of another site whose name leads to 127.0.0.1 names its own.
fn has_local_host(request: &Parts) -> bool {
    let mut hosts = request.headers.get_all(header::HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok().is_some_and(is_local),
        (None, _) => request.uri.host().is_some(), // HTTP/2 has the host in the URI, which is checked below
        (Some(_), Some(_)) => false,
    };
    named && request.uri.authority().is_none_or(|authority| is_local(authority.as_str()))
}

fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let ip = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&name);
    name == "localhost" || name.ends_with(".localhost") || ip.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in
            ["localhost", "localhost:9000", "LocalHost.", "shop.localhost:80", "127.0.0.1:9000", "[::1]:9000", "[::1]"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            ":9000",
            "evil.com",
            "evil.com:9000",
            "127.0.0.1.evil.com",
            "localhost.evil.com",
            "10.0.0.1",
            "notlocalhost",
            "user@localhost",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
