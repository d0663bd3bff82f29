#!/usr/bin/env python3
"""Shows that the tests notice a broken rule: each mutant in the files `*.edits` breaks one, and its test must fail then.

usage: run.py                  every mutant
       run.py --quick          those whose tests are in the workspace, as the gate does
       run.py s16 s27-a        the mutants whose names begin like this
       run.py --in FOLDER ..   those in the files of another folder

All mutants are written into one copy of the sources, each with a switch, so that one build has all of them. An
environment variable turns one on, and only its test is run. A mutant that cannot have a switch has a build of its own.
A line patch `*.patch` is a mutant too. The mutants that `survivors.txt` lists are known to survive: one that is caught
has to leave the list.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# A directory of its own: cargo would take the build of the copy for a build of the project.
TARGET = pathlib.Path(os.environ.get("MUTANTS_TARGET_DIR", ROOT / "target" / "mutants"))
COPY = TARGET / "sources"
FOLDER = HERE
ENVIRONMENT = {
    **os.environ, "CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0",
    "RUST_BACKTRACE": "0", "SCHEDULES": os.environ.get("SCHEDULES", "6000"),
}
# The time of one test, and that of a whole test program, in seconds.
LIMITS = (60, 300)
# The memory of a test program, in bytes: a mutant may allocate without end.
MEMORY = 6 << 30
SWITCH = """
extern crate std as __std;

/// Returns whether this mutant is the active one.
pub(crate) fn __mutant(number: u32) -> bool {
    static ACTIVE: __std::sync::LazyLock<u32> =
        __std::sync::LazyLock::new(|| __std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    *ACTIVE == number
}
"""


class Mutant:
    def __init__(self, name, test, patch=None):
        self.name, self.test, self.patch = name, test, patch
        words = shlex.split(test.partition(" -- ")[0])
        # The arguments that choose a package, those that choose a test program in it, and the test: none for all tests.
        at = next(n for n, word in enumerate(words) if word in ("--test", "--lib"))
        end = at + (2 if words[at] == "--test" else 1)
        self.package, self.program, self.filter = tuple(words[:at]), tuple(words[at:end]), "".join(words[end:])


def edits(*arguments, check=True):
    return subprocess.run(
        ["cargo", "run", "--quiet", "--manifest-path", HERE / "Cargo.toml", "--", "--in", FOLDER, *arguments],
        env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(ROOT / "target" / "edits")}, stdout=subprocess.PIPE, text=True, check=check)


def mutants():
    found = [Mutant(*line.split("\t")[:2]) for line in edits("list").stdout.splitlines()]
    for path in sorted(FOLDER.glob("*.patch")):
        found.append(Mutant(path.stem, path.read_text().splitlines()[0].removeprefix("# test: "), path))
    return found


def survivors():
    path = FOLDER / "survivors.txt"
    lines = path.read_text().splitlines() if path.is_file() else []
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def copy():
    """Copies the project, with new times: cargo must not take the build of an earlier mutant for that of this copy."""
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE,
        text=True, check=True).stdout
    for name in names.split("\0"):
        if name and (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, COPY / name)


def seed():
    """Takes over the dependencies that the project has built already: they are the same, and take minutes."""
    built = ROOT / "target" / "debug"
    if (TARGET / "debug").exists() or not (built / ".fingerprint").is_dir():
        return
    foreign = [path.name for path in (built / ".fingerprint").iterdir() if not path.name.startswith("supervise")]
    hashes = {name.rpartition("-")[2] for name in foreign}
    link = {"copy_function": os.link, "dirs_exist_ok": True}
    for name in foreign:
        for folder in (".fingerprint", "build"):
            if (built / folder / name).is_dir():
                shutil.copytree(built / folder / name, TARGET / "debug" / folder / name, **link)
    (TARGET / "debug" / "deps").mkdir(parents=True, exist_ok=True)
    for path in (built / "deps").iterdir():
        if path.is_file() and path.stem.rpartition("-")[2] in hashes:
            os.link(path, TARGET / "debug" / "deps" / path.name)


def write(chosen):
    """Writes the mutants into the copy. Returns the numbers of those with a switch, and what is said of the others."""
    copy()
    out = edits("write", str(COPY), *[mutant.name for mutant in chosen], check=False).stdout
    switched, alone, stale, crates = set(), set(), {}, set()
    for line in out.splitlines():
        number, how, rest = line.split("\t")
        number = int(number)
        if how == "switched":
            switched.add(number)
            crates.update(rest.split())
        elif how == "alone":
            alone.add(number)
        else:
            stale[number] = rest
    for name in crates:
        folder = COPY if name == "supervise" else COPY / name.replace("_", "-")
        with open(folder / "src" / "lib.rs", "a") as lib:
            lib.write(SWITCH)
    return switched, alone, stale


def only(chosen):
    """Leaves the tests of these mutants, so that the others are not compiled to the end. A test that its file names
    elsewhere stays too: it may be run as another process."""
    names = {mutant.filter.split("::")[-1] for mutant in chosen if mutant.filter}
    attribute = re.compile(r"^\s*#\[(tokio::)?test(\(.*\))?\]\s*$")
    for path in COPY.rglob("*.rs"):
        parts = path.relative_to(COPY).parts
        if parts[0] == "verify" or "tests" not in parts and not path.stem.endswith("tests"):
            continue
        text = path.read_text()
        lines, out, changed = text.splitlines(), [], False
        for n, line in enumerate(lines):
            if attribute.match(line):
                function = next((re.search(r"\bfn (\w+)", rest) for rest in lines[n + 1:] if "fn " in rest), None)
                if function and function[1] not in names and text.count(function[1]) == 1:
                    changed = True
                    continue
            out.append(line)
        if changed:
            path.write_text("\n".join(out) + "\n")


def build(chosen, alone=False):
    """Builds the test programs. Returns them by package and target, and the numbers of mutants that do not compile;
    nothing if a mutant that is `alone` does not."""
    programs, wrong = {}, set()
    for package in sorted({mutant.package for mutant in chosen}):
        targets = sorted({mutant.program for mutant in chosen if mutant.package == package})
        words = [word for target in targets for word in target]
        run = subprocess.run(
            ["cargo", "test", "--no-run", "--message-format", "json", *package, *words], cwd=COPY,
            env={**ENVIRONMENT, "RUSTFLAGS": os.environ.get("RUSTFLAGS", "")}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        found = set()
        for line in run.stdout.splitlines():
            message = json.loads(line)
            if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
                target = message["target"]
                program = ("--lib",) if "lib" in target["kind"] or "proc-macro" in target["kind"] else ("--test", target["name"])
                folder = pathlib.Path(message["manifest_path"]).parent
                programs[package, program] = (message["executable"], folder)
            if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                found |= blamed(message["message"])
        if run.returncode and alone:
            print(run.stderr[-2000:], flush=True)
            return {}, set()
        if run.returncode and not found:
            sys.exit(f"{run.stderr}\nthe copy with all mutants does not compile")
        wrong |= found
    return programs, wrong


def blamed(message):
    """Returns the mutants whose code is nearest before the places of an error."""
    found = set()
    for span in message["spans"]:
        path = COPY / span["file_name"]
        if path.is_file():
            before = path.read_bytes()[:span["byte_start"]].decode(errors="ignore")
            if numbers := re.findall(r"crate::__mutant\((\d+)\)", before):
                found.add(int(numbers[-1]))
    return found


def libraries():
    """A test program of the macros loads the standard library of the compiler."""
    return subprocess.run(
        ["rustc", "--print", "target-libdir"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def judged(code, output, test):
    """Returns what a test program says of a test, or of all its tests if there is no name.

    >>> judged(101, "test a::b ... FAILED", "a::b")
    'fails'
    >>> judged(0, "test a::b ... ok\\n1 passed; 0 failed", "a::b")
    'passes'
    >>> judged(0, "running 0 tests\\n0 passed", "a::b")
    'is not there'
    >>> judged(-6, "panicked at src/base/sync.rs", "a::b")
    'fails'
    >>> judged(-6, "memory allocation of 12 bytes failed", "a::b")
    'takes too much memory'
    """
    if code == 0:
        return "passes" if not test or "1 passed" in output else "is not there"
    if "memory allocation of" in output:
        return "takes too much memory"
    # A bug of the library aborts the program. (The same test passes without the mutant.)
    return "fails"


def run(program, folder, test, number, libdir):
    """Runs one test, or all of a program, and judges it."""
    try:
        done = subprocess.run(
            [program, *(["--exact", test] if test else [])], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMITS[not test],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            env={**ENVIRONMENT, "MUTANT": str(number), "LD_LIBRARY_PATH": libdir, "CARGO_MANIFEST_DIR": str(folder)})
    except subprocess.TimeoutExpired:
        return "hangs"
    return judged(done.returncode, done.stdout.decode(errors="replace"), test)


def alone(mutant):
    """Builds and runs the test of a mutant without a switch: first without the mutant, then with it."""
    for mutated in (False, True):
        copy()
        if mutated and mutant.patch:
            patch = ["patch", "-p1", "--quiet", "--force", "--fuzz=0", "--no-backup-if-mismatch", "-i", mutant.patch]
            if subprocess.run(patch, cwd=COPY, stdout=subprocess.DEVNULL).returncode:
                return "stale: the patch does not apply"
        elif mutated and edits("apply", str(COPY), mutant.name, check=False).returncode:
            return "stale"
        only([mutant])
        programs = build([mutant], mutated)[0]
        if not programs:
            return "does not compile"
        result = run(*programs[mutant.package, mutant.program], mutant.filter, 0, libraries())
        if not mutated and result != "passes":
            return f"{result} without the mutant too"
    return result


def switched(chosen):
    """Returns what the test of each mutant does, by name; `alone` for those that need a build of their own."""
    seed()
    results, apart = {}, set()
    while True:
        rest = [mutant for mutant in chosen if mutant.name not in apart and mutant.name not in results]
        if not rest:
            return results
        _, single, stale = write(rest)
        results.update({rest[number - 1].name: f"stale: {why}" for number, why in stale.items()})
        apart.update(rest[number - 1].name for number in single)
        if single or stale:
            results.update({name: "alone" for name in apart})
            continue
        only(rest)
        programs, wrong = build(rest)
        if not wrong:
            break
        apart.update(rest[number - 1].name for number in wrong)
        results.update({name: "alone" for name in apart})
    libdir = libraries()

    def one(job):
        number, mutant = job
        program, folder = programs[mutant.package, mutant.program]
        # Some tests measure sizes or costs, which the switches change.
        if run(program, folder, mutant.filter, 0, libdir) != "passes":
            return "alone"
        return run(program, folder, mutant.filter, number, libdir)

    with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        results.update(zip([mutant.name for mutant in rest], pool.map(one, enumerate(rest, 1))))
    return results


def main():
    global FOLDER
    parser = argparse.ArgumentParser(usage="run.py [--in FOLDER] [--quick] [NAME ..]")
    parser.add_argument("--in", dest="folder", type=pathlib.Path, default=HERE)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    FOLDER = arguments.folder.resolve()
    chosen = mutants()
    for name in arguments.names:
        if not any(mutant.name.startswith(name) for mutant in chosen):
            sys.exit(f"no mutant has such a name: {name}")
    if arguments.quick:
        chosen = [mutant for mutant in chosen if not mutant.patch and "--manifest-path" not in mutant.package]
    if arguments.names:
        chosen = [mutant for mutant in chosen if mutant.name.startswith(tuple(arguments.names))]
    if not chosen:
        sys.exit("no mutant is left")
    known = survivors()
    results = switched([mutant for mutant in chosen if not mutant.patch])
    failed = 0
    for mutant in chosen:
        result = results.get(mutant.name, "alone")
        if result == "alone":
            result = alone(mutant)
        expected = "passes" if mutant.name in known else "fails"
        if result != expected:
            failed += 1
            known_too = "; take it from survivors.txt" if result == "fails" else ""
            print(f"MISSED   {mutant.name}: {result}{known_too}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
