//! Each mistake of `tests/ui` with the repair made that its comment names: all of them in one build. What they do is
//! nobody's business here, only that they compile.
#![allow(dead_code, unused_imports)]

#[path = "ui/fixed"]
mod fixed {
    mod actor {
        mod argument;
        mod handle_missing;
        mod handle_missing_of_a_derive;
        mod handle_output;
        mod handle_signature;
        mod helper_above;
        mod helper_above_with_types;
        mod hook_missing;
        mod hook_named_like_the_trait;
        mod hook_twice;
        mod messages_unknown;
        mod on_a_struct;
        mod on_a_trait_impl;
        mod stray_marker;
        mod watch_without_terminated;
    }
    mod backoff {
        mod arguments_of_a_value;
        mod closed_range;
        mod empty_range;
        mod factor;
        mod of_the_temporary;
        mod one_delay;
        mod random_factor;
        mod reset_too_early;
        mod unbounded;
    }
    mod decider {
        mod after_the_rest;
        mod bare_fields;
        mod bare_name;
        mod comma_twice;
        mod forgotten_variant;
        mod function;
        mod literal;
        mod no_directive;
        mod not_an_error;
        mod nothing;
        mod two_types;
        mod type_alone;
        mod unknown_directive;
    }
    mod durations {
        mod anywhere;
        mod in_hex;
        mod negative;
        mod no_unit;
        mod too_long;
        mod two_units;
        mod unknown_unit;
        mod zero;
    }
    mod hooks {
        mod called;
        mod error;
        mod missing;
        mod of_another_actor;
        mod output;
        mod shared;
        mod signature;
    }
    mod kept {
        mod argument_not_clone;
        mod argument_not_send;
        mod argument_of_initial;
        mod key;
        mod let_not_clone;
        mod let_not_send;
        mod parameter_borrowed;
        mod parameter_not_clone;
        mod parameter_not_send;
    }
    mod names {
        mod inline_subtree;
        mod inside_a_subtree;
        mod itself;
        mod keyword;
        mod let_and_child;
        mod of_the_macro;
        mod parameter_and_child;
        mod subtree_type;
        mod tree;
        mod two_children;
        mod underscore;
    }
    mod order {
        mod inside_a_subtree;
        mod itself;
        mod later_sibling;
        mod let_above;
    }
    mod pace {
        mod built_in;
        mod default_limit;
        mod of_a_child;
        mod of_a_group;
        mod own_limit;
        mod slow_growth;
    }
    mod settings {
        mod above_the_tree;
        mod after_a_child;
        mod argument_alone;
        mod argument_twice;
        mod comma;
        mod mailbox_of_what;
        mod name_missing;
        mod no_arguments;
        mod number_for_a_time;
        mod number_too_large;
        mod of_a_child_inside;
        mod of_a_tree_above_a_child;
        mod of_actors_on_a_subtree;
        mod of_actors_on_a_task;
        mod one_for_all;
        mod other_attribute;
        mod text_for_a_number;
        mod twice;
        mod type_of_a_value;
        mod unknown;
        mod unknown_argument;
        mod unknown_far;
        mod unknown_word;
        mod value_missing;
        mod words_of_akka;
        mod words_of_otp;
    }
    mod shapes {
        mod array_without_index;
        mod keyed_without_key;
        mod one_with_a_closure;
        mod option_with_a_closure;
        mod set_of_many_arguments;
        mod set_untyped;
        mod set_without_a_closure;
        mod shape_in_a_shape;
        mod task_with_two_contexts;
    }
    mod shutdown {
        mod across_trees;
        mod of_a_subtree;
        mod of_an_array;
        mod of_an_instance;
    }
    mod tree {
        mod comma;
        mod empty;
        mod generic;
        mod inner_doc;
        mod let_attribute;
        mod let_else;
        mod let_pub;
        mod many;
        mod no_colon;
        mod no_start;
        mod no_type;
        mod not_a_struct;
        mod subtree_with_parameters;
        mod subtree_with_start;
        mod two_trees;
        mod typing;
        mod words_missing;
    }
    mod types {
        mod array_length;
        mod index;
        mod initial;
        mod key_argument;
        mod neither;
        mod neither_in_shapes;
        mod setting_of_actors_on_a_tree;
        mod spawn;
        mod start;
        mod task_output;
        mod unknown;
    }
    mod useless {
        mod array_of_zero;
        mod attempts_zero;
        mod bounded_zero;
        mod drain_and_kill;
        mod drain_without_mailbox;
        mod initial_of_one;
        mod limit_in_a_group;
        mod limit_of_the_temporary;
        mod max_children_of_one;
        mod max_children_zero;
        mod on_limit_of_a_backoff;
        mod on_limit_without_a_limit;
        mod ready_of_an_actor;
        mod ready_without_context;
        mod redeliver_not_clone;
        mod shutdown_without_context;
        mod significant_permanent;
        mod start_without_ready;
        mod too_many_initial;
        mod within_alone;
        mod within_of_a_backoff;
    }
}
