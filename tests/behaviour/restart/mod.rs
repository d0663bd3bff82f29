//! The restart of one child: its steps, its time, its budget, and restarts on request.

mod aborted_children;
mod budget;
mod fairness;
mod hooks;
mod requested;
mod requested_start_failures;
mod start_timeout;
mod starting;
mod steps;
mod supervisor_state;
