//! The parser of server-sent events.

use proptest::prelude::*;
use supervise_top::sse::{LONGEST, Parser, Told};

fn told(kind: &str, data: &str) -> Told {
    Told { kind: kind.to_owned(), data: data.to_owned() }
}

#[test]
fn the_forms_of_a_line_are_read() {
    let text = "\u{feff}: a comment\nid: 7\nevent: delta\ndata: {\"a\":1}\n\nevent:gap\rdata:1\rdata: 2\r\rdata\r\n\r\nevent: lost\n\nretry: 5\ndata: ü\n\n";
    let expected = [told("delta", "{\"a\":1}"), told("gap", "1\n2"), told("message", ""), told("message", "ü")];
    assert_eq!(Parser::default().push(text.as_bytes()).unwrap(), expected);
    for size in 1..text.len() {
        let mut parser = Parser::default();
        let all: Vec<Told> = text.as_bytes().chunks(size).flat_map(|chunk| parser.push(chunk).unwrap()).collect();
        assert_eq!(all, expected, "in pieces of {size}");
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(Parser::default().push(b"data: a\xff\xc3b\n\n").unwrap(), [told("message", "a\u{fffd}\u{fffd}b")]);
}

#[test]
fn a_message_without_end_is_refused() {
    let mut parser = Parser::new(1000);
    let pushed: Vec<_> = (0..5).map(|_| parser.push(&[b'x'; 250]).map_err(|error| error.to_string())).collect();
    assert_eq!(pushed[3], Ok(vec![]));
    assert!(pushed[4].as_ref().is_err_and(|error| error.starts_with("a message of the console has more than")));

    // Neither do many short lines get through, nor a kind without data; but many short messages do.
    for lines in ["data: xxxxxxxxx\n", "event: xxxxxxxxx\ndata\n"] {
        let mut parser = Parser::new(1000);
        assert!((0..1100).any(|_| parser.push(lines.as_bytes()).is_err()), "{lines}");
    }
    let mut parser = Parser::new(1000);
    assert!((0..1100).all(|_| parser.push(b"data: xxxxxxxxx\n\n").is_ok()));
    assert!(Parser::default().push(&vec![b'x'; LONGEST / 64]).is_ok());
}

proptest! {
    #[test]
    fn the_pieces_do_not_matter(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd')], 0..200), cuts in prop::collection::vec(0_usize..200, 0..20)) {
        let whole = Parser::default().push(&bytes).unwrap();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut parser = Parser::default();
        let mut pieces = Vec::new();
        for pair in cuts.windows(2) {
            pieces.extend(parser.push(&bytes[pair[0]..pair[1]]).unwrap());
        }
        prop_assert_eq!(whole, pieces);
    }
}
