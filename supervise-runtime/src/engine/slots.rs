//! The places for the state of extensions.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The state that extensions keep for a cell or a tree: one value of each type. Few cells have any, so all of it takes no
/// more room than a pointer.
#[derive(Default)]
#[expect(clippy::box_collection, reason = "see above")]
pub(crate) struct Slots(Option<Box<Vec<Arc<dyn Any + Send + Sync>>>>);

impl Slots {
    /// Returns the value of this type.
    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.as_ref()?.iter().find(|value| (***value).is::<T>())?.clone().downcast().ok()
    }

    /// Sets the value of its type. Returns the one before, to be dropped after the lock.
    #[must_use]
    pub(crate) fn set<T: Any + Send + Sync>(&mut self, value: Arc<T>) -> Option<Arc<T>> {
        let before = self.take();
        self.0.get_or_insert_default().push(value);
        before
    }

    /// Returns the value of this type; puts `value` in if there is none. The caller keeps `value`, and drops it after the
    /// lock.
    pub(crate) fn get_or_set<T: Any + Send + Sync>(&mut self, value: &Arc<T>) -> Arc<T> {
        self.get().unwrap_or_else(|| {
            self.0.get_or_insert_default().push(value.clone());
            value.clone()
        })
    }

    /// Takes the value of this type out.
    pub(crate) fn take<T: Any + Send + Sync>(&mut self) -> Option<Arc<T>> {
        let values = self.0.as_mut()?;
        let at = values.iter().position(|value| (**value).is::<T>())?;
        values.swap_remove(at).downcast().ok()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slots({})", self.0.as_ref().map_or(0, |values| values.len()))
    }
}
