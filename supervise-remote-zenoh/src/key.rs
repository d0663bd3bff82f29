//! The keys of a network: who is there, and who sends to whom.
//!
//! ```text
//! supervise/<network>/live/<side>/<name>/<join>                        a liveliness token of each peer
//! supervise/<network>/to/<name>/<join>/from/<side>/<name>/<join>       a batch
//! supervise/<network>/ahead/<name>/<join>/from/<side>/<name>/<join>    a frame that does not wait behind batches
//! ```
//!
//! Two networks have no key in common, so they can share addresses.

use supervise_remote::wire::{Peer, Side};

/// Names of peers and networks that can stand in a key.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

pub(crate) fn word(side: Side) -> &'static str {
    match side {
        Side::Owner => "owner",
        Side::Node => "node",
    }
}

pub(crate) fn other(side: Side) -> Side {
    match side {
        Side::Owner => Side::Node,
        Side::Node => Side::Owner,
    }
}

/// `#` has a meaning of its own in a key.
fn chunks(peer: &Peer) -> String {
    peer.as_str().replacen('#', "/", 1)
}

pub(crate) fn token(network: &str, side: Side, peer: &Peer) -> String {
    format!("supervise/{network}/live/{}/{}", word(side), chunks(peer))
}

/// All tokens of one side.
pub(crate) fn tokens(network: &str, side: Side) -> String {
    format!("supervise/{network}/live/{}/*/*", word(side))
}

pub(crate) fn batches(network: &str, to: &Peer, side: Side, from: &Peer) -> String {
    format!("supervise/{network}/to/{}/from/{}/{}", chunks(to), word(side), chunks(from))
}

/// A sign of life.
pub(crate) fn ahead(network: &str, to: &Peer, side: Side, from: &Peer) -> String {
    format!("supervise/{network}/ahead/{}/from/{}/{}", chunks(to), word(side), chunks(from))
}

/// All signs of life of one side to this peer.
pub(crate) fn all_ahead(network: &str, to: &Peer, side: Side) -> String {
    format!("supervise/{network}/ahead/{}/from/{}/*/*", chunks(to), word(side))
}

/// All batches of one side to this peer.
pub(crate) fn all_batches(network: &str, to: &Peer, side: Side) -> String {
    format!("supervise/{network}/to/{}/from/{}/*/*", chunks(to), word(side))
}

/// The peer that a key ends with. A key is foreign text: a name that no process can have is nobody's.
pub(crate) fn peer(key: &str) -> Option<Peer> {
    let mut chunks = key.rsplit('/');
    let (join, name) = (chunks.next()?, chunks.next()?);
    [join, name].into_iter().all(is_name).then(|| Peer::new(format!("{name}#{join}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_read_back_from_its_keys() {
        let (owner, node) = (Peer::new("shop.eu-1#a0.0"), Peer::new("host_7#b1.3"));
        assert_eq!(peer(&token("prod", Side::Node, &node)), Some(node.clone()));
        assert_eq!(peer(&batches("prod", &owner, Side::Node, &node)), Some(node));
        for key in ["", "x", "/", "a/", "/1", "ü/1", "a/1 ", "a\0/1", "a#b/1", &format!("{}/1", "x".repeat(65))] {
            assert_eq!(peer(key), None, "{key}");
        }
    }

    #[test]
    fn names_that_are_no_part_of_a_key_are_refused() {
        assert!(is_name("shop.eu-1") && is_name("host_7") && is_name(&"x".repeat(64)));
        for name in ["", "a/b", "*", "a#b", "a b", "@x", "$x", "?", "ü", &"x".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
