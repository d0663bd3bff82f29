//! Server-sent events, read from bytes that arrive in pieces of any size.

/// The bytes that one message may have. The tree of a program with 50,000 declared nodes fits.
pub const LONGEST: usize = 64 << 20;

/// A message: its kind (`event:`) and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The kind; `message` if none was given.
    pub kind: String,
    /// The data, with line breaks between several `data:` lines.
    pub data: String,
}

/// The error of a message that is longer than its limit in bytes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of the console has more than {} MiB; this is no console, or its tree is too large to be shown", .0 >> 20)]
pub struct TooLong(usize);

/// A parser of server-sent events.
///
/// ```
/// use supervise_top::sse::Parser;
///
/// let mut parser = Parser::default();
/// assert_eq!(parser.push(b"event: gap\nda")?, []);
/// let told = parser.push(b"ta: {\"missed\":3}\n\n")?;
/// assert_eq!((&*told[0].kind, &*told[0].data), ("gap", "{\"missed\":3}"));
/// # Ok::<(), supervise_top::sse::TooLong>(())
/// ```
#[derive(Debug)]
pub struct Parser {
    longest: usize,
    line: Vec<u8>,
    kind: String,
    data: String,
    has_data: bool,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    /// The first line may begin with a byte order mark.
    is_begun: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(LONGEST)
    }
}

impl Parser {
    /// A parser for messages of at most this many bytes.
    pub fn new(longest: usize) -> Parser {
        Parser {
            longest,
            line: Vec::new(),
            kind: String::new(),
            data: String::new(),
            has_data: false,
            after_return: false,
            is_begun: false,
        }
    }

    /// Takes the next bytes, and returns the messages that they complete.
    ///
    /// # Errors
    ///
    /// Returns [`TooLong`] if a message outgrows the limit.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Told>, TooLong> {
        let mut told = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + self.data.len() + piece.len() > self.longest {
                return Err(TooLong(self.longest));
            }
            self.line.extend_from_slice(piece);
            bytes = rest;
            if end.is_some() {
                self.after_return = bytes[0] == b'\r';
                bytes = &bytes[1..];
                told.extend(self.end_line());
            }
        }
        Ok(told)
    }

    fn end_line(&mut self) -> Option<Told> {
        let line = std::mem::take(&mut self.line);
        let mut line = &*String::from_utf8_lossy(&line);
        if !std::mem::replace(&mut self.is_begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let (kind, data) = (std::mem::take(&mut self.kind), std::mem::take(&mut self.data));
            let kind = if kind.is_empty() { "message".to_owned() } else { kind };
            return std::mem::take(&mut self.has_data).then_some(Told { kind, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.kind),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(value);
            }
            _ => {} // an id, a comment, or a field of a later version
        }
        None
    }
}
