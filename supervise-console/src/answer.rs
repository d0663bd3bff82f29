//! Answers, with the headers that all of them have.

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Makes an answer.
pub(crate) fn answer(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().extend(HEADERS);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Makes an answer of JSON.
pub(crate) fn json(text: impl Into<Body>) -> Response {
    answer(StatusCode::OK, "application/json", text)
}

/// Makes an answer of plain text.
pub(crate) fn text(status: StatusCode, text: impl Into<Body>) -> Response {
    answer(status, "text/plain; charset=utf-8", text)
}

/// Makes an answer that says what is wrong.
pub(crate) fn error(status: StatusCode, error: impl std::fmt::Display) -> Response {
    answer(status, "application/json", json!({ "error": error.to_string() }).to_string())
}

/// An answer that says why there is no other.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Response>);

impl From<Response> for Refusal {
    fn from(response: Response) -> Self {
        Refusal(Box::new(response))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// Makes a refusal.
pub(crate) fn refuse(status: StatusCode, why: impl std::fmt::Display) -> Refusal {
    error(status, why).into()
}
