//! The page, and the policy that lets a browser run only what is in it.

use std::borrow::Cow;

use axum::http::HeaderValue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const PAGE: &str = include_str!("../page/index.html");

/// The page with its policy, made once for each console.
pub(crate) struct Page {
    pub(crate) policy: HeaderValue,
    html: &'static str,
    /// The position behind `<head>`.
    head: usize,
}

impl Page {
    pub(crate) fn new() -> Page {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; connect-src 'self'; base-uri 'self'; \
             form-action 'none'; frame-ancestors 'none'",
            hashes(PAGE, "script type=\"module\""),
            hashes(PAGE, "style")
        );
        let head = PAGE.find("<head>").map_or(0, |at| at + "<head>".len());
        // Hashes and these words are visible ASCII.
        let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
        Page { policy, html: PAGE, head }
    }

    /// Returns the page for an address with this path. The addresses in the page are relative: below `/console` without a
    /// slash at the end the page has to say that they are meant below it.
    pub(crate) fn at(&self, path: &str) -> Cow<'static, str> {
        match path.rsplit_once('/') {
            Some((_, last)) if !last.is_empty() => {
                let (before, after) = self.html.split_at(self.head);
                Cow::Owned(format!("{before}<base href=\"./{}/\">{after}", escaped(last)))
            }
            _ => Cow::Borrowed(self.html),
        }
    }
}

/// Returns the hashes of the contents of the elements with this opening tag, as a policy lists them; `'none'` if there are
/// none.
fn hashes(page: &str, tag: &str) -> String {
    let element = tag.split(' ').next().unwrap_or(tag);
    let (begin, end) = (format!("<{tag}>"), format!("</{element}>"));
    let contents = page.split(&*begin).skip(1).filter_map(|rest| rest.split_once(&*end));
    let hashes: Vec<_> =
        contents.map(|(content, _)| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))).collect();
    if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_lists_the_hash_of_each_script() {
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        let hash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        assert_eq!(hashes("<p><script>alert(1)</script>", "script"), hash);
        assert_eq!(hashes("<script>alert(1)</script><script>alert(1)</script>", "script"), format!("{hash} {hash}"));
        assert_eq!(hashes("<p>", "script"), "'none'");
    }

    /// A script or style with attributes has no hash, so a browser would not run it; nothing else may bring code along.
    #[test]
    fn the_page_is_one_file_that_the_policy_covers() {
        for wrong in [
            "<script src",
            "<script>",
            "<style ",
            "<link",
            "<iframe",
            "<img src=\"http",
            "@import",
            " onclick=",
            " style=\"",
            "\r",
        ] {
            assert!(!PAGE.contains(wrong), "{wrong:?}");
        }
        for (at, _) in PAGE.match_indices("//") {
            let address = PAGE[..at].ends_with("http:") || PAGE[..at].ends_with("https:");
            // The name of a format of drawings is not fetched.
            assert!(
                !address || PAGE[at..].starts_with("//www.w3.org/2000/svg"),
                "{}",
                &PAGE[at..(at + 40).min(PAGE.len())]
            );
        }
        assert!(
            PAGE.contains("<head>")
                && PAGE.matches("<script ").count() == 1
                && PAGE.contains("<script type=\"module\">")
                && PAGE.contains("<style>")
        );
    }

    #[test]
    fn relative_addresses_work_with_and_without_a_slash() {
        let page = Page::new();
        assert_eq!(page.at("/"), PAGE);
        assert_eq!(page.at("/console/"), PAGE);
        assert!(page.at("/a/console").contains("<head><base href=\"./console/\">"));
        assert!(page.at("/a\"><b").contains("<base href=\"./a&quot;&gt;&lt;b/\">"));
    }
}
