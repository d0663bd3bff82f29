//! The body of a request to act.

use serde::Deserialize;
use supervise::event::Operation;
use supervise::inspect::one_line;

/// The bytes that a body has at most.
pub(crate) const BODY: usize = 8192;

/// The characters that the name of a person has at most.
const NAME: usize = 64;

/// The name in the event if the request names nobody.
const NOBODY: &str = "the console";

/// A request to act.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) operation: Operation,
    pub(crate) by: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    path: String,
    operation: String,
    confirm: String,
    by: Option<String>,
}

impl Request {
    pub(crate) fn of(body: &[u8]) -> Result<Self, String> {
        let body: Body = serde_json::from_slice(body).map_err(|error| {
            format!("the body is not {{\"path\":..,\"operation\":..,\"confirm\":..,\"by\":..}} as JSON: {error}")
        })?;
        let operation = Operation::from_word(&body.operation).ok_or_else(|| {
            let words = Operation::ALL.map(Operation::word).join(", ");
            format!("there is no operation {:?}; there are {words}", body.operation)
        })?;
        if body.confirm != body.path {
            return Err(format!("`confirm` is {:?}; to confirm, it repeats the path {:?}", body.confirm, body.path));
        }
        let by = match body.by.as_deref().map(str::trim) {
            None | Some("") => NOBODY.to_owned(),
            Some(name) if name.chars().count() > NAME => {
                return Err(format!("the name in `by` has more than {NAME} characters"));
            }
            Some(name) if one_line(name).to_string() != name => {
                return Err("the name in `by` contains control characters".to_owned());
            }
            Some(name) => name.to_owned(),
        };
        Ok(Request { path: body.path, operation, by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read() {
        let request = Request::of(br#"{"path":"db","operation":"start_again","confirm":"db","by":" Zo\u00eb "}"#);
        let expected = Request { path: "db".into(), operation: Operation::StartAgain, by: "Zoë".into() };
        assert_eq!(request, Ok(expected));
        let request = Request::of(br#"{"path":"db","operation":"stop","confirm":"db"}"#).unwrap();
        assert_eq!(request.by, "the console");
    }

    #[test]
    fn a_wrong_request_says_what_is_wrong() {
        let by = |name: &str| {
            let body = serde_json::json!({ "path": "db", "operation": "stop", "confirm": "db", "by": name });
            Request::of(body.to_string().as_bytes())
        };
        assert!(by(&"ä".repeat(64)).is_ok());
        assert_eq!(by(&"ä".repeat(65)).unwrap_err(), "the name in `by` has more than 64 characters");
        for name in [
            "a\nb",
            "a\u{1b}[2J",
            "a\u{202e}b",
            "a\u{0}b",
            "a\u{85}b",
            "a\u{200b}b",
            "a\u{2028}b",
            "a\u{feff}b",
            "a\u{ad}b",
            "a\u{61c}b",
            "a\u{180e}b",
            "a\u{e0000}b",
            "a\u{e0041}b",
            "a\u{e007f}b",
        ] {
            assert_eq!(by(name).unwrap_err(), "the name in `by` contains control characters", "{name:?}");
        }
        for (body, expected) in [
            (
                r#"{"path":"db","operation":"stop","confirm":"db2"}"#,
                "`confirm` is \"db2\"; to confirm, it repeats the path",
            ),
            (r#"{"path":"db","operation":"stop"}"#, "missing field `confirm`"),
            (r#"{"path":"db","operation":"stop","confirm":"db","force":true}"#, "unknown field `force`"),
            (r#"{"path":"db","operation":"pause","confirm":"db"}"#, "no operation \"pause\"; there are stop, restart"),
            ("stop db", "the body is not {\"path\":"),
        ] {
            let said = Request::of(body.as_bytes()).unwrap_err();
            assert!(said.contains(expected), "{said}");
        }
    }
}
