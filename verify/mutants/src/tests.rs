//! The finding of places, and what does not count in it.

use std::path::PathBuf;

use crate::edits::{Edit, Mutant, Project, parsed};
use crate::switches::runs_with_its_test;
use crate::{source, with_name, wrong_survivors};

const CODE: &str = "
    impl Group {
        fn start(&mut self, at: u8) -> u8 {
            match at { 0 => self.first(at, 1), _ => { self.due = false; self.last() } }
        }
        fn find(&self) -> Option<u8> { let Some(one) = self.one else { return None; }; self.map(|x| x + one) }
    }
    mod other { fn start() {} const MOST: u8 = 3; }
";

fn project(code: &str) -> Project {
    let items = source::items(code, vec!["here".into()]).unwrap();
    Project::of(vec![(PathBuf::from("here.rs"), code.into(), items)]).unwrap()
}

fn mutant(item: &str, old: &str, new: &str) -> Mutant {
    let edit = Edit { item: item.into(), old: old.into(), new: new.into() };
    Mutant { name: "one".into(), test: "--test it one".into(), edits: vec![edit] }
}

fn problem(item: &str, old: &str, new: &str) -> Option<String> {
    project(CODE).problem(&mutant(item, old, new))
}

fn applied(code: &str, item: &str, old: &str, new: &str) -> String {
    let text = project(code).apply(&mutant(item, old, new)).unwrap().remove(0).text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn an_edit_changes_its_tokens_and_nothing_else() {
    assert!(applied(CODE, "fn Group::start", "self.due = false;", "").contains("_ => { self.last() }"));
    assert!(applied(CODE, "fn Group::start", "self.first(at, 1)", "at; 2").contains("0 => { at; 2 }"));
    assert!(applied(CODE, "const MOST", "3", "4").ends_with("u8 = 4 ;"));
    assert!(applied(CODE, "fn other::start", "", "panic!();").contains("{ panic!(); }"));
}

#[test]
fn formatting_makes_no_mutant_stale() {
    let other = CODE
        .replace("0 => self.first(at, 1),", "0 => {\n self.first(\n at,\n 1,\n )\n }")
        .replace("{ return None; }", "{ return None }")
        .replace("|x| x + one", "|x| { x + one }")
        .replace("_ => {", "_ => // why\n {");
    for (item, old) in [
        ("fn Group::start", "0 => self.first(at, 1),"),
        ("fn Group::start", "self.due = false; self.last()"),
        ("fn Group::find", "let Some(one) = self.one else { return None; };"),
        ("fn Group::find", "self.map(|x| x + one)"),
    ] {
        for code in [CODE, &other] {
            let text = project(code).apply(&mutant(item, old, "")).unwrap().remove(0).text;
            let parses = syn::parse_str::<syn::ImplItemFn>(&text).is_ok();
            assert!(parses, "{old}: {text}");
        }
    }
}

#[test]
fn a_mutant_without_one_place_is_stale() {
    let told = |item, old, new, what: &str| {
        let problem = problem(item, old, new).unwrap_or_else(|| panic!("{item}: {old} is found"));
        assert!(problem.contains(what), "{problem}");
    };
    told("fn start", "self.due", "", "ambiguous");
    told("fn Group::begin", "self.due", "", "there is no");
    told("fn Group::start", "self.gone", "", "has no");
    told("fn Group::start", "self", "", "4 times");
    told("fn Group::start", "", "", "without an edit");
    told("fn Group::start", "{ self.due = false;", "", "");
    assert_eq!(problem("fn Group::start", "self.due = false;", "self.last();"), None);
}

#[test]
fn a_name_that_only_the_new_code_has_may_be_gone() {
    let gone = problem("fn Group::start", "self.due = false;", "self.roster = 1;").unwrap();
    assert!(gone.contains("`roster`"), "{gone}");
    let block = "one\n    test: --test it roster\n    fn Group::start:\n    - self.due = false;\n    + self.roster = rosters;\n";
    let renamed = with_name(block, "roster", "one");
    assert!(renamed.contains("it roster\n") && renamed.contains("self.one = rosters;"), "{renamed}");
    assert_eq!(project(CODE).problem(&parsed(&renamed).unwrap()[0]), None);
}

#[test]
fn a_known_survivor_has_a_name_and_a_reason() {
    let mutants = [mutant("fn Group::start", "self.due = false;", "")];
    assert_eq!(wrong_survivors("# text\n\none # the same\n", &mutants), Vec::<String>::new());
    assert_eq!(wrong_survivors("one\ntwo # why\none #\n", &mutants), ["one", "two # why", "one #"]);
}

#[test]
fn a_macro_runs_before_the_test_of_another_crate() {
    assert!(!runs_with_its_test(&["supervise_runtime", "supervise_macros"], "--test interface messages::calls::it"));
    assert!(runs_with_its_test(&["supervise_macros"], "-p supervise-macros --lib actor::tests::it"));
    assert!(runs_with_its_test(&["supervise_macros"], "--test compile_fail mistakes"));
    assert!(runs_with_its_test(&["supervise_runtime"], "--test interface messages::calls::it"));
}
