#!/usr/bin/env python3
"""The compile time of a declaration, compared with the same tree written manually with the runtime's API.

usage: run.py [ROUNDS]
       run.py --instructions      counts instructions with valgrind; the result is the same on every run, even on a busy
                                  machine
       run.py --most RATIO        does that, and fails if a declaration takes more than RATIO times the instructions of
                                  the manual tree

Makes a crate for each tree (1, 10 and 100 children; with the macro, manually, and without the tree) below `target/`,
compiles them alternately, ROUNDS times (default 5), and prints the minimum of each, minus that of the crate without a
tree.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "compile-cost"

MANIFEST = f"""
[package]
name = "NAME"
version = "0.0.0"
edition = "2024"

[workspace]

[lib]
test = false

[dependencies]
supervise = {{ package = "supervise-tree", path = "{ROOT}" }}

[profile.dev]
incremental = false
"""

COMMON = """
#![allow(unused)]
use supervise::prelude::*;

pub struct Worker(u64);

#[actor]
impl Worker {
    fn handle(&mut self, add: u64) {
        self.0 += add;
    }
}
"""


def by_macro(count):
    children = "\n".join(
        f"        #[lifecycle(Permanent, shutdown = 5s)]\n        c{n}: Worker = Worker(first)," for n in range(count))
    return f"""{COMMON}
supervisor! {{
    pub struct Tree(first: u64) {{
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]
{children}
    }}
}}
"""


def handwritten(count):
    names = [f"c{n}" for n in range(count)]
    fields = "\n".join(f"    pub {name}: ActorRef<Worker>," for name in names)
    specs = "\n".join(
        f'        ChildSpec {{ name: "{name}", doc: "", item: "Worker", shape: Shape::One, kind: ChildKind::Actor, '
        f"lifecycle: Lifecycle::Permanent, shutdown: DeclaredShutdown::Is(ShutdownTimeout::Within(Duration::from_secs(5))), "
        f'settings: &["lifecycle(Permanent, shutdown = 5s)"], limit: default_limit(OnLimit::Escalate, false, false), '
        f"at: std::panic::Location::caller(), below: Below::Known(None), remote: None }}," for name in names)
    clones = ", ".join(f"{name}: self.{name}.clone()" for name in names)
    starts = "\n".join(f"""
        let {name} = builder.child::<Worker, _, _>(
            "{name}",
            ChildOptions::new().lifecycle(Lifecycle::Permanent).shutdown(Duration::from_secs(5)),
            {{
                let first = first.clone();
                move || {{
                    let first = SharedValue::clone_for_start(&first);
                    async move {{ Ok::<_, Thrown>(Worker(first)) }}
                }}
            }},
        ).await?;""" for name in names)
    return f"""{COMMON}
use std::time::Duration;
use supervise::expansion::*;

#[derive(Debug)]
pub struct Tree {{
{fields}
    tree: TreeRef,
}}

impl Clone for Tree {{
    fn clone(&self) -> Self {{
        Tree {{ {clones}, tree: self.tree.clone() }}
    }}
}}

impl std::ops::Deref for Tree {{
    type Target = TreeRef;
    fn deref(&self) -> &TreeRef {{
        &self.tree
    }}
}}

impl TreeHandle for Tree {{
    const SPEC: TreeSpec = TreeSpec {{
        name: "Tree",
        doc: "",
        strategy: Strategy::OneForOne,
        shutdown: DeclaredShutdown::Default,
        shutdown_order: ShutdownOrder::Reverse,
        settings: &["strategy(OneForOne, max_restarts = 10, within = 1min)"],
        at: std::panic::Location::caller(),
        module: module_path!(),
        version: option_env!("CARGO_PKG_VERSION"),
        children: &[
{specs}
        ],
    }};
}}

impl TreeDef for Tree {{
    type Params = (u64,);
    async fn build((first,): Self::Params, builder: Builder) -> Result<Self, Thrown> {{
        let first = builder.keep(first);
        let tree = builder.tree_ref();
        builder.supervision(
            SupervisorStrategy::new(Strategy::OneForOne).max_restarts(MaxRestarts::AtMost(10)).within(Duration::from_secs(60)),
        );
{starts}
        Ok(Tree {{ {", ".join(f"{name}: {name}.clone_for_start()" for name in names)}, tree }})
    }}
}}

impl Child for Tree {{
    type Handle = Tree;
    type Start = supervise::Tree<Tree>;
    const KIND: ChildKind = ChildKind::Tree;
    const TREE: Option<&'static TreeSpec> = Some(&<Tree as TreeHandle>::SPEC);
    fn launch<F, Fut>(child_slot: ChildSlot, options: ChildOptions<Self>, start: F) -> Launched<Tree>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<supervise::Tree<Tree>, Thrown>> + Send + 'static,
    {{
        launch_tree(child_slot, options, start)
    }}
}}

impl Tree {{
    pub fn tree(first: u64) -> supervise::Tree<Self> {{
        supervise::Tree::new((first,))
    }}

    #[track_caller]
    pub fn start(first: u64) -> BoxFuture<'static, Result<Running<Self>, Failure>> {{
        Self::tree(first).start()
    }}

    #[track_caller]
    pub fn run<'a>(first: u64, until: impl Future + Send + 'a) -> BoxFuture<'a, Result<Report, Failure>> {{
        Self::tree(first).run(until)
    }}
}}
"""


def crate(name, source):
    folder = WORK / name
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST.replace("NAME", name))
    (folder / "src" / "lib.rs").write_text(source)
    return folder


def cargo(folder, *args, **more):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "target"), **more}
    command, *rest = args
    run = subprocess.run(["cargo", command, "--quiet", *rest], cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{folder.name}: {run.stderr}")
    return run.stdout


def seconds(folder, command):
    """CPU time, which is more reliable than wall time on a busy machine."""
    (folder / "src" / "lib.rs").touch()
    begun = cpu()
    cargo(folder, command)
    return cpu() - begun


COUNTING = """#!/bin/sh
# A wrapper for rustc: the crate that is measured is compiled under valgrind.
rustc=$1
shift
case " $* " in
    *" --crate-name $COUNTED "*) exec valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$COUNTS" \\
        "$($rustc --print sysroot)/bin/rustc" "$@" ;;
    *) exec "$rustc" "$@" ;;
esac
"""


def instructions(folder, command):
    """The instructions of rustc alone, in millions."""
    (folder / "src" / "lib.rs").touch()
    wrapper, counts = WORK / "counting.sh", WORK / "counts.log"
    wrapper.write_text(COUNTING)
    wrapper.chmod(0o755)
    cargo(folder, command, RUSTC_WRAPPER=str(wrapper), COUNTED=folder.name, COUNTS=str(counts))
    return int(re.search(r"Collected : (\d+)", counts.read_text())[1]) / 1e6


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lines(folder):
    """Lines of the expansion, as rustc prints it."""
    return len(cargo(folder, "rustc", "--", "-Zunpretty=expanded", RUSTC_BOOTSTRAP="1").splitlines())


def main():
    most = float(sys.argv[2]) if sys.argv[1:2] == ["--most"] else None
    counting = most is not None or sys.argv[1:] == ["--instructions"]
    if counting and not shutil.which("valgrind"):
        sys.exit("valgrind is not installed")
    rounds = 1 if counting else int(sys.argv[1]) if len(sys.argv) > 1 else 5
    measure, scale, unit = (instructions, 1, "M instructions") if counting else (seconds, 1000, "ms")
    shutil.rmtree(WORK, ignore_errors=True)
    crates = {("none", 0): crate("none", COMMON)}
    for count in (1, 10, 100):
        crates["macro", count] = crate(f"macro{count}", by_macro(count))
        crates["hand", count] = crate(f"hand{count}", handwritten(count))
    took = {(key, command): [] for key in crates for command in ("check", "build")}
    for folder in crates.values():
        cargo(folder, "check")
        cargo(folder, "build")
    for _ in range(rounds):
        for key, folder in crates.items():
            for command in ("check", "build"):
                took[key, command].append(measure(folder, command))
    least = {key: min(times) for key, times in took.items()}
    empty = lines(crates["none", 0])
    print(f"| children | | check, {unit} a child | build, {unit} a child | lines a child |")
    print("|---|---|---|---|---|")
    worst = 0
    for count in (1, 10, 100):
        cost = {}
        for way in ("macro", "hand"):
            own = [least[(way, count), command] - least[("none", 0), command] for command in ("check", "build")]
            cost[way] = [scale * time / count for time in own] + [(lines(crates[way, count]) - empty) / count]
            print(f"| {count} | {way} | {cost[way][0]:.1f} | {cost[way][1]:.1f} | {cost[way][2]:.0f} |")
        ratios = [mine / other if other > 0 else float("nan") for mine, other in zip(cost["macro"], cost["hand"])]
        print(f"| {count} | macro / hand | {ratios[0]:.2f} | {ratios[1]:.2f} | {ratios[2]:.2f} |")
        worst = max(worst, *ratios[:2])
    if most is not None and worst > most:
        sys.exit(f"a declaration takes {worst:.3f} times the instructions of the manual tree, at most {most} are allowed")


main()
