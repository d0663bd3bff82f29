//! Every shape of child: sets, keys, subtrees, `let`s, and actors that are spawned or linked at run time.

mod any_child;
mod arguments_with_lifetimes;
mod arrays;
mod generic_trees;
mod handles;
mod keyed_sets;
mod later;
mod lets;
mod links;
mod max_starting;
mod names;
mod own_restart;
mod published_lets;
mod replace;
mod run_time;
mod sets;
mod shapes;
mod spawned;
mod subtrees;
mod temporary_sets;
mod top_level;
