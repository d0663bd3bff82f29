//! Pages: some of the children of a node, for sets that are too large to be looked at as a whole.

use std::cmp::Reverse;

use tokio::time::Instant;

use crate::part::Instances;
use crate::snapshot::{Node, NodeStateKind, own_end, state};
use supervise_runtime::TreeRef;
use supervise_runtime::extension::{AnyCell, ChildTable, part};

/// The children to show on a page, for [`Inspect::page_of`](crate::Inspect::page_of).
///
/// The default is the first 100 children in all states, in the order of their declaration or spawning.
///
/// ```
/// use supervise::inspect::{NodeStateKind, Page, PageOrder};
/// use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         sessions: [u32 => Session] = |_number: u32| Session,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// for number in [7, 12, 123, 112] {
///     shop.sessions.spawn(number).await?;
/// }
/// let page = Page::new().state(NodeStateKind::Running).name("12").order(PageOrder::Name).from(1).count(1);
/// let shown = shop.page_of("sessions", &page).expect("the set is there");
/// assert_eq!((shown.total, shown.matching), (4, 3)); // 12, 112, 123
/// assert_eq!(shown.nodes[0].path, "sessions/112");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    from: usize,
    count: usize,
    states: Vec<NodeStateKind>,
    name: String,
    order: PageOrder,
}

/// The order of the children on a [`Page`]. Children that are equal in it keep the order of their spawning.
///
/// ```
/// use supervise::inspect::{Page, PageOrder};
///
/// let busiest = Page::new().order(PageOrder::Waiting).count(10);
/// # let _ = busiest;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PageOrder {
    /// The order of their declaration or spawning.
    #[default]
    Spawned,
    /// By name, and names that are numbers by their value.
    Name,
    /// Those with the highest incarnation first.
    Restarts,
    /// Those with the most messages in the mailbox first.
    Waiting,
}

impl Default for Page {
    fn default() -> Self {
        Page { from: 0, count: 100, states: Vec::new(), name: String::new(), order: PageOrder::Spawned }
    }
}

impl Page {
    /// The first 100 children, in all states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Passes over this many of the children that match.
    pub fn from(self, from: usize) -> Self {
        Page { from, ..self }
    }

    /// Shows at most this many.
    pub fn count(self, count: usize) -> Self {
        Page { count, ..self }
    }

    /// Shows only children in this state, or in one of those that earlier calls named.
    pub fn state(mut self, state: NodeStateKind) -> Self {
        self.states.push(state);
        self
    }

    /// Shows only children whose name, as in a path, contains this text, in upper or lower case.
    pub fn name(self, text: impl Into<String>) -> Self {
        Page { name: text.into().to_lowercase(), ..self }
    }

    /// Sets the order.
    pub fn order(self, order: PageOrder) -> Self {
        Page { order, ..self }
    }
}

/// A part of the children of a node. Returned by [`Inspect::page_of`](crate::Inspect::page_of).
///
/// ```
/// use supervise::inspect::{NodePage, Page};
/// # use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { sessions: [Session] = || Session } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// for _ in 0..1000 {
///     shop.sessions.spawn().await?;
/// }
/// let page: NodePage = shop.page_of("sessions", &Page::new().from(990)).expect("the set is there");
/// assert_eq!((page.total, page.nodes.len()), (1000, 10));
/// assert_eq!(page.instances.map(|all| all.total()), Some(1000));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NodePage {
    /// The time of the page, on tokio's clock.
    pub at: Instant,
    /// The time when the whole tree was started.
    pub started: Instant,
    /// The number of all children of the node.
    pub total: usize,
    /// The number of those that match the page.
    pub matching: usize,
    /// The number of the children that were spawned at run time, by their state; `None` if the node cannot have any.
    pub instances: Option<Instances>,
    /// The children on the page, each without its own children.
    pub nodes: Vec<Node>,
}

/// Returns some of the children of the node with this path.
pub(crate) fn page_of(tree: &TreeRef, path: &str, page: &Page) -> Option<NodePage> {
    let now = Instant::now();
    let (owner, _) = part(tree, path, now)?;
    let table = owner.core().table()?;
    let mut children = table.children();
    let total = children.len();
    if !page.name.is_empty() {
        children.retain(|cell| cell.core().name().to_lowercase().contains(&page.name));
    }
    if !page.states.is_empty() {
        children.retain(|cell| page.states.contains(&state_of(table, &**cell, now)));
    }
    match page.order {
        PageOrder::Spawned => {}
        PageOrder::Name => children.sort_by_cached_key(|cell| by_number(cell.core().name())),
        PageOrder::Restarts => children.sort_by_key(|cell| Reverse(cell.core().incarnation())),
        PageOrder::Waiting => {
            children.sort_by_cached_key(|cell| Reverse(cell.mailbox().map(|mailbox| mailbox.waiting)));
        }
    }
    let declarations = owner.core().declarations();
    let shown = children.iter().skip(page.from).take(page.count).map(|cell| {
        let declared = cell.core().declaration_in(declarations);
        Node::alone(&**cell, table.see_child(&**cell, now), declared, now)
    });
    Some(NodePage {
        at: now,
        started: owner.core().bus().started(),
        total,
        matching: children.len(),
        instances: Instances::of_table(table, now),
        nodes: shown.collect(),
    })
}

fn state_of(table: &ChildTable, cell: &AnyCell, now: Instant) -> NodeStateKind {
    state(cell, table.see_child(cell, now).as_ref(), own_end(cell), now).kind()
}

/// Returns a key by which numbers are ordered by their value, before other names.
fn by_number(name: String) -> (u64, String) {
    let number = name.strip_prefix('#').unwrap_or(&name).parse().unwrap_or(u64::MAX);
    (number, name)
}
