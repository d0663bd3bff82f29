//! An error that came from another process as text.

use std::error::Error;
use std::fmt;

/// An error of a remote child whose type cannot cross to another process: its text, and those of its sources.
///
/// An error that is `Serialize` and `DeserializeOwned` crosses as itself, and deciders find its type. Of every other
/// error the texts cross. No arm of a decider can name its type, so the default decides where no other arm matches:
/// rule S9, and not S8.
///
/// `Display` writes each text once: many errors already contain the text of their source.
///
/// ```
/// use supervise::error::FarError;
///
/// let error = FarError { texts: vec!["no rates".to_owned(), "connection refused".to_owned()] };
/// assert_eq!(error.to_string(), "no rates: connection refused");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FarError {
    /// The text of the error, then those of its sources.
    pub texts: Vec<String>,
}

impl fmt::Display for FarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, text) in self.texts.iter().enumerate() {
            match at {
                0 => f.write_str(text)?,
                _ if self.texts[..at].iter().any(|before| before.contains(text.as_str())) => {}
                _ => write!(f, ": {text}")?,
            }
        }
        Ok(())
    }
}

impl Error for FarError {}
