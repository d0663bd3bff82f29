//! Drawings of a declaration.

use crate::inspection::draw::{Drawing, Drawn, Tone};
use crate::values::declaration::{ChildSpec, RemoteSpec, Shape, TreeSpec};
use crate::values::kind::ChildKind;
use crate::values::strategy::Strategy;

impl TreeSpec {
    /// Draws the tree as indented text: one line for each child, followed by its settings.
    ///
    /// ```text
    /// Shop  OneForOne
    /// ├── db: Db  Permanent  backoff(3s..30s)  no restart limit
    /// ├── reports: Reports  Permanent  AllForOne  at most 10 restarts in 60s: Shop fails after 5.11s of outage
    /// │   └── daily: Report  Permanent  at most 10 restarts in 60s of all together: reports fails after 5.11s of outage
    /// ├── shards: [Shard; 4]  Permanent  at most 10 restarts in 60s: Shop fails after 5.11s of outage
    /// └── sessions: [UserId => Session]  Transient  at most 10 restarts in 60s: it ends after 5.11s of outage
    /// ```
    ///
    /// The limit is the limit that holds for the child, or for each instance of a set, also where none is written: see
    /// [`DeclaredLimit`](crate::spec::DeclaredLimit). The outage is one in which each attempt fails at once.
    pub fn render(&self) -> String {
        self.drawing().text()
    }

    /// Draws the tree as a [Mermaid](https://mermaid.js.org) flowchart, which many sites and editors show directly.
    pub fn render_mermaid(&self) -> String {
        self.drawing().mermaid()
    }

    /// Draws the tree in the language of [Graphviz](https://graphviz.org): `dot -Tsvg` renders it.
    pub fn render_graphviz(&self) -> String {
        self.drawing().graphviz()
    }

    fn drawing(&self) -> Drawing {
        // Each child with the name and the strategy of its tree.
        let below = |of: (&'static str, Strategy), children: &'static [ChildSpec]| {
            children.iter().map(|child| Some((of, child))).collect()
        };
        Drawing::of(None, |entry: Option<((&'static str, Strategy), &'static ChildSpec)>| match entry {
            Some((of, child)) => {
                let tree = child.below();
                let own = (child.name, tree.map_or(Strategy::OneForOne, |tree| tree.strategy));
                (child.drawn(of), below(own, tree.map_or(&[][..], |tree| tree.children)))
            }
            None => (self.drawn(), below((self.name, self.strategy), self.children)),
        })
    }

    fn drawn(&self) -> Drawn {
        Drawn {
            label: self.name.to_owned(),
            notes: self.notes(),
            kind: ChildKind::Tree,
            tone: Tone::Plain,
            is_remote: false,
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("{:?}", self.strategy)];
        notes.extend(self.settings.iter().map(|text| setting(text)));
        notes
    }
}

impl ChildSpec {
    /// A `[Tree]` may contain itself, so the tree of its instances is not drawn here.
    fn below(&self) -> Option<&TreeSpec> {
        if self.is_set() { None } else { self.tree() }
    }

    fn drawn(&self, of: (&str, Strategy)) -> Drawn {
        let one = if self.remote.is_some() { format!("remote {}", self.item) } else { self.item.to_owned() };
        let item = match self.shape {
            Shape::One | Shape::Only => one,
            Shape::Optional => format!("Option<{one}>"),
            Shape::Array(count) => format!("[{one}; {count}]"),
            Shape::Set => format!("[{one}]"),
            Shape::Keyed(key) => format!("[{key} => {one}]"),
        };
        let mut notes = vec![format!("{:?}", self.lifecycle)];
        notes.extend(self.below().map(TreeSpec::notes).unwrap_or_default());
        notes.extend(self.remote.map(RemoteSpec::note));
        // The setting `on` of a remote child is shown with its values, which the tree may have given.
        let written = self.settings.iter().filter(|text| !(self.remote.is_some() && text.starts_with("on(")));
        notes.extend(written.map(|text| setting(text)));
        notes.extend(self.limit_note(of));
        Drawn {
            label: format!("{}: {item}", self.name),
            notes,
            kind: if self.is_set() { ChildKind::Set } else { self.kind },
            tone: Tone::Plain,
            is_remote: self.remote.is_some(),
        }
    }
}

/// Leaves out the arms of a decider, which are too long for a drawing.
fn setting(text: &str) -> String {
    if text.starts_with("decider(") { "decider(..)".to_owned() } else { text.to_owned() }
}
