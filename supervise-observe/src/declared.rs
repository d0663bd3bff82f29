//! The texts of a declaration: drawings, and the units that deploy it.

use crate::deploy::{PodSnippet, SystemdUnit};
use crate::draw::{Drawing, Drawn, Tone};
use supervise_core::values::declaration::{ChildSpec, RemoteSpec, Shape, TreeSpec};
use supervise_core::values::kind::ChildKind;
use supervise_core::values::strategy::Strategy;

/// The texts of a declaration: drawings, and units for systemd and Kubernetes. The prelude has this trait.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! { struct Shop { db: Db = Db } }
///
/// assert!(Shop::SPEC.render().starts_with("Shop  OneForOne\n└── db: Db  Permanent"));
/// ```
pub trait Render: sealed::Sealed {
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
    /// [`DeclaredLimit`](supervise_runtime::spec::DeclaredLimit). The outage is one in which each attempt fails at once.
    fn render(&self) -> String;

    /// Draws the tree as a [Mermaid](https://mermaid.js.org) flowchart, which many sites and editors show directly.
    fn render_mermaid(&self) -> String;

    /// Draws the tree in the language of [Graphviz](https://graphviz.org): `dot -Tsvg` renders it.
    fn render_graphviz(&self) -> String;

    /// Returns the text of a unit for systemd, with the time that the declaration needs to stop in order.
    ///
    /// See [`SystemdUnit`].
    fn systemd_unit(&self) -> SystemdUnit<'_>;

    /// Returns the part of a pod's description for Kubernetes that belongs to the tree: its probes, and the time that the
    /// declaration needs to stop in order.
    ///
    /// See [`PodSnippet`].
    fn pod_snippet(&self) -> PodSnippet<'_>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::TreeSpec {}
}

impl Render for TreeSpec {
    fn render(&self) -> String {
        drawing(self).text()
    }

    fn render_mermaid(&self) -> String {
        drawing(self).mermaid()
    }

    fn render_graphviz(&self) -> String {
        drawing(self).graphviz()
    }

    fn systemd_unit(&self) -> SystemdUnit<'_> {
        SystemdUnit::of(self)
    }

    fn pod_snippet(&self) -> PodSnippet<'_> {
        PodSnippet::of(self)
    }
}

fn drawing(spec: &TreeSpec) -> Drawing {
    // Each child with the name and the strategy of its tree.
    let below = |of: (&'static str, Strategy), children: &'static [ChildSpec]| {
        children.iter().map(|child| Some((of, child))).collect()
    };
    Drawing::of(None, |entry: Option<((&'static str, Strategy), &'static ChildSpec)>| match entry {
        Some((of, child)) => {
            let tree = below_of(child);
            let own = (child.name, tree.map_or(Strategy::OneForOne, |tree| tree.strategy));
            (drawn_child(child, of), below(own, tree.map_or(&[][..], |tree| tree.children)))
        }
        None => (drawn(spec), below((spec.name, spec.strategy), spec.children)),
    })
}

fn drawn(spec: &TreeSpec) -> Drawn {
    Drawn {
        label: spec.name.to_owned(),
        notes: notes(spec),
        kind: ChildKind::Tree,
        tone: Tone::Plain,
        is_remote: false,
    }
}

fn notes(spec: &TreeSpec) -> Vec<String> {
    let mut notes = vec![format!("{:?}", spec.strategy)];
    notes.extend(spec.settings.iter().map(|text| setting(text)));
    notes
}

/// A `[Tree]` may contain itself, so the tree of its instances is not drawn here.
fn below_of(child: &ChildSpec) -> Option<&TreeSpec> {
    if child.is_set() { None } else { child.tree() }
}

fn drawn_child(child: &ChildSpec, of: (&str, Strategy)) -> Drawn {
    let one = if child.remote.is_some() { format!("remote {}", child.item) } else { child.item.to_owned() };
    let item = match child.shape {
        Shape::One | Shape::Only => one,
        Shape::Optional => format!("Option<{one}>"),
        Shape::Array(count) => format!("[{one}; {count}]"),
        Shape::Set => format!("[{one}]"),
        Shape::Keyed(key) => format!("[{key} => {one}]"),
        shape => format!("{one} {shape:?}"),
    };
    let of_tree = below_of(child).map(notes).unwrap_or_default();
    let mut notes = vec![format!("{:?}", child.lifecycle)];
    notes.extend(of_tree);
    notes.extend(child.remote.map(RemoteSpec::note));
    // The setting `on` of a remote child is shown with its values, which the tree may have given.
    let written = child.settings.iter().filter(|text| !(child.remote.is_some() && text.starts_with("on(")));
    notes.extend(written.map(|text| setting(text)));
    notes.extend(child.limit_note(of));
    Drawn {
        label: format!("{}: {item}", child.name),
        notes,
        kind: if child.is_set() { ChildKind::Set } else { child.kind },
        tone: Tone::Plain,
        is_remote: child.remote.is_some(),
    }
}

/// Leaves out the arms of a decider, which are too long for a drawing.
fn setting(text: &str) -> String {
    if text.starts_with("decider(") { "decider(..)".to_owned() } else { text.to_owned() }
}
