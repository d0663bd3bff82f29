//! The shapes `Option<T>` and `[T; N]`: an optional child, or several children from one declaration (S28).

use std::future::Future;

use super::{Builder, StartRecipe};
use crate::actor::options::ChildOptions;
use crate::tree::child::Child;
use crate::tree::handles::Handles;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::values::failure::Thrown;
use supervise_core::values::invalid_settings::InvalidSettings;
use supervise_core::values::place::Name;

impl Builder {
    /// Adds an `Option<T>`. Whether the child is there is decided at its first start and then fixed.
    pub fn optional<T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        mut start: F,
    ) -> BoxFuture<'_, Result<Option<T::Handle>, Thrown>>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<Option<T::Start>, Thrown>> + Send + 'static,
    {
        Box::pin(async move {
            let place = self.next();
            if let Some((_, recipe)) = self.known::<StartRecipe<T>>(place)
                && recipe.there.get() == Some(&false)
            {
                self.table().skip(&*self.cell, place);
                return Ok(None);
            }
            let start = move || {
                let start = start();
                async move { start.await?.ok_or_else(Thrown::absent) }
            };
            let start = CatchDrop::new(start);
            let validated = self.validate(&Name::Declared(name), options.optional(), T::KIND, 1)?;
            let recipe = self.put(place, Name::Declared(name), &validated, start).await?;
            // The child has ended and was never up: it was absent, or it was stopped before it could be up. The result is
            // stored, since a later requested start resets the group's memory of an earlier one.
            if !recipe.there.get_or_init(|| self.table().inspect(|group| group.was_up(place))) {
                return Ok(None);
            }
            Ok(recipe.handle())
        })
    }

    /// Adds a `[T; N]`: ordinary children, `name/0` and so on, in this order.
    pub fn array<T, const N: usize, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        start: F,
    ) -> BoxFuture<'_, Result<Handles<T::Handle, N>, Thrown>>
    where
        T: Child,
        F: FnMut(usize) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move {
            self.counted(&Name::Declared(name), |_| InvalidSettings::of_array(N))?;
            // The elements have the same settings, so only those of the first one are checked.
            let validated = self.validate(&Name::Element(name, 0), options, T::KIND, N)?;
            self.table().expect(self.place.load(Ordering::Relaxed) as usize + N);
            let mut handles = Vec::with_capacity(N);
            for i in 0..N {
                let mut start = start.clone();
                // The cast loses nothing: a table of children has at most `u32::MAX` places.
                let called = Name::Element(name, i as u32);
                let start = CatchDrop::new(move || start(i));
                let recipe = self.put(self.next(), called, &validated, start).await?;
                handles
                    .push(recipe.handle().ok_or_else(|| Thrown::from(format!("{name}/{i} ended before it was up")))?);
            }
            handles.try_into().map_err(|_| Thrown::from("as many handles as children"))
        })
    }
}
