//! The runtime takes its locks and atomics from the model checker.

fn main() {
    println!("cargo:rustc-cfg=shuttle");
    println!("cargo:rerun-if-changed=build.rs");
}
