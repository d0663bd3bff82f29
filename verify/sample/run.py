#!/usr/bin/env python3
"""Runs the mutants of the mailbox, and a sample of all others outside of `verify/core`, against the tests of the
running system.

usage: run.py [COUNT [SEED]]     300 mutants beside those of the mailbox by default, with seed 1
       run.py --again FILE       the mutants that FILE lists, one name on each line

`cargo mutants --list` finds the mutants. The program in `src/` writes all of the sample into one copy of the sources,
each with a switch (an environment variable), because a build for each would take more than a minute. A mutant is caught
if a test fails or does not end. Prints the survivors and both scores, and fails below `LEAST`.
"""
import json
import os
import pathlib
import random
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = pathlib.Path(os.environ.get("SAMPLE_TARGET_DIR", ROOT / "target" / "sample"))
# A test program of the macros loads the standard library of the compiler.
LIBRARIES = subprocess.run(
    ["rustc", "--print", "target-libdir"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
ENVIRONMENT = {
    **os.environ, "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0",
    "DECIDE_CASES": "200", "DECIDE_SHRINK": "0", "SCHEDULES": "200", "LD_LIBRARY_PATH": LIBRARIES,
}
SWITCH = """
/// Returns whether this mutant is the active one.
pub(crate) fn __mutant(number: u32) -> bool {
    static ACTIVE: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    *ACTIVE == number
}
"""
MAILBOX = "supervise-runtime/src/engine/mailbox.rs"
# The percentage of the mutants that have to be caught: in the mailbox, and elsewhere.
LEAST = {"mailbox": 95, "sample": 90}
# The tests of each crate, the quick ones first: the arguments of `cargo test`, and the folder to run them in.
BUILDS = {
    "supervise-runtime": [
        (["--package", "supervise-runtime", "--lib", "--all-features"], "supervise-runtime"),
        (["--package", "supervise-tree", "--test", "buffers", "--test", "behaviour", "--test", "scenarios", "--test",
          "conformance", "--test", "process"], "."),
    ],
    "supervise-macros": [
        (["--package", "supervise-macros"], "supervise-macros"),
        (["--package", "supervise-tree", "--test", "compile_fail"], "."),
    ],
    # Beside those of the runtime: the order of two threads decides what some of these mutants change.
    "mailbox": [(["--manifest-path", "verify/model/Cargo.toml", "--test", "it"], "verify/model")],
}


def listed():
    out = subprocess.run(
        ["cargo", "mutants", "--list", "--json", "--workspace", "-f", "supervise-runtime/src/**", "-f",
         "supervise-macros/src/**", "-e", "supervise-runtime/src/decide/**", "-e",
         "supervise-runtime/src/values/backoff.rs", "-e", "**/tests/**"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def copy(work):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.split("\0"):
        if name and (ROOT / name).is_file():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, work / name)


def write(work, sample):
    """Writes the sources with all mutants of the sample; returns those that could be written."""
    copy(work)
    (work.parent / "sample.json").write_text(json.dumps(sample))
    switches = subprocess.run(
        ["cargo", "run", "--quiet", "--manifest-path", HERE / "Cargo.toml", "--", work, work.parent / "sample.json"],
        env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(TARGET / "switches")}, capture_output=True, text=True, check=True)
    for crate in {mutant["package"] for mutant in sample}:
        with open(work / crate / "src" / "lib.rs", "a") as lib:
            lib.write(SWITCH)
    written = set(map(int, switches.stdout.split()))
    return [mutant for mutant in sample if mutant["number"] in written]


def build(work, arguments, sample):
    """Returns the test programs, and the numbers of the mutants that do not compile."""
    run = subprocess.run(
        ["cargo", "test", "--no-run", "--message-format", "json", *arguments], cwd=work, capture_output=True, text=True,
        env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(TARGET), "RUSTFLAGS": "--cap-lints=allow"})
    programs, wrong = [], set()
    for line in run.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
            programs.append((message["target"]["name"], message["executable"]))
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            found = numbers(work, message["message"], sample)
            if not found and message["message"]["spans"]:
                sys.exit(f"not a mutant: {message['message']['rendered']}")
            wrong |= found
    if run.returncode and not wrong:
        sys.exit(run.stderr)
    return programs, wrong


def numbers(work, message, sample):
    """Returns the mutants on the lines of an error; if there are none, those in the function of the error."""
    found, around = set(), set()
    for span in message["spans"]:
        # A path is relative to the workspace that was built.
        path = next((path for base in ["", "verify/model"] if (path := work / base / span["file_name"]).is_file()), None)
        if not path:
            continue
        name = str(path.resolve().relative_to(work.resolve()))
        lines = path.read_text().splitlines()[span["line_start"] - 1:span["line_end"]]
        found |= set(map(int, re.findall(r"crate::__mutant\((\d+)\)", "\n".join(lines))))
        for mutant in sample:
            function = mutant["function"] and mutant["function"]["span"]
            if function and mutant["file"] == name:
                if function["start"]["line"] <= span["line_start"] <= function["end"]["line"]:
                    around.add(mutant["number"])
    return found or around


def survives(program, crate, number, limit):
    """Runs a test program until a test fails."""
    process = subprocess.Popen(
        [program], cwd=crate, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(TARGET), "MUTANT": str(number)})
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    end, seen = time.monotonic() + limit, b""
    try:
        while True:
            if not selector.select(max(0, end - time.monotonic())):
                return False
            more = os.read(process.stdout.fileno(), 1 << 16)
            if not more:
                return process.wait() == 0
            seen = seen[-200:] + more
            if failed := re.search(rb"test (\S+) \.\.\. FAILED", seen):
                if number == 0:
                    print(f"{failed[1].decode()} fails without a mutant", flush=True)
                return False
    finally:
        process.kill()
        process.wait()


def place(name):
    return re.sub(r":\d+:\d+: ", ": ", name)


def main():
    mutants = listed()
    for number, mutant in enumerate(mutants, 1):
        mutant["number"] = number
    if sys.argv[1:2] == ["--again"]:
        # Without line and column, which change with every edit.
        names = set(map(place, pathlib.Path(sys.argv[2]).read_text().splitlines()))
        sample = [mutant for mutant in mutants if place(mutant["name"]) in names]
    else:
        count, seed = (list(map(int, sys.argv[1:])) + [300, 1][len(sys.argv) - 1:])[:2]
        others = [mutant for mutant in mutants if mutant["file"] != MAILBOX]
        sample = [mutant for mutant in mutants if mutant["file"] == MAILBOX]
        print(f"{len(sample)} mutants of the mailbox, {count} of {len(others)} others, seed {seed}", flush=True)
        sample += random.Random(seed).sample(others, count)
    whole = len(sample)
    if not sample:
        sys.exit("no mutant has such a name")
    with tempfile.TemporaryDirectory(prefix="sample.") as folder:
        work = pathlib.Path(folder) / "sources"
        sample = write(work, sample)
        unwritten = whole - len(sample)
        programs = {}
        for part, builds in BUILDS.items():
            programs[part] = []
            if part == "mailbox" and not any(mutant["file"] == MAILBOX for mutant in sample):
                continue
            for arguments, folder in builds:
                while True:
                    built, wrong = build(work, arguments, sample)
                    if not wrong:
                        break
                    sample = write(work, [mutant for mutant in sample if mutant["number"] not in wrong])
                programs[part] += [(name, path, work / folder) for name, path in built]
        print(f"{unwritten} cannot be written, {whole - unwritten - len(sample)} do not compile", flush=True)
        limits = {}
        for part in programs.values():
            for name, path, where in part:
                begun = time.monotonic()
                if not survives(path, where, 0, 600):
                    sys.exit(f"{name} fails")
                # Another mutant is tried at the same time.
                limits[path] = 20 + 8 * (time.monotonic() - begun)
                print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)

        def is_caught(mutant):
            tests = programs[mutant["package"]] + (programs["mailbox"] if mutant["file"] == MAILBOX else [])
            caught = not all(survives(path, where, mutant["number"], limits[path]) for _, path, where in tests)
            if not caught:
                print(f"SURVIVED {mutant['name']}", flush=True)
            return caught

        with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
            caught = list(pool.map(is_caught, sample))
    failed = False
    for part, least in LEAST.items():
        of_part = [is_caught for mutant, is_caught in zip(sample, caught) if (mutant["file"] == MAILBOX) == (part == "mailbox")]
        if of_part:
            score = 100 * sum(of_part) / len(of_part)
            failed |= score < least
            print(f"{part}: {sum(of_part)} of {len(of_part)} caught, {score:.1f} %; at least {least} %")
    sys.exit(failed)


main()
