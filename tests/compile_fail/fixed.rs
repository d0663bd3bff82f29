//! The repaired version of each mistake in `tests/compile_fail`, all in one build. The files only have to compile.
#![allow(dead_code, unused_imports)]

// The modules, as `UPDATE=1 cargo test --test docs compile_errors` writes them.
mod actor {
    #[path = "actor_attribute_above_the_derive.fixed.rs"]
    mod actor_attribute_above_the_derive;
    #[path = "actor_attribute_on_a_struct.fixed.rs"]
    mod actor_attribute_on_a_struct;
    #[path = "actor_attribute_on_a_trait_impl.fixed.rs"]
    mod actor_attribute_on_a_trait_impl;
    #[path = "constructor_as_a_hook.fixed.rs"]
    mod constructor_as_a_hook;
    #[path = "context_before_the_message.fixed.rs"]
    mod context_before_the_message;
    #[path = "context_by_value.fixed.rs"]
    mod context_by_value;
    #[path = "error_that_is_no_error.fixed.rs"]
    mod error_that_is_no_error;
    #[path = "generic_handle.fixed.rs"]
    mod generic_handle;
    #[path = "guard_held_over_an_await.fixed.rs"]
    mod guard_held_over_an_await;
    #[path = "handle_missing.fixed.rs"]
    mod handle_missing;
    #[path = "handle_missing_of_a_derive.fixed.rs"]
    mod handle_missing_of_a_derive;
    #[path = "handle_of_a_derive_not_async.fixed.rs"]
    mod handle_of_a_derive_not_async;
    #[path = "handle_of_a_derive_without_context.fixed.rs"]
    mod handle_of_a_derive_without_context;
    #[path = "handle_returns_a_value.fixed.rs"]
    mod handle_returns_a_value;
    #[path = "handle_returns_the_next_state.fixed.rs"]
    mod handle_returns_the_next_state;
    #[path = "handle_takes_self_by_value.fixed.rs"]
    mod handle_takes_self_by_value;
    #[path = "handle_with_wrong_parameters.fixed.rs"]
    mod handle_with_wrong_parameters;
    #[path = "hook_attribute_above_the_derive.fixed.rs"]
    mod hook_attribute_above_the_derive;
    #[path = "hook_attribute_without_the_derive.fixed.rs"]
    mod hook_attribute_without_the_derive;
    #[path = "hook_declared_twice.fixed.rs"]
    mod hook_declared_twice;
    #[path = "hook_marker_without_actor.fixed.rs"]
    mod hook_marker_without_actor;
    #[path = "hook_method_missing.fixed.rs"]
    mod hook_method_missing;
    #[path = "hook_named_like_a_trait_method.fixed.rs"]
    mod hook_named_like_a_trait_method;
    #[path = "hook_of_another_system.fixed.rs"]
    mod hook_of_another_system;
    #[path = "hook_that_takes_self.fixed.rs"]
    mod hook_that_takes_self;
    #[path = "lifetime_of_an_actor.fixed.rs"]
    mod lifetime_of_an_actor;
    #[path = "message_by_reference.fixed.rs"]
    mod message_by_reference;
    #[path = "message_type_missing.fixed.rs"]
    mod message_type_missing;
    #[path = "own_handle_as_a_message.fixed.rs"]
    mod own_handle_as_a_message;
    #[path = "receive_for_handle.fixed.rs"]
    mod receive_for_handle;
    #[path = "state_not_send.fixed.rs"]
    mod state_not_send;
    #[path = "two_handles.fixed.rs"]
    mod two_handles;
    #[path = "type_parameter_of_an_actor.fixed.rs"]
    mod type_parameter_of_an_actor;
    #[path = "unknown_derive_argument.fixed.rs"]
    mod unknown_derive_argument;
    #[path = "watch_without_terminated.fixed.rs"]
    mod watch_without_terminated;
}
mod backoff {
    #[path = "arguments_for_a_backoff_value.fixed.rs"]
    mod arguments_for_a_backoff_value;
    #[path = "backoff_of_a_temporary_child.fixed.rs"]
    mod backoff_of_a_temporary_child;
    #[path = "backoff_with_unbounded_mailbox.fixed.rs"]
    mod backoff_with_unbounded_mailbox;
    #[path = "closed_delay_range.fixed.rs"]
    mod closed_delay_range;
    #[path = "delays_in_another_form.fixed.rs"]
    mod delays_in_another_form;
    #[path = "empty_delay_range.fixed.rs"]
    mod empty_delay_range;
    #[path = "factor_below_one.fixed.rs"]
    mod factor_below_one;
    #[path = "factor_of_a_list.fixed.rs"]
    mod factor_of_a_list;
    #[path = "function_as_a_backoff.fixed.rs"]
    mod function_as_a_backoff;
    #[path = "list_without_delays.fixed.rs"]
    mod list_without_delays;
    #[path = "list_without_units.fixed.rs"]
    mod list_without_units;
    #[path = "random_factor_above_one.fixed.rs"]
    mod random_factor_above_one;
    #[path = "reset_before_the_first_delay.fixed.rs"]
    mod reset_before_the_first_delay;
    #[path = "reset_with_auto.fixed.rs"]
    mod reset_with_auto;
    #[path = "shorter_delay_in_a_list.fixed.rs"]
    mod shorter_delay_in_a_list;
    #[path = "single_delay.fixed.rs"]
    mod single_delay;
}
mod decider {
    #[path = "arm_after_wildcard.fixed.rs"]
    mod arm_after_wildcard;
    #[path = "arm_type_not_an_error.fixed.rs"]
    mod arm_type_not_an_error;
    #[path = "arm_without_directive.fixed.rs"]
    mod arm_without_directive;
    #[path = "bare_name_as_pattern.fixed.rs"]
    mod bare_name_as_pattern;
    #[path = "causes_of_actors_above_a_task.fixed.rs"]
    mod causes_of_actors_above_a_task;
    #[path = "contradicting_settings_in_an_arm.fixed.rs"]
    mod contradicting_settings_in_an_arm;
    #[path = "decider_not_a_function.fixed.rs"]
    mod decider_not_a_function;
    #[path = "decider_without_arms.fixed.rs"]
    mod decider_without_arms;
    #[path = "directive_with_an_argument.fixed.rs"]
    mod directive_with_an_argument;
    #[path = "end_by_itself_in_an_arm.fixed.rs"]
    mod end_by_itself_in_an_arm;
    #[path = "fields_without_type.fixed.rs"]
    mod fields_without_type;
    #[path = "forgotten_variant.fixed.rs"]
    mod forgotten_variant;
    #[path = "literal_without_type.fixed.rs"]
    mod literal_without_type;
    #[path = "request_in_an_arm.fixed.rs"]
    mod request_in_an_arm;
    #[path = "result_as_pattern.fixed.rs"]
    mod result_as_pattern;
    #[path = "two_commas_between_arms.fixed.rs"]
    mod two_commas_between_arms;
    #[path = "two_types_in_one_arm.fixed.rs"]
    mod two_types_in_one_arm;
    #[path = "type_without_pattern.fixed.rs"]
    mod type_without_pattern;
    #[path = "unknown_directive.fixed.rs"]
    mod unknown_directive;
}
mod durations {
    #[path = "duration_in_two_words.fixed.rs"]
    mod duration_in_two_words;
    #[path = "duration_too_long.fixed.rs"]
    mod duration_too_long;
    #[path = "duration_with_two_units.fixed.rs"]
    mod duration_with_two_units;
    #[path = "duration_without_unit.fixed.rs"]
    mod duration_without_unit;
    #[path = "hexadecimal_duration.fixed.rs"]
    mod hexadecimal_duration;
    #[path = "negative_duration.fixed.rs"]
    mod negative_duration;
    #[path = "unknown_duration_unit.fixed.rs"]
    mod unknown_duration_unit;
    #[path = "unknown_unit_in_an_expression.fixed.rs"]
    mod unknown_unit_in_an_expression;
    #[path = "zero_duration.fixed.rs"]
    mod zero_duration;
}
mod hooks {
    #[path = "hook_called_instead_of_named.fixed.rs"]
    mod hook_called_instead_of_named;
    #[path = "hook_function_missing.fixed.rs"]
    mod hook_function_missing;
    #[path = "hook_of_another_actor.fixed.rs"]
    mod hook_of_another_actor;
    #[path = "hook_of_the_type_above_a_child.fixed.rs"]
    mod hook_of_the_type_above_a_child;
    #[path = "hook_returns_a_value.fixed.rs"]
    mod hook_returns_a_value;
    #[path = "hook_takes_shared_self.fixed.rs"]
    mod hook_takes_shared_self;
    #[path = "hook_with_another_error_type.fixed.rs"]
    mod hook_with_another_error_type;
    #[path = "hook_with_wrong_parameters.fixed.rs"]
    mod hook_with_wrong_parameters;
    #[path = "hook_without_its_type.fixed.rs"]
    mod hook_without_its_type;
}
mod limits {
    #[path = "default_limit.fixed.rs"]
    mod default_limit;
    #[path = "slow_growth.fixed.rs"]
    mod slow_growth;
    #[path = "unreachable_limit_of_a_group.fixed.rs"]
    mod unreachable_limit_of_a_group;
    #[path = "unreachable_limit_of_one_child.fixed.rs"]
    mod unreachable_limit_of_one_child;
    #[path = "unreachable_limit_with_backoff.fixed.rs"]
    mod unreachable_limit_with_backoff;
    #[path = "unreachable_limit_without_backoff.fixed.rs"]
    mod unreachable_limit_without_backoff;
}
mod messages {
    #[path = "answer_not_send.fixed.rs"]
    mod answer_not_send;
    #[path = "answer_without_a_type.fixed.rs"]
    mod answer_without_a_type;
    #[path = "argument_not_send.fixed.rs"]
    mod argument_not_send;
    #[path = "argument_of_actor.fixed.rs"]
    mod argument_of_actor;
    #[path = "argument_of_the_mark.fixed.rs"]
    mod argument_of_the_mark;
    #[path = "argument_that_borrows.fixed.rs"]
    mod argument_that_borrows;
    #[path = "argument_to_be_changed.fixed.rs"]
    mod argument_to_be_changed;
    #[path = "argument_without_a_type.fixed.rs"]
    mod argument_without_a_type;
    #[path = "borrowed_answer.fixed.rs"]
    mod borrowed_answer;
    #[path = "call_with_a_wrong_argument.fixed.rs"]
    mod call_with_a_wrong_argument;
    #[path = "context_by_value.fixed.rs"]
    mod context_by_value;
    #[path = "error_behind_an_alias.fixed.rs"]
    mod error_behind_an_alias;
    #[path = "error_of_a_library.fixed.rs"]
    mod error_of_a_library;
    #[path = "error_of_any_type.fixed.rs"]
    mod error_of_any_type;
    #[path = "generic_method.fixed.rs"]
    mod generic_method;
    #[path = "guard_held_over_an_await.fixed.rs"]
    mod guard_held_over_an_await;
    #[path = "handle_beside_messages.fixed.rs"]
    mod handle_beside_messages;
    #[path = "lifetime_of_a_message.fixed.rs"]
    mod lifetime_of_a_message;
    #[path = "message_and_hook.fixed.rs"]
    mod message_and_hook;
    #[path = "message_on_a_struct.fixed.rs"]
    mod message_on_a_struct;
    #[path = "message_without_actor.fixed.rs"]
    mod message_without_actor;
    #[path = "message_without_self.fixed.rs"]
    mod message_without_self;
    #[path = "method_of_a_handle.fixed.rs"]
    mod method_of_a_handle;
    #[path = "method_with_ask.fixed.rs"]
    mod method_with_ask;
    #[path = "misspelt_mark.fixed.rs"]
    mod misspelt_mark;
    #[path = "name_as_a_text.fixed.rs"]
    mod name_as_a_text;
    #[path = "private_message_elsewhere.fixed.rs"]
    mod private_message_elsewhere;
    #[path = "redelivery_without_clone.fixed.rs"]
    mod redelivery_without_clone;
    #[path = "reply_beside_an_answer.fixed.rs"]
    mod reply_beside_an_answer;
    #[path = "reply_without_a_type.fixed.rs"]
    mod reply_without_a_type;
    #[path = "shared_self_over_an_await.fixed.rs"]
    mod shared_self_over_an_await;
    #[path = "thrown_twice.fixed.rs"]
    mod thrown_twice;
    #[path = "trait_not_imported.fixed.rs"]
    mod trait_not_imported;
    #[path = "two_blocks.fixed.rs"]
    mod two_blocks;
    #[path = "two_messages_of_one_name.fixed.rs"]
    mod two_messages_of_one_name;
    #[path = "two_visibilities.fixed.rs"]
    mod two_visibilities;
    #[path = "unsafe_message.fixed.rs"]
    mod unsafe_message;
}
mod names {
    #[path = "child_named_tree.fixed.rs"]
    mod child_named_tree;
    #[path = "drawing_without_the_prelude.fixed.rs"]
    mod drawing_without_the_prelude;
    #[path = "inline_subtree_started_elsewhere.fixed.rs"]
    mod inline_subtree_started_elsewhere;
    #[path = "keyword_as_name.fixed.rs"]
    mod keyword_as_name;
    #[path = "lease_without_the_prelude.fixed.rs"]
    mod lease_without_the_prelude;
    #[path = "let_named_like_a_child.fixed.rs"]
    mod let_named_like_a_child;
    #[path = "let_named_twice.fixed.rs"]
    mod let_named_twice;
    #[path = "looking_without_the_prelude.fixed.rs"]
    mod looking_without_the_prelude;
    #[path = "name_with_two_underscores.fixed.rs"]
    mod name_with_two_underscores;
    #[path = "parameter_named_like_a_child.fixed.rs"]
    mod parameter_named_like_a_child;
    #[path = "public_let_named_like_a_method.fixed.rs"]
    mod public_let_named_like_a_method;
    #[path = "self_as_name.fixed.rs"]
    mod self_as_name;
    #[path = "subtree_child_named_like_an_outer_child.fixed.rs"]
    mod subtree_child_named_like_an_outer_child;
    #[path = "subtree_named_like_its_tree.fixed.rs"]
    mod subtree_named_like_its_tree;
    #[path = "tree_that_contains_itself.fixed.rs"]
    mod tree_that_contains_itself;
    #[path = "trees_that_contain_each_other.fixed.rs"]
    mod trees_that_contain_each_other;
    #[path = "two_children_of_one_name.fixed.rs"]
    mod two_children_of_one_name;
    #[path = "underscore_as_name.fixed.rs"]
    mod underscore_as_name;
}
mod no_effect {
    #[path = "array_of_zero_children.fixed.rs"]
    mod array_of_zero_children;
    #[path = "backoff_without_restarts.fixed.rs"]
    mod backoff_without_restarts;
    #[path = "best_effort_of_a_late_handle.fixed.rs"]
    mod best_effort_of_a_late_handle;
    #[path = "best_effort_of_a_set.fixed.rs"]
    mod best_effort_of_a_set;
    #[path = "best_effort_of_a_significant_child.fixed.rs"]
    mod best_effort_of_a_significant_child;
    #[path = "child_limit_in_a_group.fixed.rs"]
    mod child_limit_in_a_group;
    #[path = "child_limit_with_a_shared_budget.fixed.rs"]
    mod child_limit_with_a_shared_budget;
    #[path = "decider_of_temporary_children.fixed.rs"]
    mod decider_of_temporary_children;
    #[path = "drain_with_kill.fixed.rs"]
    mod drain_with_kill;
    #[path = "drain_without_mailbox.fixed.rs"]
    mod drain_without_mailbox;
    #[path = "fresh_mailbox_with_redelivery.fixed.rs"]
    mod fresh_mailbox_with_redelivery;
    #[path = "handler_without_mailbox.fixed.rs"]
    mod handler_without_mailbox;
    #[path = "initial_of_a_single_child.fixed.rs"]
    mod initial_of_a_single_child;
    #[path = "limit_of_temporary_children.fixed.rs"]
    mod limit_of_temporary_children;
    #[path = "mailbox_bounded_to_zero.fixed.rs"]
    mod mailbox_bounded_to_zero;
    #[path = "max_children_of_a_single_child.fixed.rs"]
    mod max_children_of_a_single_child;
    #[path = "max_children_of_zero.fixed.rs"]
    mod max_children_of_zero;
    #[path = "max_starting_above_max_children.fixed.rs"]
    mod max_starting_above_max_children;
    #[path = "max_starting_of_zero.fixed.rs"]
    mod max_starting_of_zero;
    #[path = "on_limit_of_unlimited_restarts.fixed.rs"]
    mod on_limit_of_unlimited_restarts;
    #[path = "on_limit_with_backoff_only.fixed.rs"]
    mod on_limit_with_backoff_only;
    #[path = "ready_of_an_actor.fixed.rs"]
    mod ready_of_an_actor;
    #[path = "ready_task_without_context.fixed.rs"]
    mod ready_task_without_context;
    #[path = "redelivered_message_not_clone.fixed.rs"]
    mod redelivered_message_not_clone;
    #[path = "restarts_of_a_temporary_child.fixed.rs"]
    mod restarts_of_a_temporary_child;
    #[path = "restarts_of_temporary_by_default.fixed.rs"]
    mod restarts_of_temporary_by_default;
    #[path = "shared_budget_of_a_group.fixed.rs"]
    mod shared_budget_of_a_group;
    #[path = "shared_budget_that_stops.fixed.rs"]
    mod shared_budget_that_stops;
    #[path = "shared_budget_without_limit.fixed.rs"]
    mod shared_budget_without_limit;
    #[path = "shutdown_of_a_task_without_context.fixed.rs"]
    mod shutdown_of_a_task_without_context;
    #[path = "significant_permanent_child.fixed.rs"]
    mod significant_permanent_child;
    #[path = "significant_with_only_with.fixed.rs"]
    mod significant_with_only_with;
    #[path = "start_time_of_a_task_without_ready.fixed.rs"]
    mod start_time_of_a_task_without_ready;
    #[path = "too_many_initial.fixed.rs"]
    mod too_many_initial;
    #[path = "within_with_backoff_only.fixed.rs"]
    mod within_with_backoff_only;
    #[path = "within_without_max_restarts.fixed.rs"]
    mod within_without_max_restarts;
    #[path = "zero_attempts.fixed.rs"]
    mod zero_attempts;
}
mod order {
    #[path = "child_names_a_later_sibling.fixed.rs"]
    mod child_names_a_later_sibling;
    #[path = "child_names_itself.fixed.rs"]
    mod child_names_itself;
    #[path = "children_name_each_other.fixed.rs"]
    mod children_name_each_other;
    #[path = "later_in_a_setting.fixed.rs"]
    mod later_in_a_setting;
    #[path = "later_of_a_child_without_a_handle.fixed.rs"]
    mod later_of_a_child_without_a_handle;
    #[path = "later_of_a_tree.fixed.rs"]
    mod later_of_a_tree;
    #[path = "later_of_itself.fixed.rs"]
    mod later_of_itself;
    #[path = "let_names_a_later_child.fixed.rs"]
    mod let_names_a_later_child;
    #[path = "self_in_a_start.fixed.rs"]
    mod self_in_a_start;
    #[path = "subtree_names_a_later_child.fixed.rs"]
    mod subtree_names_a_later_child;
}
mod remote {
    #[path = "conditional_value.fixed.rs"]
    mod conditional_value;
    #[path = "constant_out_of_range.fixed.rs"]
    mod constant_out_of_range;
    #[path = "endless_shutdown.fixed.rs"]
    mod endless_shutdown;
    #[path = "handle_that_does_not_cross.fixed.rs"]
    mod handle_that_does_not_cross;
    #[path = "let_without_its_type.fixed.rs"]
    mod let_without_its_type;
    #[path = "limit_inside_of_a_remote_child.fixed.rs"]
    mod limit_inside_of_a_remote_child;
    #[path = "message_without_serde.fixed.rs"]
    mod message_without_serde;
    #[path = "methods_without_serde.fixed.rs"]
    mod methods_without_serde;
    #[path = "optional_decided_on_the_node.fixed.rs"]
    mod optional_decided_on_the_node;
    #[path = "remote_before_the_brackets.fixed.rs"]
    mod remote_before_the_brackets;
    #[path = "remote_child_that_names_itself.fixed.rs"]
    mod remote_child_that_names_itself;
    #[path = "role_of_a_local_child.fixed.rs"]
    mod role_of_a_local_child;
    #[path = "role_that_is_no_string.fixed.rs"]
    mod role_that_is_no_string;
    #[path = "runtime_of_a_remote_child.fixed.rs"]
    mod runtime_of_a_remote_child;
    #[path = "setting_that_depends_on_a_parameter.fixed.rs"]
    mod setting_that_depends_on_a_parameter;
    #[path = "sibling_that_is_a_tree.fixed.rs"]
    mod sibling_that_is_a_tree;
    #[path = "sibling_without_serde.fixed.rs"]
    mod sibling_without_serde;
    #[path = "spawned_remote.fixed.rs"]
    mod spawned_remote;
    #[path = "spread_of_a_single_child.fixed.rs"]
    mod spread_of_a_single_child;
    #[path = "task_and_subtree.fixed.rs"]
    mod task_and_subtree;
    #[path = "tree_behind_remote.fixed.rs"]
    mod tree_behind_remote;
    #[path = "unknown_words.fixed.rs"]
    mod unknown_words;
    #[path = "value_of_the_decision.fixed.rs"]
    mod value_of_the_decision;
    #[path = "value_without_serde.fixed.rs"]
    mod value_without_serde;
    #[path = "window_and_lease_too_small.fixed.rs"]
    mod window_and_lease_too_small;
    #[path = "without_a_role.fixed.rs"]
    mod without_a_role;
}
mod settings {
    #[path = "actor_setting_on_a_subtree.fixed.rs"]
    mod actor_setting_on_a_subtree;
    #[path = "actor_setting_on_a_task.fixed.rs"]
    mod actor_setting_on_a_task;
    #[path = "argument_given_twice.fixed.rs"]
    mod argument_given_twice;
    #[path = "argument_of_a_spawn_in_a_setting.fixed.rs"]
    mod argument_of_a_spawn_in_a_setting;
    #[path = "argument_without_its_name.fixed.rs"]
    mod argument_without_its_name;
    #[path = "argument_without_value.fixed.rs"]
    mod argument_without_value;
    #[path = "argument_written_as_a_setting.fixed.rs"]
    mod argument_written_as_a_setting;
    #[path = "attribute_that_is_not_a_setting.fixed.rs"]
    mod attribute_that_is_not_a_setting;
    #[path = "child_setting_inside_the_braces.fixed.rs"]
    mod child_setting_inside_the_braces;
    #[path = "colon_after_an_argument.fixed.rs"]
    mod colon_after_an_argument;
    #[path = "default_that_contradicts_a_child.fixed.rs"]
    mod default_that_contradicts_a_child;
    #[path = "default_that_no_child_takes.fixed.rs"]
    mod default_that_no_child_takes;
    #[path = "mailbox_without_a_kind.fixed.rs"]
    mod mailbox_without_a_kind;
    #[path = "missing_comma_between_arguments.fixed.rs"]
    mod missing_comma_between_arguments;
    #[path = "misspelled_argument.fixed.rs"]
    mod misspelled_argument;
    #[path = "misspelled_setting.fixed.rs"]
    mod misspelled_setting;
    #[path = "misspelled_value.fixed.rs"]
    mod misspelled_value;
    #[path = "name_of_an_argument_without_one.fixed.rs"]
    mod name_of_an_argument_without_one;
    #[path = "negative_number.fixed.rs"]
    mod negative_number;
    #[path = "number_and_duration_confused.fixed.rs"]
    mod number_and_duration_confused;
    #[path = "number_too_large.fixed.rs"]
    mod number_too_large;
    #[path = "one_for_all_as_strategy.fixed.rs"]
    mod one_for_all_as_strategy;
    #[path = "only_with_above_a_set.fixed.rs"]
    mod only_with_above_a_set;
    #[path = "only_with_above_a_task.fixed.rs"]
    mod only_with_above_a_task;
    #[path = "only_with_above_an_inline_subtree.fixed.rs"]
    mod only_with_above_an_inline_subtree;
    #[path = "runtime_of_wrong_type.fixed.rs"]
    mod runtime_of_wrong_type;
    #[path = "semicolon_after_a_setting.fixed.rs"]
    mod semicolon_after_a_setting;
    #[path = "setting_above_the_struct.fixed.rs"]
    mod setting_above_the_struct;
    #[path = "setting_given_twice.fixed.rs"]
    mod setting_given_twice;
    #[path = "setting_without_arguments.fixed.rs"]
    mod setting_without_arguments;
    #[path = "settings_named_as_in_akka.fixed.rs"]
    mod settings_named_as_in_akka;
    #[path = "settings_named_as_in_otp.fixed.rs"]
    mod settings_named_as_in_otp;
    #[path = "shutdown_of_a_tree_above_a_child.fixed.rs"]
    mod shutdown_of_a_tree_above_a_child;
    #[path = "strategy_with_parentheses.fixed.rs"]
    mod strategy_with_parentheses;
    #[path = "string_for_a_number.fixed.rs"]
    mod string_for_a_number;
    #[path = "tree_setting_above_a_child.fixed.rs"]
    mod tree_setting_above_a_child;
    #[path = "tree_setting_above_a_let.fixed.rs"]
    mod tree_setting_above_a_let;
    #[path = "tree_setting_after_a_child.fixed.rs"]
    mod tree_setting_after_a_child;
    #[path = "unknown_setting.fixed.rs"]
    mod unknown_setting;
    #[path = "value_of_wrong_type.fixed.rs"]
    mod value_of_wrong_type;
    #[path = "word_of_one_child_as_a_default.fixed.rs"]
    mod word_of_one_child_as_a_default;
    #[path = "word_with_a_name.fixed.rs"]
    mod word_with_a_name;
}
mod shapes {
    #[path = "array_of_computed_length.fixed.rs"]
    mod array_of_computed_length;
    #[path = "array_without_index.fixed.rs"]
    mod array_without_index;
    #[path = "arrow_in_a_keyed_set.fixed.rs"]
    mod arrow_in_a_keyed_set;
    #[path = "closure_for_a_single_child.fixed.rs"]
    mod closure_for_a_single_child;
    #[path = "closure_for_an_optional_child.fixed.rs"]
    mod closure_for_an_optional_child;
    #[path = "collection_as_a_type.fixed.rs"]
    mod collection_as_a_type;
    #[path = "condition_behind_the_start.fixed.rs"]
    mod condition_behind_the_start;
    #[path = "context_inside_a_block.fixed.rs"]
    mod context_inside_a_block;
    #[path = "context_without_a_closure.fixed.rs"]
    mod context_without_a_closure;
    #[path = "function_of_a_task_not_called.fixed.rs"]
    mod function_of_a_task_not_called;
    #[path = "future_as_a_start.fixed.rs"]
    mod future_as_a_start;
    #[path = "handle_as_a_type.fixed.rs"]
    mod handle_as_a_type;
    #[path = "handles_as_types.fixed.rs"]
    mod handles_as_types;
    #[path = "keyed_set_without_key.fixed.rs"]
    mod keyed_set_without_key;
    #[path = "nested_shapes.fixed.rs"]
    mod nested_shapes;
    #[path = "optional_by_question_mark.fixed.rs"]
    mod optional_by_question_mark;
    #[path = "set_argument_without_type.fixed.rs"]
    mod set_argument_without_type;
    #[path = "set_with_too_many_arguments.fixed.rs"]
    mod set_with_too_many_arguments;
    #[path = "set_without_a_closure.fixed.rs"]
    mod set_without_a_closure;
    #[path = "task_in_upper_case.fixed.rs"]
    mod task_in_upper_case;
    #[path = "task_with_a_type.fixed.rs"]
    mod task_with_a_type;
    #[path = "task_with_two_contexts.fixed.rs"]
    mod task_with_two_contexts;
}
mod shutdown {
    #[path = "drain_into_a_child_that_drains.fixed.rs"]
    mod drain_into_a_child_that_drains;
    #[path = "infinity_for_a_whole_tree.fixed.rs"]
    mod infinity_for_a_whole_tree;
    #[path = "shutdown_too_short_across_trees.fixed.rs"]
    mod shutdown_too_short_across_trees;
    #[path = "shutdown_too_short_for_a_generic_tree.fixed.rs"]
    mod shutdown_too_short_for_a_generic_tree;
    #[path = "shutdown_too_short_for_a_subtree.fixed.rs"]
    mod shutdown_too_short_for_a_subtree;
    #[path = "shutdown_too_short_for_an_array.fixed.rs"]
    mod shutdown_too_short_for_an_array;
    #[path = "shutdown_too_short_for_an_instance.fixed.rs"]
    mod shutdown_too_short_for_an_instance;
    #[path = "shutdown_too_short_for_the_time_of_a_tree.fixed.rs"]
    mod shutdown_too_short_for_the_time_of_a_tree;
}
mod spawned {
    #[path = "actor_setting_on_a_tree.fixed.rs"]
    mod actor_setting_on_a_tree;
    #[path = "array_as_a_child.fixed.rs"]
    mod array_as_a_child;
    #[path = "best_effort.fixed.rs"]
    mod best_effort;
    #[path = "child_without_start.fixed.rs"]
    mod child_without_start;
    #[path = "child_without_type.fixed.rs"]
    mod child_without_type;
    #[path = "documentation.fixed.rs"]
    mod documentation;
    #[path = "inline_subtree.fixed.rs"]
    mod inline_subtree;
    #[path = "neither_actor_nor_tree.fixed.rs"]
    mod neither_actor_nor_tree;
    #[path = "not_a_child.fixed.rs"]
    mod not_a_child;
    #[path = "optional_child.fixed.rs"]
    mod optional_child;
    #[path = "self_in_the_start.fixed.rs"]
    mod self_in_the_start;
    #[path = "set_as_a_child.fixed.rs"]
    mod set_as_a_child;
    #[path = "setting_of_a_tree.fixed.rs"]
    mod setting_of_a_tree;
    #[path = "two_children.fixed.rs"]
    mod two_children;
    #[path = "variable_is_not_clone.fixed.rs"]
    mod variable_is_not_clone;
}
mod stored_values {
    #[path = "borrowed_parameter.fixed.rs"]
    mod borrowed_parameter;
    #[path = "initial_argument_not_clone.fixed.rs"]
    mod initial_argument_not_clone;
    #[path = "key_without_required_traits.fixed.rs"]
    mod key_without_required_traits;
    #[path = "let_not_clone.fixed.rs"]
    mod let_not_clone;
    #[path = "let_not_send.fixed.rs"]
    mod let_not_send;
    #[path = "mutable_let.fixed.rs"]
    mod mutable_let;
    #[path = "parameter_not_clone.fixed.rs"]
    mod parameter_not_clone;
    #[path = "parameter_not_send.fixed.rs"]
    mod parameter_not_send;
    #[path = "public_let_not_clone.fixed.rs"]
    mod public_let_not_clone;
    #[path = "spawn_argument_not_clone.fixed.rs"]
    mod spawn_argument_not_clone;
    #[path = "spawn_argument_not_send.fixed.rs"]
    mod spawn_argument_not_send;
    #[path = "type_parameter_without_bounds.fixed.rs"]
    mod type_parameter_without_bounds;
}
mod tree {
    #[path = "attribute_on_a_let.fixed.rs"]
    mod attribute_on_a_let;
    #[path = "child_as_in_a_struct_literal.fixed.rs"]
    mod child_as_in_a_struct_literal;
    #[path = "child_with_a_let.fixed.rs"]
    mod child_with_a_let;
    #[path = "child_without_colon.fixed.rs"]
    mod child_without_colon;
    #[path = "child_without_start.fixed.rs"]
    mod child_without_start;
    #[path = "child_without_type.fixed.rs"]
    mod child_without_type;
    #[path = "comma_and_semicolon_confused.fixed.rs"]
    mod comma_and_semicolon_confused;
    #[path = "default_of_a_parameter.fixed.rs"]
    mod default_of_a_parameter;
    #[path = "doc_comment_without_a_child.fixed.rs"]
    mod doc_comment_without_a_child;
    #[path = "half_typed_code.fixed.rs"]
    mod half_typed_code;
    #[path = "if_around_a_child.fixed.rs"]
    mod if_around_a_child;
    #[path = "inline_subtree_with_type_parameters.fixed.rs"]
    mod inline_subtree_with_type_parameters;
    #[path = "inner_doc_comment.fixed.rs"]
    mod inner_doc_comment;
    #[path = "item_inside_a_tree.fixed.rs"]
    mod item_inside_a_tree;
    #[path = "let_else.fixed.rs"]
    mod let_else;
    #[path = "lifetime_of_a_tree.fixed.rs"]
    mod lifetime_of_a_tree;
    #[path = "many_mistakes_at_once.fixed.rs"]
    mod many_mistakes_at_once;
    #[path = "mistakes_in_two_trees.fixed.rs"]
    mod mistakes_in_two_trees;
    #[path = "parameter_of_impl_trait.fixed.rs"]
    mod parameter_of_impl_trait;
    #[path = "parameter_with_pub_or_mut.fixed.rs"]
    mod parameter_with_pub_or_mut;
    #[path = "parameter_without_its_signs.fixed.rs"]
    mod parameter_without_its_signs;
    #[path = "pub_before_the_type.fixed.rs"]
    mod pub_before_the_type;
    #[path = "public_let_of_a_pattern.fixed.rs"]
    mod public_let_of_a_pattern;
    #[path = "public_let_without_type.fixed.rs"]
    mod public_let_without_type;
    #[path = "semicolon_after_a_tree.fixed.rs"]
    mod semicolon_after_a_tree;
    #[path = "start_without_its_sign.fixed.rs"]
    mod start_without_its_sign;
    #[path = "subtree_of_another_word.fixed.rs"]
    mod subtree_of_another_word;
    #[path = "subtree_with_parameters.fixed.rs"]
    mod subtree_with_parameters;
    #[path = "subtree_with_start.fixed.rs"]
    mod subtree_with_start;
    #[path = "subtree_with_the_macro.fixed.rs"]
    mod subtree_with_the_macro;
    #[path = "tree_not_a_struct.fixed.rs"]
    mod tree_not_a_struct;
    #[path = "tree_without_children.fixed.rs"]
    mod tree_without_children;
    #[path = "type_or_name_missing.fixed.rs"]
    mod type_or_name_missing;
    #[path = "value_as_a_child.fixed.rs"]
    mod value_as_a_child;
    #[path = "where_before_the_parameters.fixed.rs"]
    mod where_before_the_parameters;
    #[path = "word_before_the_name.fixed.rs"]
    mod word_before_the_name;
}
mod types {
    #[path = "actor_setting_on_a_tree.fixed.rs"]
    mod actor_setting_on_a_tree;
    #[path = "array_index_of_wrong_type.fixed.rs"]
    mod array_index_of_wrong_type;
    #[path = "array_length_of_wrong_type.fixed.rs"]
    mod array_length_of_wrong_type;
    #[path = "best_effort_of_a_tree.fixed.rs"]
    mod best_effort_of_a_tree;
    #[path = "initial_arguments_of_wrong_type.fixed.rs"]
    mod initial_arguments_of_wrong_type;
    #[path = "key_argument_of_wrong_type.fixed.rs"]
    mod key_argument_of_wrong_type;
    #[path = "neither_actor_nor_tree.fixed.rs"]
    mod neither_actor_nor_tree;
    #[path = "neither_actor_nor_tree_in_shapes.fixed.rs"]
    mod neither_actor_nor_tree_in_shapes;
    #[path = "only_with_above_an_actor.fixed.rs"]
    mod only_with_above_an_actor;
    #[path = "only_with_of_wrong_type.fixed.rs"]
    mod only_with_of_wrong_type;
    #[path = "spawn_with_wrong_arguments.fixed.rs"]
    mod spawn_with_wrong_arguments;
    #[path = "start_of_wrong_type.fixed.rs"]
    mod start_of_wrong_type;
    #[path = "start_that_is_not_send.fixed.rs"]
    mod start_that_is_not_send;
    #[path = "task_not_called.fixed.rs"]
    mod task_not_called;
    #[path = "task_output_not_a_result.fixed.rs"]
    mod task_output_not_a_result;
    #[path = "task_that_is_a_loop.fixed.rs"]
    mod task_that_is_a_loop;
    #[path = "task_that_is_awaited.fixed.rs"]
    mod task_that_is_awaited;
    #[path = "task_that_is_not_send.fixed.rs"]
    mod task_that_is_not_send;
    #[path = "task_that_is_spawned.fixed.rs"]
    mod task_that_is_spawned;
    #[path = "unknown_child_type.fixed.rs"]
    mod unknown_child_type;
}
