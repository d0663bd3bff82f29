#!/usr/bin/env python3
"""Runs a sample of the mutants outside of `verify/core` against the tests of the running system.

usage: run.py [COUNT [SEED]]     300 mutants by default, with seed 1
       run.py --again FILE       the mutants that FILE lists, one name on each line

`cargo mutants --list` finds the mutants. The program in `src/` writes all of the sample into one copy of the sources,
each with a switch (an environment variable), because a build for each would take more than a minute. A mutant is caught
if a test fails or does not end. Prints the survivors, and the score.
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = pathlib.Path(os.environ.get("SAMPLE_TARGET_DIR", ROOT / "target" / "sample"))
ENVIRONMENT = {
    **os.environ, "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0",
    "DECIDE_CASES": "200", "DECIDE_SHRINK": "0",
}
SWITCH = """
/// Returns whether this mutant is the active one.
pub(crate) fn __mutant(number: u32) -> bool {
    static ACTIVE: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    *ACTIVE == number
}
"""
# The tests of each crate, the quick ones first.
BUILDS = {
    "supervise-runtime": [
        ["--package", "supervise-runtime", "--lib", "--all-features"],
        ["--package", "supervise-tree", "--test", "behaviour", "--test", "scenarios", "--test", "conformance"],
    ],
    "supervise-macros": [["--package", "supervise-macros"]],
}


def listed():
    out = subprocess.run(
        ["cargo", "mutants", "--list", "--json", "--workspace", "-f", "supervise-runtime/src/**", "-f",
         "supervise-macros/src/**", "-e", "supervise-runtime/src/decide/**", "-e", "**/tests/**"],
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
    for crate in BUILDS:
        with open(work / crate / "src" / "lib.rs", "a") as lib:
            lib.write(SWITCH)
    written = set(map(int, switches.stdout.split()))
    return [mutant for mutant in sample if mutant["number"] in written]


def build(work, arguments):
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
            found = numbers(work, message["message"])
            if not found and message["message"]["spans"]:
                sys.exit(f"not a mutant: {message['message']['rendered']}")
            wrong |= found
    if run.returncode and not wrong:
        sys.exit(run.stderr)
    return programs, wrong


def numbers(work, message):
    found = set()
    for span in message["spans"]:
        path = work / span["file_name"]
        if path.is_file():
            lines = path.read_text().splitlines()[span["line_start"] - 1:span["line_end"]]
            found |= set(map(int, re.findall(r"crate::__mutant\((\d+)\)", "\n".join(lines))))
    return found


def survives(program, crate, number, limit):
    """Runs a test program until a test fails."""
    process = subprocess.Popen(
        [program], cwd=crate, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**ENVIRONMENT, "MUTANT": str(number)})
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
            if b"... FAILED" in seen:
                return False
    finally:
        process.kill()
        process.wait()


def main():
    mutants = listed()
    for number, mutant in enumerate(mutants, 1):
        mutant["number"] = number
    if sys.argv[1:2] == ["--again"]:
        names = set(pathlib.Path(sys.argv[2]).read_text().splitlines())
        sample = [mutant for mutant in mutants if mutant["name"] in names]
    else:
        count, seed = (list(map(int, sys.argv[1:])) + [300, 1][len(sys.argv) - 1:])[:2]
        sample = random.Random(seed).sample(mutants, count)
        print(f"{count} of {len(mutants)} mutants, seed {seed}", flush=True)
    whole = len(sample)
    if not sample:
        sys.exit("no mutant has such a name")
    with tempfile.TemporaryDirectory(prefix="sample.") as folder:
        work = pathlib.Path(folder) / "sources"
        sample = write(work, sample)
        unwritten = whole - len(sample)
        programs = {}
        for crate, builds in BUILDS.items():
            programs[crate] = []
            for arguments in builds:
                while True:
                    built, wrong = build(work, arguments)
                    if not wrong:
                        break
                    sample = write(work, [mutant for mutant in sample if mutant["number"] not in wrong])
                programs[crate] += [
                    (name, path, work if "supervise-tree" in arguments else work / crate) for name, path in built]
        print(f"{unwritten} cannot be written, {whole - unwritten - len(sample)} do not compile", flush=True)
        limits = {}
        for crate in programs:
            for name, path, where in programs[crate]:
                begun = time.monotonic()
                if not survives(path, where, 0, 600):
                    sys.exit(f"{name} fails without a mutant")
                limits[path] = 20 + 4 * (time.monotonic() - begun)
                print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
        survivors = 0
        for mutant in sample:
            for name, path, where in programs[mutant["package"]]:
                if not survives(path, where, mutant["number"], limits[path]):
                    break
            else:
                survivors += 1
                print(f"SURVIVED {mutant['name']}", flush=True)
    print(f"{len(sample) - survivors} of {len(sample)} caught: {100 * (1 - survivors / len(sample)):.1f} %")


main()
