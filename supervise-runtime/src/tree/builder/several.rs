//! `Option<T>` and `[T; N]`: none, or several children of one declaration (S28).

use super::*;

impl Builder {
    /// An `Option<T>`. Whether it is there is decided at its first start and then fixed.
    pub async fn optional<T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        mut start: F,
    ) -> Result<Option<T::Handle>, Thrown>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<Option<T::Start>, Thrown>> + Send + 'static,
    {
        let place = self.next();
        if let Some((_, recipe)) = self.known::<Recipe<T>>(place)
            && recipe.there.get() == Some(&false)
        {
            self.sup().skip(&*self.cell, place);
            return Ok(None);
        }
        let start = move || {
            let start = start();
            async move { start.await?.ok_or_else(Thrown::absent) }
        };
        let recipe = self.put(place, Name::from(name), options.optional(), start).await?;
        // The child is over and was never up: it was not there, or somebody has stopped it before it could be. That is
        // fixed for good: of a later start by hand the group forgets whether an earlier one was up.
        if !recipe.there.get_or_init(|| self.sup().look(|group| group.was_up(place))) {
            return Ok(None);
        }
        Ok(recipe.handle())
    }

    /// A `[T; N]`: ordinary children, `name/0` and so on, in this order.
    pub async fn array<T, const N: usize, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        start: F,
    ) -> Result<[T::Handle; N], Thrown>
    where
        T: Child,
        F: FnMut(usize) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        self.counted(&Name::from(name), |_| InvalidSettings::of_array(N))?;
        let mut handles = Vec::with_capacity(N);
        for i in 0..N {
            let (name, mut start) = (format!("{name}/{i}"), start.clone());
            // Its place is a part of the path by itself.
            let called = Name::Text(name.as_str().into());
            let recipe = self.put(self.next(), called, options.clone(), move || start(i)).await?;
            handles.push(recipe.handle().ok_or_else(|| Thrown::from(format!("{name} ended before it was up")))?);
        }
        handles.try_into().map_err(|_| Thrown::from("as many handles as children"))
    }
}
