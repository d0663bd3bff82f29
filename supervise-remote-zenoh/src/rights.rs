//! The rights in a certificate: who its process may be. Each is a URI among the alternative names of the certificate.
//!
//! ```text
//! supervise://NAME@NETWORK/owner/TREE        the process NAME may own the tree TREE
//! supervise://NAME@NETWORK/node/ROLE         the process NAME may be a node of the role ROLE
//! ```
//!
//! A `*` in place of a word stands for each word.

use supervise_remote::wire::{Rights, Side};

/// The form of a right, for errors.
pub(crate) const FORM: &str = "`supervise://NAME@NETWORK/owner/TREE` or `supervise://NAME@NETWORK/node/ROLE`";

const SCHEME: &str = "supervise:";

/// A right of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Right {
    name: String,
    network: String,
    side: Side,
    of: String,
}

/// Returns whether a word of a right stands for this one.
fn is(word: &str, this: &str) -> bool {
    word == "*" || word == this
}

impl Right {
    fn read(uri: &str) -> Option<Right> {
        let (name, rest) = uri.strip_prefix(SCHEME)?.strip_prefix("//")?.split_once('@')?;
        let mut words = rest.split('/');
        let (network, side, of) = (words.next()?, words.next()?, words.next()?);
        let side = match side {
            "owner" => Side::Owner,
            "node" => Side::Node,
            _ => return None,
        };
        let is_whole = words.next().is_none() && ![name, network, of].contains(&"");
        is_whole.then(|| Right { name: name.into(), network: network.into(), side, of: of.into() })
    }
}

/// The rights of the process at an end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Granted {
    /// There are no certificates: everybody may be everything.
    Everything,
    These(Vec<Right>),
}

impl Granted {
    /// Reads the rights in the alternative names of a certificate.
    ///
    /// # Errors
    ///
    /// If there is no right, or a right cannot be read: a mistake in a certificate is an error, and not a smaller
    /// right.
    pub(crate) fn read<'a>(uris: impl Iterator<Item = &'a str>) -> Result<Granted, String> {
        let mut rights = Vec::new();
        for uri in uris.filter(|uri| uri.starts_with(SCHEME)) {
            let right =
                Right::read(uri).ok_or_else(|| format!("`{uri}` in the certificate is no right; write {FORM}"))?;
            rights.push(right);
        }
        if rights.is_empty() {
            return Err(format!("the certificate gives no right; it needs an alternative name of the form {FORM}"));
        }
        Ok(Granted::These(rights))
    }

    /// Returns what a process of this name may own, or the roles that it may have; none if it may not be on this side.
    pub(crate) fn of(&self, network: &str, side: Side, name: &str) -> Option<Rights> {
        let Granted::These(rights) = self else { return Some(Rights::all()) };
        let here =
            rights.iter().filter(|right| right.side == side && is(&right.network, network) && is(&right.name, name));
        let of: Vec<&str> = here.map(|right| right.of.as_str()).collect();
        match of[..] {
            [] => None,
            _ if of.contains(&"*") => Some(Rights::all()),
            _ => Some(Rights::only(of)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uris: &[&str]) -> Result<Granted, String> {
        Granted::read(uris.iter().copied())
    }

    #[test]
    fn a_right_names_a_process_a_network_a_side_and_what_it_may_be() {
        let granted = read(&["https://shop.example.org", "supervise://host-7@prod/node/worker"]).unwrap();
        assert_eq!(granted.of("prod", Side::Node, "host-7"), Some(Rights::only(["worker"])));
        assert_eq!(granted.of("test", Side::Node, "host-7"), None);
        assert_eq!(granted.of("prod", Side::Owner, "host-7"), None);
        assert_eq!(granted.of("prod", Side::Node, "host-8"), None);
    }

    #[test]
    fn several_rights_add_up_and_a_star_stands_for_each_word() {
        let granted = read(&[
            "supervise://host-7@prod/node/worker",
            "supervise://*@prod/node/spot",
            "supervise://shop@*/owner/*",
            "supervise://shop@prod/owner/Shop",
        ]);
        let granted = granted.unwrap();
        assert_eq!(granted.of("prod", Side::Node, "host-7"), Some(Rights::only(["worker", "spot"])));
        assert_eq!(granted.of("prod", Side::Node, "host-8"), Some(Rights::only(["spot"])));
        assert_eq!(granted.of("test", Side::Owner, "shop"), Some(Rights::all()));
        assert_eq!(granted.of("prod", Side::Owner, "shop"), Some(Rights::all()));
    }

    #[test]
    fn a_malformed_right_is_an_error() {
        for uri in [
            "supervise:host@net/node/a",
            "supervise://net/node/a",
            "supervise://host@net/nodes/a",
            "supervise://host@net/node",
            "supervise://host@net/node/",
            "supervise://@net/node/a",
            "supervise://host@/node/a",
            "supervise://host@net/node/a/b",
        ] {
            let error = read(&["supervise://host@net/node/a", uri]).unwrap_err();
            assert!(
                error.starts_with(&format!("`{uri}` in the certificate is no right; write `supervise://")),
                "{error}"
            );
        }
        let error = read(&["https://host"]).unwrap_err();
        assert!(error.starts_with("the certificate gives no right; it needs"), "{error}");
    }

    #[test]
    fn without_certificates_everybody_may_be_everything() {
        assert_eq!(Granted::Everything.of("any", Side::Owner, "any"), Some(Rights::all()));
    }
}
