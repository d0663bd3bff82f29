#!/usr/bin/env python3
"""Tries a sample of mutants of the engine, actors, tasks and trees, and all of the mailbox, against the tests.

usage: run.py [--part] [SEED]    all mutants that are left, or the next 60; the first call draws 600 with the seed, or 1
       run.py --again FILE       the mutants that FILE lists, one name on each line
       run.py --new ..           forgets the draw and all results first

`cargo mutants --list` finds the mutants. The program in `src/` writes all of them into one copy of the sources, each
with a switch (an environment variable), because a build for each would take more than a minute. Each test runs once
alone, and notes which switches it has reached: only those tests can notice a mutant. A mutant is caught if one of them
fails or does not end. The draw and all results are in the target directory, so each call goes on where the last one
stopped; so it does after a change of the sources, which is built anew.

In a function with a survivor, up to `AROUND` more mutants are tried. `survivors.txt` lists those that change nothing
that a rule promises: they are not tried. Fails if less than `LEAST` of the others are caught.
"""
import hashlib
import json
import os
import pathlib
import random
import re
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = pathlib.Path(os.environ.get("SAMPLE_TARGET_DIR", ROOT / "target" / "sample"))
SOURCES, STATE, BUILT = TARGET / "sources", TARGET / "state.json", TARGET / "built.json"
JOBS = int(os.environ.get("JOBS", os.cpu_count()))
ENVIRONMENT = {
    **os.environ, "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0",
    "DECIDE_CASES": "200", "DECIDE_SHRINK": "0", "ROUNDS": "112", "SCHEDULES": "200", "CARGO_TARGET_DIR": str(TARGET),
}
SWITCH = """
/// Returns whether this mutant is the active one. With MUTANT_REACH, notes in that file that it was asked for.
pub(crate) fn __mutant(number: u32) -> bool {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static SEEN: [AtomicBool; %d] = [const { AtomicBool::new(false) }; %d];
    static ACTIVE: LazyLock<u32> =
        LazyLock::new(|| std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    static REACH: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {
        let file = std::env::var_os("MUTANT_REACH")?;
        Some(std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap())
    });
    if let Some(mut file) = REACH.as_ref()
        && !SEEN[number as usize].swap(true, Ordering::Relaxed)
    {
        std::io::Write::write_all(&mut file, &number.to_le_bytes()).unwrap(); // without an allocation: tests count them
    }
    *ACTIVE == number
}
"""
FOLDERS = ["engine", "actor", "task", "tree"]
MAILBOX = "supervise-runtime/src/engine/mailbox.rs"
COUNT, PART, AROUND = 600, 60, 20
# The percentage of the mutants that have to be caught, of those that are not listed: of the draw, and of the mailbox.
LEAST = {"draw": 95, "mailbox": 95}
# The tests: the arguments of `cargo test`, and the folder to run them in.
BUILDS = [
    (["--package", "supervise-runtime", "--lib", "--all-features"], "supervise-runtime"),
    (["--package", "supervise-tree", *(
        word for name in ["behaviour", "interface", "buffers", "residue", "signal", "systemd", "scenarios",
                          "conformance", "process", "features", "chaos"]
        if any((ROOT / "tests" / place).exists() for place in [name, f"process/{name}", f"process/{name}.rs"])
        for word in ["--test", name])], "."),
    (["--package", "supervise-remote", "--test", "rules", "--test", "seen"], "supervise-remote"),
]
# Beside these, for the mailbox: the order of two threads decides what some of its mutants change.
MODEL = (["--manifest-path", "verify/model/Cargo.toml", "--test", "it"], "verify/model")
# The bytes of memory that a test may take: a mutant may never stop to ask for more.
MEMORY = 6 << 30


def say(text):
    print(text, flush=True)


# ----- the mutants

def listed():
    """Returns all mutants, by a name that an edit elsewhere does not change: without line and column, and numbered if
    there are several with that name."""
    out = subprocess.run(
        ["cargo", "mutants", "--list", "--json", "--workspace",
         *(word for folder in FOLDERS for word in ["-f", f"supervise-runtime/src/{folder}/**"]), "-e", "**/tests/**",
         "-e", "**/tests.rs"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout
    mutants, number = {}, defaultdict(int)
    for mutant in json.loads(out):
        name = re.sub(r":\d+:\d+: ", ": ", mutant["name"])
        number[name] += 1
        if number[name] > 1:
            name += f", no. {number[name]}"
        mutants[name] = {key: mutant[key] for key in ["file", "function", "genre", "package", "replacement", "span"]}
        mutants[name]["name"] = name
        mutants[name]["number"] = len(mutants)
    return mutants


def names(path):
    """Reads names of mutants, one on each line; `#` begins a comment."""
    lines = (line.split("#")[0].strip() for line in pathlib.Path(path).read_text().splitlines())
    return [re.sub(r":\d+:\d+: ", ": ", line) for line in lines if line]


def function(mutant):
    return (mutant["file"], mutant["function"] and mutant["function"]["function_name"])


# ----- the build

def files():
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, text=True, check=True).stdout
    return sorted(name for name in out.split("\0") if name and (ROOT / name).is_file())


def is_built_from(name):
    return not name.startswith(("docs/", "verify/", "benches/", "fuzz/", ".ci/")) or name.startswith("verify/model/")


def fingerprint():
    digest = hashlib.sha256((HERE / "src/main.rs").read_bytes() + json.dumps([BUILDS, SWITCH]).encode())
    for name in filter(is_built_from, files()):
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()


def write(mutants):
    """Writes the sources with these mutants; returns those that could be written. A file that stays the same is not
    touched, so that cargo does not build it again."""
    fresh = TARGET / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    known = files()
    for name in known:
        (fresh / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, fresh / name)
    (TARGET / "mutants.json").write_text(json.dumps(mutants))
    switches = subprocess.run(
        ["cargo", "run", "--quiet", "--manifest-path", HERE / "Cargo.toml", "--", fresh, TARGET / "mutants.json"],
        env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(TARGET / "switches")}, capture_output=True, text=True)
    if switches.returncode:
        sys.exit(switches.stderr)
    most = 1 + max((mutant["number"] for mutant in mutants), default=0)
    with open(fresh / "supervise-runtime/src/lib.rs", "a") as lib:
        lib.write(SWITCH % (most, most))
    for name in known:
        place = SOURCES / name
        if not place.is_file() or place.read_bytes() != (fresh / name).read_bytes():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(fresh / name, place)
    for path in SOURCES.rglob("*"):
        if path.is_file() and not (fresh / path.relative_to(SOURCES)).is_file():
            path.unlink()
    shutil.rmtree(fresh)
    written = set(map(int, switches.stdout.split()))
    return [mutant for mutant in mutants if mutant["number"] in written]


def cargo(arguments, mutants):
    """Returns the test programs, and the numbers of the mutants that do not compile."""
    run = subprocess.run(["cargo", *arguments, "--message-format", "json"], cwd=SOURCES, capture_output=True, text=True,
                         env={**ENVIRONMENT, "RUSTFLAGS": "--cap-lints=allow"})
    programs, wrong = [], set()
    for line in run.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
            programs.append((message["target"]["name"], message["executable"]))
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            found = blamed(message["message"], mutants)
            if not found and message["message"]["spans"]:
                sys.exit(f"not a mutant: {message['message']['rendered']}")
            wrong |= found
    if run.returncode and not wrong:
        sys.exit(run.stderr)
    return programs, wrong


def blamed(message, mutants):
    """Returns the mutants that an error of the compiler is about: the innermost around one of its places; otherwise
    those on its lines; otherwise those in its function."""
    inner, lines, around = [], set(), set()
    for span in message["spans"]:
        # A path is relative to the workspace that was built. In a macro of another crate, the place of its call counts.
        path = None
        while not path and span:
            places = [SOURCES / base / span["file_name"] for base in ["", "verify/model"]]
            path = next((path for path in places if path.is_file() and path.is_relative_to(SOURCES)), None)
            if not path:
                span = span["expansion"] and span["expansion"]["span"]
        if not path:
            continue
        name, text = str(path.relative_to(SOURCES)), path.read_bytes()
        begun = []
        for mark in re.finditer(rb"/\*<(\d+)\*/|/\*(\d+)>\*/", text):
            if mark[1]:
                begun.append(mark.start())
                continue
            begin = begun.pop()
            if begin <= span["byte_start"] and span["byte_end"] <= mark.end():
                inner.append((mark.end() - begin, int(mark[2])))
        shown = b"\n".join(text.splitlines()[span["line_start"] - 1:span["line_end"]])
        lines |= set(map(int, re.findall(rb"crate::__mutant\((\d+)\)", shown)))
        for mutant in mutants:
            place = mutant["function"] and mutant["function"]["span"]
            if place and mutant["file"] == name:
                if place["start"]["line"] <= span["line_start"] <= place["end"]["line"]:
                    around.add(mutant["number"])
    return {min(inner)[1]} if inner else lines or around


def build(mutants, before):
    """Builds the tests with all mutants. In a file that is as it was, those that did not compile before are not tried
    again."""
    begun, of, known = time.monotonic(), fingerprint(), hashes(mutants)
    same = {file for file in known if before.get("files", {}).get(file) == known[file]}
    uncompiled = {name for name in before.get("uncompiled", []) if name in mutants and mutants[name]["file"] in same}
    some = [mutant for name, mutant in mutants.items() if name not in uncompiled]
    say(f"building with {len(some)} of {len(mutants)} mutants")
    left = write(some)
    unwritten = {mutant["name"] for mutant in some} - {mutant["name"] for mutant in left}

    def without_wrong(arguments):
        nonlocal left
        while True:
            built, wrong = cargo(arguments, left)
            if not wrong:
                return built
            uncompiled.update(mutant["name"] for mutant in left if mutant["number"] in wrong)
            left = write([mutant for mutant in left if mutant["number"] not in wrong])

    without_wrong(["check", "--package", "supervise-runtime", "--lib", "--all-features"])
    programs = {}
    while True:
        before = len(uncompiled)
        for arguments, folder in BUILDS:
            for name, path in without_wrong(["test", "--no-run", *arguments]):
                programs[name] = (path, folder)
        if len(uncompiled) == before:
            break  # the last ones have compiled with the first ones' mutants
    say(f"{len(unwritten)} cannot be written, {len(uncompiled)} do not compile; {time.monotonic() - begun:.0f} s")
    built = {"of": of, "files": known, "programs": programs, "unwritten": sorted(unwritten),
             "uncompiled": sorted(uncompiled)}
    BUILT.write_text(json.dumps(built))
    return built


def hashes(mutants):
    return {file: hashlib.sha256((ROOT / file).read_bytes()).hexdigest()
            for file in sorted({mutant["file"] for mutant in mutants.values()})}


# ----- the tests

def run(program, arguments, number, quiet=None, reach=None):
    """Runs a test program until a test fails; returns its name, or how the program ended otherwise. `quiet`: the
    seconds that it may take until the next test is over."""
    path, folder = program
    process = subprocess.Popen(
        ["sh", "-c", f'ulimit -v {MEMORY >> 10}; exec "$@"', "sh", path, "--test-threads", "1", *arguments],
        cwd=SOURCES / folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        env={**ENVIRONMENT, "MUTANT": str(number), **({"MUTANT_REACH": str(reach)} if reach else {})})
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    seen, end = b"", time.monotonic() + (quiet or 600)
    try:
        while True:
            if not selector.select(max(0, end - time.monotonic())):
                current = re.findall(rb"test (\S+) .*\.\.\. $", seen)
                return f"{current[-1].decode() if current else 'a test'} does not end"
            more = os.read(process.stdout.fileno(), 1 << 16)
            if not more:
                return None if process.wait() == 0 else "the program ends"
            seen = seen[-400:] + more
            if failed := re.search(rb"test (\S+) (?:- should panic )?\.\.\. FAILED", seen):
                return failed[1].decode()
            if b"ok\n" in more:
                end = time.monotonic() + (quiet or 600)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()
        selector.close()


def reaching(programs):
    """Runs each test alone; returns its time, and the mutants that it reaches."""
    todo, begun = [], time.monotonic()
    for name, (path, folder) in programs.items():
        out = subprocess.run([path, "--list", "--format", "terse"], cwd=SOURCES / folder, capture_output=True, text=True,
                             env=ENVIRONMENT, check=True).stdout
        out += subprocess.run([path, "--list", "--format", "terse", "--ignored"], cwd=SOURCES / folder, text=True,
                              capture_output=True, env=ENVIRONMENT, check=True).stdout
        tests = re.findall(r"^(\S+): test$", out, re.M)
        todo += [(name, test) for test in dict.fromkeys(tests) if tests.count(test) == 1]
    (TARGET / "reach").mkdir(exist_ok=True)

    def reach(number, program, test):
        file = TARGET / "reach" / str(number)
        for again in [True, False]:
            file.unlink(missing_ok=True)
            begin = time.monotonic()
            failed = run(programs[program], ["--exact", test], 0, reach=file)
            took = time.monotonic() - begin
            if not failed:
                break
            if not again:
                say(f"left out, it fails alone and without a mutant: {program} {failed}")
                return None
        noted = file.read_bytes() if file.is_file() else b""
        reached = sorted({number for number, in struct.iter_unpack("<I", noted)})
        return {"program": program, "test": test, "took": round(took, 3), "reaches": reached}

    with ThreadPoolExecutor(JOBS) as pool:
        tests = list(filter(None, pool.map(lambda one: reach(one[0], *one[1]), enumerate(todo))))
    say(f"{len(tests)} tests, each alone: {time.monotonic() - begun:.0f} s")
    return tests


class Trial:
    """Tries mutants against the tests that reach them."""

    def __init__(self, mutants, built):
        self.mutants, self.built = mutants, built
        self.tests = defaultdict(list)
        # A test that reaches little notices more of it, and a quick one is asked before a slow one.
        order = sorted(built["tests"], key=lambda test: (test["took"] > 0.3, test["took"] > 2, len(test["reaches"])))
        for test in order:
            for number in test["reaches"]:
                self.tests[number].append(test)
        self.model = None

    def of(self, name):
        """Returns the test that catches the mutant; `None` if it survives."""
        number, begin = self.mutants[name]["number"], 0
        tests = self.tests[number]
        for size in [4, 16, 64, len(tests)]:
            some = tests[begin:begin + size]
            begin += size
            by_program = defaultdict(list)
            for test in some:
                by_program[test["program"]].append(test)
            for program, of_program in by_program.items():
                if caught := self.by(program, of_program, number):
                    return f"{program} {caught}"
        return self.by_the_model(number) if self.mutants[name]["file"] == MAILBOX else None

    def by(self, program, tests, number):
        """Returns the test of a program that catches the mutant."""
        quiet = 10 + 10 * max(test["took"] for test in tests)
        left = [test["test"] for test in tests]
        while left:
            caught = run(self.built["programs"][program], ["--exact", *left], number, quiet)
            # A test with threads may fail by itself on a busy machine: it has to fail twice.
            if caught not in left or run(self.built["programs"][program], ["--exact", caught], number, quiet):
                return caught
            left.remove(caught)
        return None

    def by_the_model(self, number):
        if self.model is None:
            self.model, wrong = cargo(["test", "--no-run", *MODEL[0]], list(self.mutants.values()))
            if wrong:
                sys.exit("a mutant does not compile under the model checker")
        for name, path in self.model:
            if caught := run((path, MODEL[1]), [], number, 300):
                return f"{name} {caught}"
        return None


# ----- the draw, and its parts

def begin(mutants, seed):
    others = [name for name, mutant in mutants.items() if mutant["file"] != MAILBOX]
    draw = random.Random(seed).sample(others, COUNT)
    mailbox = [name for name, mutant in mutants.items() if mutant["file"] == MAILBOX]
    say(f"seed {seed}: {COUNT} of {len(others)} mutants, and {len(mailbox)} of the mailbox")
    return {"seed": seed, "draw": draw, "mailbox": mailbox, "around": [], "results": {}, "functions": [], "parts": []}


def try_all(some, trial, state, survivors):
    """Tries these mutants, and keeps each result at once."""
    built, known = trial.built, set(survivors)
    dead = {**dict.fromkeys(built["unwritten"], "unwritten"), **dict.fromkeys(built["uncompiled"], "uncompiled")}
    done = 0

    def one(name):
        begin = time.monotonic()
        if name not in trial.mutants:
            result = "gone"
        elif name in dead:
            result = dead[name]
        elif name in known:
            result = "listed"
        else:
            result = trial.of(name) or "survived"
        return name, result, time.monotonic() - begin

    with ThreadPoolExecutor(JOBS) as pool:
        for name, result, took in pool.map(one, some):
            done += 1
            state["results"][name] = result
            STATE.write_text(json.dumps(state))
            if result not in ["gone", "unwritten", "uncompiled", "listed"]:
                word = "SURVIVED" if result == "survived" else "caught"
                by = "" if result == "survived" else f" by {result}"
                reached = len(trial.tests[trial.mutants[name]["number"]])
                say(f"{done}/{len(some)} {word} in {took:.1f} s, {reached} tests reach it: {name}{by}")


def around(some, trial, state, survivors):
    """Tries more mutants in each function in which one of these has survived."""
    here = {function(trial.mutants[name]): None for name in some if state["results"][name] == "survived"}
    for of in here:
        if list(of) in state["functions"]:
            continue
        more = [name for name, mutant in trial.mutants.items()
                if function(mutant) == of and name not in state["results"]]
        random.Random(f"{state['seed']} {of}").shuffle(more)
        say(f"{len(more[:AROUND])} more in {of[1]} of {of[0]}")
        try_all(more[:AROUND], trial, state, survivors)
        state["around"] += [name for name in more[:AROUND] if name not in state["draw"] + state["mailbox"]]
        state["functions"].append(list(of))
        STATE.write_text(json.dumps(state))


def score(title, some, state, survivors):
    """Returns the percentage of these mutants that were caught, of those that are not listed."""
    results = [(name, state["results"][name]) for name in some if name in state["results"]]
    viable = {name: result for name, result in results if result not in ["gone", "unwritten", "uncompiled"]}
    listed = [name for name, result in viable.items() if result == "listed" or name in survivors]
    lives = [name for name, result in viable.items() if result == "survived" and name not in survivors]
    caught, tried = len(viable) - len(listed) - len(lives), len(viable) - len(listed)
    part = 100 * caught / tried if tried else 100
    say(f"{title}: {len(results)} of {len(some)} done, {len(results) - len(viable)} do not compile, {len(listed)} are "
        f"listed; of the other {tried}, {caught} caught, {len(lives)} survive: {part:.1f} %")
    return part


def main():
    global STATE
    arguments = sys.argv[1:]
    TARGET.mkdir(parents=True, exist_ok=True)
    if "--new" in arguments:
        arguments.remove("--new")
        STATE.unlink(missing_ok=True)
    mutants = listed()
    survivors = names(HERE / "survivors.txt")
    for name in survivors:
        if name not in mutants:
            say(f"there is no such mutant any more: {name}")
    built = json.loads(BUILT.read_text()) if BUILT.is_file() else {}
    if built.get("of") != fingerprint():
        built = build(mutants, built)
        if STATE.is_file():  # there may be tests of the survivors by now
            state = json.loads(STATE.read_text())
            state["results"] = {name: result for name, result in state["results"].items() if result != "survived"}
            STATE.write_text(json.dumps(state))
    if "tests" not in built:
        built["tests"] = reaching(built["programs"])
        BUILT.write_text(json.dumps(built))
    trial = Trial(mutants, built)
    if arguments[:1] == ["--again"]:
        some = [name for name in names(arguments[1]) if name in mutants]
        state = {"results": {}}
        STATE = TARGET / "again.json"
        try_all(some, trial, state, [])
        return score("again", some, state, [])
    part = "--part" in arguments
    seed = int(next((word for word in arguments if word.isdecimal()), 1))
    state = json.loads(STATE.read_text()) if STATE.is_file() else begin(mutants, seed)
    while left := [name for name in state["draw"] + state["mailbox"] + state["around"]
                   if name not in state["results"]][:PART]:
        start = time.monotonic()
        say(f"part {len(state['parts']) + 1}, {len(left)} mutants")
        try_all(left, trial, state, survivors)
        around(left, trial, state, survivors)
        state["parts"].append(round(time.monotonic() - start))
        STATE.write_text(json.dumps(state))
        say(f"part {len(state['parts'])}: {state['parts'][-1]} s")
        if part:
            break
    for name, result in state["results"].items():
        if result == "survived" and name not in survivors:
            say(f"survives: {name}")
    scores = {group: score(group, state[group], state, survivors) for group in LEAST}
    score("more, around survivors", state["around"], state, survivors)
    sys.exit(any(scores[group] < least for group, least in LEAST.items()))


main()
