//! What the compiler says about trees that cannot work: one file a mistake in `tests/ui/<area>/`.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the outputs anew; read the difference before keeping it.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
