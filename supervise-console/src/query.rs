//! Queries: the parameters of the routes. Nothing is ignored: an unknown parameter is an error.

use std::borrow::Cow;
use std::str::FromStr;

use supervise::inspect::{Extent, NodeStateKind, Page, PageOrder};

use crate::log::EVENTS;

/// The nodes that a page has at most.
const MOST: usize = 500;

const STATES: [(&str, NodeStateKind); 8] = [
    ("queued", NodeStateKind::Queued),
    ("starting", NodeStateKind::Starting),
    ("running", NodeStateKind::Running),
    ("suspended", NodeStateKind::Suspended),
    ("failed", NodeStateKind::Failed),
    ("going_down", NodeStateKind::GoingDown),
    ("backing_off", NodeStateKind::BackingOff),
    ("ended", NodeStateKind::Ended),
];

/// The parameters of a request.
struct Params<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Params<'a> {
    fn of(query: Option<&'a str>, known: &[&str]) -> Result<Self, String> {
        let mut params: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if !known.contains(&&*name) {
                return Err(format!("there is no parameter {name:?}; there are {}", known.join(", ")));
            }
            if params.iter().any(|(other, _)| *other == name) {
                return Err(format!("the parameter `{name}` is there twice; give it once"));
            }
            params.push((name, value));
        }
        Ok(Params(params))
    }

    fn take(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn number(&mut self, name: &str) -> Result<Option<usize>, String> {
        let Some(text) = self.take(name) else { return Ok(None) };
        let number = usize::from_str(&text).map_err(|_| format!("`{name}` is a number, not {text:?}"))?;
        Ok(Some(number))
    }

    fn path(&mut self) -> Result<String, String> {
        self.take("path").map(Cow::into_owned).ok_or_else(|| "which node? give its path, as `?path=..`".to_owned())
    }
}

/// The query of `tree.json`.
#[derive(Debug, PartialEq)]
pub(crate) struct Tree {
    /// `None`: the tree itself.
    pub(crate) path: Option<String>,
    pub(crate) extent: Extent,
}

impl Tree {
    pub(crate) fn of(query: Option<&str>) -> Result<Self, String> {
        let mut params = Params::of(query, &["path", "extent"])?;
        let extent = match params.take("extent").as_deref() {
            None | Some("declared") => Extent::Declared,
            Some("everything") => Extent::Everything,
            Some(other) => return Err(format!("`extent` is `declared` or `everything`, not {other:?}")),
        };
        Ok(Tree { path: params.take("path").map(Cow::into_owned), extent })
    }
}

/// The query of `set.json`.
#[derive(Debug, PartialEq)]
pub(crate) struct Set {
    pub(crate) path: String,
    pub(crate) from: usize,
    pub(crate) page: Page,
}

impl Set {
    pub(crate) fn of(query: Option<&str>) -> Result<Self, String> {
        let mut params = Params::of(query, &["path", "from", "count", "state", "name", "sort"])?;
        let path = params.path()?;
        let from = params.number("from")?.unwrap_or(0);
        let count = params.number("count")?.unwrap_or(100);
        if count > MOST {
            return Err(format!("`count` is at most {MOST}; read a large set page by page"));
        }
        let mut page = Page::new().from(from).count(count);
        let states = params.take("state").unwrap_or_default();
        for word in states.split(',').filter(|word| !word.is_empty()) {
            let known = STATES.iter().find(|(known, _)| *known == word);
            let (_, state) = known.ok_or_else(|| {
                let words = STATES.map(|(known, _)| known).join(", ");
                format!("there is no state {word:?}; the states are {words}")
            })?;
            page = page.state(*state);
        }
        if let Some(text) = params.take("name") {
            page = page.name(text);
        }
        page = page.order(match params.take("sort").as_deref() {
            None | Some("order") => PageOrder::Spawned,
            Some("name") => PageOrder::Name,
            Some("restarts") => PageOrder::Restarts,
            Some("waiting") => PageOrder::Waiting,
            Some(other) => return Err(format!("`sort` is order, name, restarts or waiting, not {other:?}")),
        });
        Ok(Set { path, from, page })
    }
}

/// Reads the path of the query of `detail.json`.
pub(crate) fn detail(query: Option<&str>) -> Result<String, String> {
    Params::of(query, &["path"])?.path()
}

/// Reads the number of past events of the query of `events.ndjson`.
pub(crate) fn past(query: Option<&str>) -> Result<usize, String> {
    Ok(Params::of(query, &["past"])?.number("past")?.unwrap_or(0).min(EVENTS))
}

/// Checks that a route without parameters got none.
pub(crate) fn none(query: Option<&str>) -> Result<(), String> {
    match query.unwrap_or_default() {
        "" => Ok(()),
        _ => Err("this address takes no parameters".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read() {
        let tree = Tree::of(Some("path=a%2Fb%252F+c&extent=everything")).unwrap();
        assert_eq!(tree, Tree { path: Some("a/b%2F c".to_owned()), extent: Extent::Everything });
        assert_eq!(Tree::of(None), Ok(Tree { path: None, extent: Extent::Declared }));

        let set = Set::of(Some("path=s&from=7&count=500&state=running,backing_off&name=Kit&sort=waiting")).unwrap();
        let page = Page::new().from(7).count(500).state(NodeStateKind::Running).state(NodeStateKind::BackingOff);
        assert_eq!(set, Set { path: "s".to_owned(), from: 7, page: page.name("Kit").order(PageOrder::Waiting) });
        assert_eq!(Set::of(Some("path=s&state=")).unwrap().page, Page::new());

        assert_eq!(past(Some("past=99999999")), Ok(EVENTS));
        assert_eq!(detail(Some("path=db")).as_deref(), Ok("db"));
    }

    #[test]
    fn a_wrong_query_is_an_error_that_says_what_there_is() {
        for (said, expected) in [
            (Tree::of(Some("token=x")).unwrap_err(), "there is no parameter \"token\"; there are path, extent"),
            (Tree::of(Some("path=a&path=b")).unwrap_err(), "the parameter `path` is there twice; give it once"),
            (Tree::of(Some("extent=all")).unwrap_err(), "`extent` is `declared` or `everything`, not \"all\""),
            (Set::of(None).unwrap_err(), "which node? give its path, as `?path=..`"),
            (Set::of(Some("path=s&from=-1")).unwrap_err(), "`from` is a number, not \"-1\""),
            (Set::of(Some("path=s&count=501")).unwrap_err(), "`count` is at most 500; read a large set page by page"),
            (
                Set::of(Some("path=s&sort=size")).unwrap_err(),
                "`sort` is order, name, restarts or waiting, not \"size\"",
            ),
        ] {
            assert_eq!(said, expected);
        }
        let said = Set::of(Some("path=s&state=dead")).unwrap_err();
        assert!(said.starts_with("there is no state \"dead\"; the states are queued, starting, running"), "{said}");
    }
}
