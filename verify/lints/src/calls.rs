//! Methods as messages: sync ones, async ones, and both.

use std::path::Path;

use supervise::prelude::*;

/// An error that goes to the caller.
#[derive(Debug, Clone, Copy)]
pub struct Refused;

/// An actor with a method of each form.
#[derive(Debug)]
pub struct Store<K, V> {
    all: Vec<(K, V)>,
}

#[actor(derive(Clone))]
impl<K: Clone + Send + 'static, V: Clone + Send + 'static> Store<K, V> {
    /// Puts something in.
    ///
    /// # Errors
    ///
    /// Never.
    #[message]
    pub fn put(&mut self, key: K, value: V) -> Result<usize, Refused> {
        self.all.push((key, value));
        Ok(self.all.len())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Never.
    #[message]
    pub async fn read(&mut self, path: &Path, cx: &mut Context<Self>) -> Result<Option<V>, Thrown> {
        tokio::task::yield_now().await;
        if path.as_os_str().is_empty() {
            cx.stop();
        }
        Ok(None)
    }

    /// Answers by itself.
    #[message]
    pub fn later(&self, reply: Reply<usize>) {
        reply.send(self.all.len());
    }

    #[message]
    fn clear(&mut self) {
        self.all.clear();
    }
}

/// An actor whose methods are all sync.
#[derive(Debug, Clone, Copy)]
pub struct Now(u32);

#[actor]
impl Now {
    /// Returns the number.
    #[message]
    #[must_use]
    pub const fn get(&self) -> u32 {
        self.0
    }
}

/// An actor whose methods are all async.
#[derive(Debug, Clone, Copy)]
pub struct Later;

#[actor]
impl Later {
    /// Waits.
    #[message]
    pub async fn wait(&mut self) {
        tokio::task::yield_now().await;
    }
}
