//! Each mistake of `tests/compile_fail` with the repair made that its comment names: all of them in one build. They only
//! have to compile.
#![allow(dead_code, unused_imports)]

// The modules, as `UPDATE=1 cargo test --test manual` writes them.
mod actor {
    #[path = "argument.fixed.rs"]
    mod argument;
    #[path = "handle_missing.fixed.rs"]
    mod handle_missing;
    #[path = "handle_missing_of_a_derive.fixed.rs"]
    mod handle_missing_of_a_derive;
    #[path = "handle_output.fixed.rs"]
    mod handle_output;
    #[path = "handle_signature.fixed.rs"]
    mod handle_signature;
    #[path = "helper_above.fixed.rs"]
    mod helper_above;
    #[path = "helper_above_with_types.fixed.rs"]
    mod helper_above_with_types;
    #[path = "hook_missing.fixed.rs"]
    mod hook_missing;
    #[path = "hook_named_like_the_trait.fixed.rs"]
    mod hook_named_like_the_trait;
    #[path = "hook_twice.fixed.rs"]
    mod hook_twice;
    #[path = "messages_unknown.fixed.rs"]
    mod messages_unknown;
    #[path = "on_a_struct.fixed.rs"]
    mod on_a_struct;
    #[path = "on_a_trait_impl.fixed.rs"]
    mod on_a_trait_impl;
    #[path = "stray_marker.fixed.rs"]
    mod stray_marker;
    #[path = "watch_without_terminated.fixed.rs"]
    mod watch_without_terminated;
}
mod backoff {
    #[path = "arguments_of_a_value.fixed.rs"]
    mod arguments_of_a_value;
    #[path = "closed_range.fixed.rs"]
    mod closed_range;
    #[path = "empty_range.fixed.rs"]
    mod empty_range;
    #[path = "factor.fixed.rs"]
    mod factor;
    #[path = "of_the_temporary.fixed.rs"]
    mod of_the_temporary;
    #[path = "one_delay.fixed.rs"]
    mod one_delay;
    #[path = "random_factor.fixed.rs"]
    mod random_factor;
    #[path = "reset_too_early.fixed.rs"]
    mod reset_too_early;
    #[path = "unbounded.fixed.rs"]
    mod unbounded;
}
mod decider {
    #[path = "after_the_rest.fixed.rs"]
    mod after_the_rest;
    #[path = "bare_fields.fixed.rs"]
    mod bare_fields;
    #[path = "bare_name.fixed.rs"]
    mod bare_name;
    #[path = "comma_twice.fixed.rs"]
    mod comma_twice;
    #[path = "forgotten_variant.fixed.rs"]
    mod forgotten_variant;
    #[path = "function.fixed.rs"]
    mod function;
    #[path = "literal.fixed.rs"]
    mod literal;
    #[path = "no_directive.fixed.rs"]
    mod no_directive;
    #[path = "not_an_error.fixed.rs"]
    mod not_an_error;
    #[path = "nothing.fixed.rs"]
    mod nothing;
    #[path = "two_types.fixed.rs"]
    mod two_types;
    #[path = "type_alone.fixed.rs"]
    mod type_alone;
    #[path = "unknown_directive.fixed.rs"]
    mod unknown_directive;
}
mod durations {
    #[path = "anywhere.fixed.rs"]
    mod anywhere;
    #[path = "in_hex.fixed.rs"]
    mod in_hex;
    #[path = "negative.fixed.rs"]
    mod negative;
    #[path = "no_unit.fixed.rs"]
    mod no_unit;
    #[path = "too_long.fixed.rs"]
    mod too_long;
    #[path = "two_units.fixed.rs"]
    mod two_units;
    #[path = "unknown_unit.fixed.rs"]
    mod unknown_unit;
    #[path = "zero.fixed.rs"]
    mod zero;
}
mod hooks {
    #[path = "called.fixed.rs"]
    mod called;
    #[path = "error.fixed.rs"]
    mod error;
    #[path = "missing.fixed.rs"]
    mod missing;
    #[path = "of_another_actor.fixed.rs"]
    mod of_another_actor;
    #[path = "output.fixed.rs"]
    mod output;
    #[path = "shared.fixed.rs"]
    mod shared;
    #[path = "signature.fixed.rs"]
    mod signature;
}
mod kept {
    #[path = "argument_not_clone.fixed.rs"]
    mod argument_not_clone;
    #[path = "argument_not_send.fixed.rs"]
    mod argument_not_send;
    #[path = "argument_of_initial.fixed.rs"]
    mod argument_of_initial;
    #[path = "key.fixed.rs"]
    mod key;
    #[path = "let_not_clone.fixed.rs"]
    mod let_not_clone;
    #[path = "let_not_send.fixed.rs"]
    mod let_not_send;
    #[path = "parameter_borrowed.fixed.rs"]
    mod parameter_borrowed;
    #[path = "parameter_not_clone.fixed.rs"]
    mod parameter_not_clone;
    #[path = "parameter_not_send.fixed.rs"]
    mod parameter_not_send;
}
mod names {
    #[path = "inline_subtree.fixed.rs"]
    mod inline_subtree;
    #[path = "inside_a_subtree.fixed.rs"]
    mod inside_a_subtree;
    #[path = "itself.fixed.rs"]
    mod itself;
    #[path = "keyword.fixed.rs"]
    mod keyword;
    #[path = "let_and_child.fixed.rs"]
    mod let_and_child;
    #[path = "of_the_macro.fixed.rs"]
    mod of_the_macro;
    #[path = "parameter_and_child.fixed.rs"]
    mod parameter_and_child;
    #[path = "subtree_type.fixed.rs"]
    mod subtree_type;
    #[path = "tree.fixed.rs"]
    mod tree;
    #[path = "two_children.fixed.rs"]
    mod two_children;
    #[path = "underscore.fixed.rs"]
    mod underscore;
}
mod order {
    #[path = "inside_a_subtree.fixed.rs"]
    mod inside_a_subtree;
    #[path = "itself.fixed.rs"]
    mod itself;
    #[path = "later_sibling.fixed.rs"]
    mod later_sibling;
    #[path = "let_above.fixed.rs"]
    mod let_above;
}
mod pace {
    #[path = "built_in.fixed.rs"]
    mod built_in;
    #[path = "of_a_child.fixed.rs"]
    mod of_a_child;
    #[path = "of_a_group.fixed.rs"]
    mod of_a_group;
    #[path = "own_limit.fixed.rs"]
    mod own_limit;
}
mod settings {
    #[path = "above_the_tree.fixed.rs"]
    mod above_the_tree;
    #[path = "after_a_child.fixed.rs"]
    mod after_a_child;
    #[path = "argument_alone.fixed.rs"]
    mod argument_alone;
    #[path = "argument_twice.fixed.rs"]
    mod argument_twice;
    #[path = "comma.fixed.rs"]
    mod comma;
    #[path = "mailbox_of_what.fixed.rs"]
    mod mailbox_of_what;
    #[path = "name_missing.fixed.rs"]
    mod name_missing;
    #[path = "no_arguments.fixed.rs"]
    mod no_arguments;
    #[path = "number_for_a_time.fixed.rs"]
    mod number_for_a_time;
    #[path = "number_too_large.fixed.rs"]
    mod number_too_large;
    #[path = "of_a_child_inside.fixed.rs"]
    mod of_a_child_inside;
    #[path = "of_a_tree_above_a_child.fixed.rs"]
    mod of_a_tree_above_a_child;
    #[path = "of_actors_on_a_subtree.fixed.rs"]
    mod of_actors_on_a_subtree;
    #[path = "of_actors_on_a_task.fixed.rs"]
    mod of_actors_on_a_task;
    #[path = "one_for_all.fixed.rs"]
    mod one_for_all;
    #[path = "other_attribute.fixed.rs"]
    mod other_attribute;
    #[path = "text_for_a_number.fixed.rs"]
    mod text_for_a_number;
    #[path = "twice.fixed.rs"]
    mod twice;
    #[path = "type_of_a_value.fixed.rs"]
    mod type_of_a_value;
    #[path = "unknown.fixed.rs"]
    mod unknown;
    #[path = "unknown_argument.fixed.rs"]
    mod unknown_argument;
    #[path = "unknown_far.fixed.rs"]
    mod unknown_far;
    #[path = "unknown_word.fixed.rs"]
    mod unknown_word;
    #[path = "value_missing.fixed.rs"]
    mod value_missing;
    #[path = "words_of_akka.fixed.rs"]
    mod words_of_akka;
    #[path = "words_of_otp.fixed.rs"]
    mod words_of_otp;
}
mod shapes {
    #[path = "array_without_index.fixed.rs"]
    mod array_without_index;
    #[path = "keyed_without_key.fixed.rs"]
    mod keyed_without_key;
    #[path = "one_with_a_closure.fixed.rs"]
    mod one_with_a_closure;
    #[path = "option_with_a_closure.fixed.rs"]
    mod option_with_a_closure;
    #[path = "set_of_many_arguments.fixed.rs"]
    mod set_of_many_arguments;
    #[path = "set_untyped.fixed.rs"]
    mod set_untyped;
    #[path = "set_without_a_closure.fixed.rs"]
    mod set_without_a_closure;
    #[path = "shape_in_a_shape.fixed.rs"]
    mod shape_in_a_shape;
    #[path = "task_with_two_contexts.fixed.rs"]
    mod task_with_two_contexts;
}
mod shutdown {
    #[path = "across_trees.fixed.rs"]
    mod across_trees;
    #[path = "of_a_subtree.fixed.rs"]
    mod of_a_subtree;
    #[path = "of_an_array.fixed.rs"]
    mod of_an_array;
    #[path = "of_an_instance.fixed.rs"]
    mod of_an_instance;
}
mod tree {
    #[path = "comma.fixed.rs"]
    mod comma;
    #[path = "empty.fixed.rs"]
    mod empty;
    #[path = "generic.fixed.rs"]
    mod generic;
    #[path = "inner_doc.fixed.rs"]
    mod inner_doc;
    #[path = "let_attribute.fixed.rs"]
    mod let_attribute;
    #[path = "let_else.fixed.rs"]
    mod let_else;
    #[path = "let_pub.fixed.rs"]
    mod let_pub;
    #[path = "many.fixed.rs"]
    mod many;
    #[path = "no_colon.fixed.rs"]
    mod no_colon;
    #[path = "no_start.fixed.rs"]
    mod no_start;
    #[path = "no_type.fixed.rs"]
    mod no_type;
    #[path = "not_a_struct.fixed.rs"]
    mod not_a_struct;
    #[path = "subtree_with_parameters.fixed.rs"]
    mod subtree_with_parameters;
    #[path = "subtree_with_start.fixed.rs"]
    mod subtree_with_start;
    #[path = "two_trees.fixed.rs"]
    mod two_trees;
    #[path = "typing.fixed.rs"]
    mod typing;
    #[path = "words_missing.fixed.rs"]
    mod words_missing;
}
mod types {
    #[path = "array_length.fixed.rs"]
    mod array_length;
    #[path = "index.fixed.rs"]
    mod index;
    #[path = "initial.fixed.rs"]
    mod initial;
    #[path = "key_argument.fixed.rs"]
    mod key_argument;
    #[path = "neither.fixed.rs"]
    mod neither;
    #[path = "neither_in_shapes.fixed.rs"]
    mod neither_in_shapes;
    #[path = "setting_of_actors_on_a_tree.fixed.rs"]
    mod setting_of_actors_on_a_tree;
    #[path = "spawn.fixed.rs"]
    mod spawn;
    #[path = "start.fixed.rs"]
    mod start;
    #[path = "task_output.fixed.rs"]
    mod task_output;
    #[path = "unknown.fixed.rs"]
    mod unknown;
}
mod useless {
    #[path = "array_of_zero.fixed.rs"]
    mod array_of_zero;
    #[path = "attempts_zero.fixed.rs"]
    mod attempts_zero;
    #[path = "bounded_zero.fixed.rs"]
    mod bounded_zero;
    #[path = "drain_and_kill.fixed.rs"]
    mod drain_and_kill;
    #[path = "drain_without_mailbox.fixed.rs"]
    mod drain_without_mailbox;
    #[path = "initial_of_one.fixed.rs"]
    mod initial_of_one;
    #[path = "limit_in_a_group.fixed.rs"]
    mod limit_in_a_group;
    #[path = "limit_of_the_temporary.fixed.rs"]
    mod limit_of_the_temporary;
    #[path = "max_children_of_one.fixed.rs"]
    mod max_children_of_one;
    #[path = "max_children_zero.fixed.rs"]
    mod max_children_zero;
    #[path = "on_limit_of_a_backoff.fixed.rs"]
    mod on_limit_of_a_backoff;
    #[path = "on_limit_without_a_limit.fixed.rs"]
    mod on_limit_without_a_limit;
    #[path = "ready_of_an_actor.fixed.rs"]
    mod ready_of_an_actor;
    #[path = "ready_without_context.fixed.rs"]
    mod ready_without_context;
    #[path = "redeliver_not_clone.fixed.rs"]
    mod redeliver_not_clone;
    #[path = "shutdown_without_context.fixed.rs"]
    mod shutdown_without_context;
    #[path = "significant_permanent.fixed.rs"]
    mod significant_permanent;
    #[path = "start_without_ready.fixed.rs"]
    mod start_without_ready;
    #[path = "within_alone.fixed.rs"]
    mod within_alone;
    #[path = "within_of_a_backoff.fixed.rs"]
    mod within_of_a_backoff;
}
