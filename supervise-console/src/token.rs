//! Tokens: the secrets that allow to look or to act.

use std::env::VarError;
use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::Error;

/// The number of characters that a token has at least.
const SHORTEST: usize = 16;

/// A secret that a visitor of the console has to show, in the header `Authorization: Bearer ..`.
///
/// A token has at least 16 characters of visible ASCII. The value keeps only a digest of them, so that neither a log nor an
/// error can show the token. The comparison takes the same time for every wrong token.
///
/// ```
/// use supervise_console::{Error, Token};
///
/// let token = Token::new("8f1c0a7be2d94f63")?;
/// assert_eq!(format!("{token:?}"), "Token(..)");
/// assert!(matches!(Token::new(""), Err(Error::ShortToken { length: 0 })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
}

impl Token {
    /// Makes a token.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ShortToken`] for fewer than 16 characters, and [`Error::TokenCharacter`] if there are others than
    /// the visible ones of ASCII, which a header cannot carry.
    pub fn new(text: impl AsRef<str>) -> Result<Token, Error> {
        let text = text.as_ref();
        let length = text.chars().count();
        if length < SHORTEST {
            return Err(Error::ShortToken { length });
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::TokenCharacter);
        }
        Ok(Token { digest: Sha256::digest(text).into() })
    }

    /// Returns whether this is the token.
    pub(crate) fn is(&self, shown: &[u8]) -> bool {
        let shown: [u8; 32] = Sha256::digest(shown).into();
        self.digest.ct_eq(&shown).into()
    }

    /// Returns whether both are the same.
    pub(crate) fn same(&self, other: &Token) -> bool {
        self.digest.ct_eq(&other.digest).into()
    }
}

/// Shows nothing of the token.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A value that a token is made from: a [`Token`], a text, or a variable of the environment.
///
/// ```
/// use supervise_console::{Console, Token};
/// # use supervise::TreeRef;
/// # fn example(tree: TreeRef) -> Result<(), supervise_console::Error> {
/// let console = Console::new(tree)
///     .token(Token::new("8f1c0a7be2d94f63")?)
///     .allow_control(std::env::var("SHOP_CONTROL_TOKEN"));
/// # Ok(()) }
/// ```
pub trait IntoToken {
    /// Makes the token.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Token::new`], or [`Error::TokenVariable`] for a variable that is not set.
    fn into_token(self) -> Result<Token, Error>;
}

impl IntoToken for Token {
    fn into_token(self) -> Result<Token, Error> {
        Ok(self)
    }
}

impl IntoToken for &str {
    fn into_token(self) -> Result<Token, Error> {
        Token::new(self)
    }
}

impl IntoToken for String {
    fn into_token(self) -> Result<Token, Error> {
        Token::new(self)
    }
}

impl IntoToken for &String {
    fn into_token(self) -> Result<Token, Error> {
        Token::new(self)
    }
}

impl IntoToken for Result<Token, Error> {
    fn into_token(self) -> Result<Token, Error> {
        self
    }
}

/// The result of [`std::env::var`].
impl IntoToken for Result<String, VarError> {
    fn into_token(self) -> Result<Token, Error> {
        let text = self.map_err(|error| match error {
            VarError::NotPresent => error,
            VarError::NotUnicode(_) => VarError::NotUnicode("..".into()), // the text is the secret
        })?;
        Token::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn a_token_that_is_no_secret_is_refused() {
        assert!(matches!(Token::new("fifteen letters".replace(' ', "-")), Err(Error::ShortToken { length: 15 })));
        for text in ["sixteen and space", "sixteen-and-\nline", "sechzehn-zeichen-ä"] {
            assert!(matches!(Token::new(text), Err(Error::TokenCharacter)), "{text:?}");
        }
    }

    /// The text of a variable that is not UTF-8 may be a secret with a slip of the pen.
    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_not_text_is_not_shown() {
        use std::os::unix::ffi::OsStringExt;
        let text = std::ffi::OsString::from_vec(b"hunter2\xff".to_vec());
        let error = Err::<String, _>(VarError::NotUnicode(text)).into_token().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}
