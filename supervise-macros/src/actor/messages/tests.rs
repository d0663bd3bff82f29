//! Tests of messages on token streams, and of the list of names that handles have.

use std::fs;

use super::TAKEN;
use crate::actor::attribute;

/// Expands `#[actor(args)] impl ..` to the text of its tokens.
fn with(args: &str, text: &str) -> String {
    let tokens = attribute(args.parse().unwrap(), text.parse().unwrap());
    assert!(syn::parse2::<syn::File>(tokens.clone()).is_ok(), "{tokens}");
    tokens.to_string()
}

fn expand(text: &str) -> String {
    with("", text)
}

/// Returns a text without its spaces, which a printed token has on either side or not.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Asserts that an expansion contains each part, which is written as Rust.
#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(squeezed(text).contains(&squeezed(part)), "no `{part}` in {text}");
    }
}

/// Returns the methods of a type or a trait that a recorded API shows, without functions that take no `self`.
fn methods(api: &str, of: &str) -> Vec<String> {
    let path = format!("::{of}::");
    let method = |line: &str| {
        let (head, _) = line.split_once('(')?;
        let (before, name) = head.split_once(&path)?;
        let takes_self = ["(&self", "(&mut self", "(self"].iter().any(|this| line.contains(this));
        let is_function = before.starts_with("pub fn ") || before.starts_with("pub async fn ");
        let name = name.split('<').next().unwrap();
        (is_function && takes_self && !name.contains(':')).then(|| name.to_owned())
    };
    api.lines().filter_map(method).collect()
}

/// Returns the text of a file of the project.
fn read(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn no_message_has_the_name_of_a_method_of_handles() {
    let runtime = read("verify/api/supervise-runtime.txt");
    let remote = read("verify/api/supervise-remote.txt");
    let testing = read("verify/api/supervise-testing.txt");
    let mut named = Vec::new();
    for (api, of) in
        [(&runtime, "ActorRef<A>"), (&runtime, "ChildRef"), (&testing, "Inject"), (&remote, "RemoteRef<A>")]
    {
        let found = methods(api, of);
        assert!(!found.is_empty(), "the recorded API has no `{of}`");
        named.extend(found);
    }
    // The trait that all calls go through is declared in one file, which is parsed as Rust.
    let calls = syn::parse_file(&read("supervise-runtime/src/actor/calls.rs")).unwrap();
    let call_to = calls.items.iter().find_map(|item| match item {
        syn::Item::Trait(item) if item.ident == "CallTo" => Some(item),
        _ => None,
    });
    named.extend(call_to.expect("the trait `CallTo`").items.iter().filter_map(|item| match item {
        syn::TraitItem::Fn(function) => Some(function.sig.ident.to_string()),
        _ => None,
    }));
    // Traits of the standard library that every handle has, and that are always in scope.
    named.extend(["clone", "cmp", "eq", "fmt", "hash", "into", "to_owned"].map(str::to_owned));
    let missing: Vec<_> = named.iter().filter(|name| !TAKEN.contains(&&***name)).collect();
    assert!(missing.is_empty(), "add these to `TAKEN`: {missing:?}");
    assert!(TAKEN.is_sorted(), "keep `TAKEN` in order");
    let gone: Vec<_> = TAKEN.iter().filter(|taken| named.iter().all(|name| name != *taken)).collect();
    assert!(gone.is_empty(), "no handle has these any more; take them off `TAKEN`: {gone:?}");
}

#[test]
fn a_condition_is_kept_on_variant_arm_constructor_and_call() {
    let text = expand(
        "impl Store { #[cfg(a)] #[message] fn put(&mut self, n: u32) {} #[message] fn get(&self) -> u32 { 3 } }",
    );
    has(
        &text,
        &[
            "#[cfg(a)] put(",
            "#[cfg(a)] StoreMsgKind::put(n, .., __reply) =>",
            "#[cfg(a)] StoreMsgKind::put(..) => 0u8,",
            "1u8 => || \"Store::get\",",
            "#[cfg(a)] StoreMsgKind::put(..) => \"Store::put\",",
            "#[cfg(a)] fn put(n: u32) -> Self",
            "#[cfg(a)] #[inline] fn put(&self, n: u32) -> Self::Call<'_, ()>",
        ],
    );
    // The method itself is the seventh.
    assert_eq!(text.matches("# [cfg (a)]").count(), 7, "{text}");
}

#[test]
fn a_condition_of_the_block_is_kept_on_each_item() {
    let text = expand("#[cfg(a)] impl Store { #[message] pub fn put(&mut self) {} #[message] fn get(&self) {} }");
    // The block, the struct, the enum, the constructors, `Debug`, two traits with their impls, and `impl Actor`.
    assert_eq!(text.matches("# [cfg (a)]").count(), 10, "{text}");
}

#[test]
fn a_raw_name_is_a_message() {
    let text = expand("impl Store { #[message] fn r#type(&self, r#in: u32) -> u32 { r#in } }");
    assert!(!text.contains("compile_error"), "{text}");
    has(
        &text,
        &[
            "StoreMsgKind::r#type(..) => \"Store::type\",",
            "0u8 => || \"Store::type\",",
            "fn r#type(&self, r#in: u32) -> Self::Call<'_, u32>",
            "Self::r#type(self, r#in)",
        ],
    );
}

#[test]
fn two_messages_may_have_one_name_under_exclusive_conditions() {
    let two = |first: &str, second: &str| {
        expand(&format!(
            "impl Store {{ {first} #[message] fn put(&mut self, n: u8) {{}} {second} #[message] fn put(&mut self, n: u16) {{}} }}"
        ))
    };
    let text = two("#[cfg(a)]", "#[cfg(not(a))]");
    assert!(!text.contains("compile_error"), "{text}");
    has(&text, &["#[cfg(a)] fn put(n: u8) -> Self", "#[cfg(not(a))] fn put(n: u16) -> Self"]);
    for (first, second) in [("", ""), ("#[cfg(a)]", ""), ("", "#[cfg(a)]")] {
        let text = two(first, second);
        assert!(text.contains("a message has this name already; write another one"), "{text}");
    }
}

#[test]
fn a_message_whose_name_is_taken_still_has_its_call() {
    let text = expand(
        "impl Store { #[message] fn put(&mut self) {} #[message(name = \"put\")] fn replace(&mut self, n: u32) {} }",
    );
    assert!(text.contains("a message has this name already"), "{text}");
    has(&text, &["fn replace(&self, n: u32) -> Self::Call<'_, ()>"]);
}

#[test]
fn own_type_in_arguments_and_answers_becomes_the_type_of_the_actor() {
    let text = expand(
        "impl Store<u8> { #[message] fn swap(&mut self, to: ActorRef<Self>, key: Self::Key) -> Option<Self> { None } }",
    );
    has(
        &text,
        &[
            "fn swap(to: ActorRef<Store<u8>>, key: <Store<u8>>::Key) -> Self",
            "fn swap(&self, to: ActorRef<Store<u8>>, key: <Store<u8>>::Key) -> Self::Call<'_, Option<Store<u8>>>",
        ],
    );
}

#[test]
fn a_trait_has_the_visibility_of_its_methods() {
    let text = expand(
        "impl Store { #[message] pub(crate) fn put(&mut self) {} #[message] fn tick(&mut self) {}
         #[message] pub(crate) fn get(&self) -> u32 { 3 } }",
    );
    has(&text, &["pub(crate) trait StoreCalls:", "trait StoreOwnCalls:"]);
    assert!(!text.contains("pub (crate) trait StoreOwnCalls") && !text.contains("pub trait"), "{text}");
    let open = expand("impl Store { #[message] pub fn put(&mut self) {} }");
    has(&open, &["pub trait StoreCalls:"]);
    assert!(!open.contains("StoreOwnCalls"), "{open}");
    let own = expand("impl Store { #[message] fn put(&mut self) {} }");
    assert!(own.contains("trait StoreOwnCalls") && !own.contains("trait StoreCalls"), "{own}");
}

#[test]
fn a_block_without_messages_has_no_trait() {
    let text = expand("impl Store { fn handle(&mut self, msg: u8) {} }");
    assert!(!text.contains("trait ") && !text.contains("StoreMsg"), "{text}");
}

#[test]
fn arguments_of_the_macro_name_and_derive() {
    let block = "impl Store { #[message] pub fn put(&mut self, n: u32) {} }";
    let derived = "#[derive(Clone)] #[allow(unreachable_pub, clippy::allow_attributes)] pub struct";
    for (args, msg, calls, clone, path) in [
        ("msg = A, calls = B, derive(Clone)", "A", "B", true, false),
        ("msg = A", "A", "StoreCalls", false, false),
        ("calls = B", "StoreMsg", "B", false, false),
        ("derive(Clone)", "StoreMsg", "StoreCalls", true, false),
        ("derive(Clone),", "StoreMsg", "StoreCalls", true, false),
        ("crate = kit::trees", "StoreMsg", "StoreCalls", false, true),
        ("crate = kit::trees, msg = A, calls = B, derive(Clone)", "A", "B", true, true),
        ("msg = A, crate = kit::trees", "A", "StoreCalls", false, true),
        ("calls = B, crate = kit::trees", "StoreMsg", "B", false, true),
        ("derive(Clone), crate = kit::trees", "StoreMsg", "StoreCalls", true, true),
    ] {
        let text = with(args, block);
        assert!(!text.contains("compile_error"), "{args}: {text}");
        has(&text, &[&format!("pub struct {msg} ({msg}Kind);"), &format!("pub trait {calls}:")]);
        assert_eq!(squeezed(&text).contains(&squeezed(derived)), clone, "{args}: {text}");
        assert_eq!(text.contains("kit :: trees"), path, "{args}: {text}");
        assert_eq!(text.contains(":: supervise ::"), !path, "{args}: {text}");
    }
}

#[test]
fn a_derived_debug_replaces_the_one_with_names() {
    let block = "impl Store { #[message] fn put(&mut self, n: u32) {} }";
    assert!(with("", block).contains("fmt :: Debug for StoreMsg"));
    assert!(!with("derive(std::fmt::Debug)", block).contains("fmt :: Debug for StoreMsg"));
}

#[test]
fn a_name_is_read_from_a_word_and_not_from_a_text() {
    for (args, repair) in [
        ("msg = \"Command\"", "this is no name; write `msg = Command`"),
        ("calls = \"Api\"", "this is no name; write `calls = Api`"),
        ("dervie(Clone)", "unknown argument `dervie`; did you mean `derive`?"),
        ("msg = A, call = B", "unknown argument `call`; did you mean `calls`?"),
    ] {
        let text = with(args, "impl Store { #[message] fn put(&mut self) {} }");
        assert!(text.contains(repair), "no `{repair}` in {text}");
    }
}

#[test]
fn types_that_borrow_nothing_are_taken() {
    for ty in [
        "Box<dyn Fn(&u32) -> bool + Send>",
        "fn(&str) -> usize",
        "Box<dyn for<'a> Take<'a> + Send>",
        "&'static str",
        "proto::Context",
        "proto::Reply",
    ] {
        let text = expand(&format!("impl Store {{ #[message] fn put(&mut self, it: {ty}) {{}} }}"));
        assert!(!text.contains("compile_error"), "{ty}: {text}");
    }
    for ty in ["Option<&str>", "Cow<'a, str>", "Box<dyn Take<'a>>"] {
        let text = expand(&format!("impl Store {{ #[message] fn put(&mut self, it: {ty}) {{}} }}"));
        assert!(text.contains("a message owns its arguments"), "{ty}: {text}");
    }
}

#[test]
fn bounds_on_self_are_those_of_the_actor() {
    let text = expand("impl<T> Store<T> where Self: Display, T: Send { #[message] fn put(&mut self) {} }");
    assert!(!squeezed(&text).contains("StoreMsg<T>(StoreMsgKind<T>)whereSelf:"), "{text}");
    assert!(squeezed(&text).contains("whereStore<T>:Display"), "{text}");
}

#[test]
fn a_condition_on_an_argument_is_reported() {
    let text = expand("impl Store { #[message] fn put(&mut self, #[cfg(a)] it: u32) {} }");
    assert!(text.contains("write the condition above the method"), "{text}");
}

#[test]
fn a_trait_as_an_argument_is_answered_with_its_box() {
    for (argument, repair) in [
        ("impl Fn(u32)", "Box<dyn Fn(u32) + Send>"),
        ("impl Fn(u32) + Send", "Box<dyn Fn(u32) + Send>"),
        ("&dyn Fn(u32)", "Box<dyn Fn(u32) + Send>"),
        ("&impl Display", "Box<dyn Display + Send>"),
        ("impl Into<String>", "write the type itself"),
    ] {
        let text = expand(&format!("impl Store {{ #[message] fn put(&mut self, of: {argument}) {{}} }}"));
        assert!(text.contains(repair), "no `{repair}` in {text}");
    }
}

#[test]
fn only_an_answer_that_may_not_be_sent_is_checked_in_the_call() {
    let call = |answer: &str| {
        let text = expand(&format!("impl Store {{ #[message] fn get(&self) -> {answer} {{ todo!() }} }}"));
        text.split_once("fn get (& self ,) -> Self :: Call < '_ ,")
            .unwrap_or_else(|| panic!("{text}"))
            .1
            .split('{')
            .next()
            .unwrap()
            .to_owned()
    };
    for answer in ["Rc<u32>", "Box<dyn Fn()>"] {
        assert!(call(answer).contains("IsAnswer"), "{}", call(answer));
    }
    for answer in ["u32", "Box<dyn Fn() + Send>"] {
        assert!(!call(answer).contains("IsAnswer"), "{}", call(answer));
    }
}

#[test]
fn a_wrong_attribute_of_a_message_is_reported() {
    for (mark, repair) in [
        ("#[message = \"put\"]", "write `message(name = \"put\")`"),
        ("#[message(\"put\")]", "write `name = \"put\"`"),
        ("#[message(rename = \"put\")]", "write `name = \"..\"`"),
        ("#[message(name = \"put it\")]", "a name is one word"),
        ("#[mesage]", "did you mean `message`?"),
    ] {
        let text = expand(&format!("impl Store {{ {mark} fn insert(&mut self, n: u32) {{}} }}"));
        let text = text.replace("\\\"", "\"");
        assert!(text.contains(repair), "no `{repair}` in {text}");
        // The call is emitted in spite of the mistake.
        has(&text, &["fn insert(&self, n: u32) -> Self::Call<'_, ()>"]);
    }
}
