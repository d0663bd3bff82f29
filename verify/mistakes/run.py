#!/usr/bin/env python3
"""Types each mistake of `cases.txt` and of the three fifties into a program that is right, and scores what rustc says. See README.md.

    verify/mistakes/run.py               every mistake
    verify/mistakes/run.py backoff m10   those whose names contain one of these words
    verify/mistakes/run.py --show m10    and the whole output of rustc
    UPDATE=1 verify/mistakes/run.py      writes the scores

Exits with 1 if a mistake scores less than recorded, or if the program without a mistake does not compile.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = [HERE / name for name in ("cases.txt", "fifty-a.txt", "fifty-b.txt", "fifty-c.txt")]
PROGRAM = (HERE / "src" / "main.rs").read_text()
ENVIRONMENT = dict(os.environ, CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="0", CARGO_TERM_COLOR="never")
MARKS = "«»"


# Names that no user writes: paths into a crate that is not depended on, and names of generated code.
INTERNAL = re.compile(r"supervise_runtime::|supervise_remote::(?!expansion|testing)[a-z_]+::|\b__\w+|\$crate::(?!expansion)")


@dataclass
class Case:
    name: str
    file: Path
    # Words of the first error, all of which have to be in it.
    words: list = field(default_factory=list)
    # The same in a warning, where nothing is an error.
    warning: list = field(default_factory=list)
    # Why nothing is said.
    silent: str = ""
    # The score that is recorded, and why it is not 2.
    score: int = 2
    reason: str = ""
    edits: list = field(default_factory=list)


def cases():
    return [case for file in FILES for case in cases_of(file)]


def cases_of(file):
    found = []
    removed, added = [], []

    def edit():
        if removed or added:
            found[-1].edits.append((list(removed), list(added)))
            removed.clear()
            added.clear()

    for number, line in enumerate(file.read_text().splitlines()):
        mark, text = line[:2], line[2:]
        if added and mark != "+ " and line != "+" or not line:
            edit()
        if not line or line.startswith("#"):
            continue
        if mark == "= ":
            found.append(Case(text, file))
        elif mark == "- " or line == "-":
            removed.append(text)
        elif mark == "+ " or line == "+":
            added.append(text)
        else:
            key, value = line.split(": ", 1)
            case = found[-1]
            if key == "error":
                case.words.append(value)
            elif key == "warning":
                case.warning.append(value)
            elif key == "silent":
                case.silent = value
            elif key == "score":
                score, _, case.reason = value.partition(" ")
                case.score = int(score)
            else:
                sys.exit(f"{file.name}:{number + 1}: unknown key {key}")
    edit()
    names = [case.name for case in found]
    for case in found:
        assert names.count(case.name) == 1, f"{case.name} is there twice"
        assert case.words or case.warning or case.silent, f"{case.name}: no `error`, `warning` or `silent`"
    return found


def typed(case):
    """The program with the mistake, and the marked places as (line, from, to), counted from 1."""
    lines = PROGRAM.splitlines()
    for removed, added in case.edits:
        if not removed:
            lines += [""] + added
            continue
        wanted = [line.strip() for line in removed]
        plain = [line.strip().translate({ord(mark): None for mark in MARKS}) for line in lines]
        at = [i for i in range(len(lines)) if plain[i : i + len(wanted)] == wanted]
        if len(at) != 1:
            sys.exit(f"{case.name}: found {len(at)} times: {wanted}")
        indent = re.match(" *", lines[at[0]])[0]
        lines[at[0] : at[0] + len(wanted)] = [indent + line for line in added]
    places = []
    for i, line in enumerate(lines):
        while MARKS[0] in line:
            begin = line.index(MARKS[0])
            line = line.replace(MARKS[0], "", 1)
            end = line.index(MARKS[1])
            line = line.replace(MARKS[1], "", 1)
            places.append((i + 1, begin + 1, end + 1))
        lines[i] = line
    return "\n".join(lines) + "\n", places


def build():
    """Builds the dependencies, and returns the arguments with which rustc finds them."""
    run = subprocess.run(
        ["cargo", "check", "--quiet", "--message-format=json"],
        cwd=HERE, env=ENVIRONMENT, capture_output=True, text=True)
    files = {}
    for line in run.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact":
            files[message["target"]["name"]] = [Path(name) for name in message["filenames"]]
    if run.returncode != 0 or "supervise" not in files:
        sys.exit(f"the program without a mistake does not compile:\n{run.stderr}{run.stdout[-3000:]}")
    extern = []
    for crate in ["supervise", "supervise_remote", "serde", "tokio"]:
        # A path with a hash: others of that name may lie next to it.
        file = next(file for file in files[crate] if file.suffix == ".rmeta")
        extern += ["--extern", f"{crate}={file}"]
    return [*extern, "-L", f"dependency={files['supervise'][0].parent}"]


def compile(text, found, crate):
    """Compiles a program and returns its errors and warnings."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "main.rs"
        file.write_text(text)
        run = subprocess.run(
            ["rustc", "--edition=2024", "--crate-type=bin", "--crate-name=shop", "--emit=metadata", "--out-dir", folder,
             "--error-format=json", "--cap-lints=warn", "-Aunexpected_cfgs", *found, str(file)],
            env=ENVIRONMENT, capture_output=True, text=True)
    said = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
    said = [each for each in said if each.get("$message_type", "diagnostic") == "diagnostic"]
    is_summary = re.compile(r"aborting due to|For more information|\d+ warnings? emitted|Some errors have")
    said = [each for each in said if not is_summary.match(each["message"])]
    if run.returncode not in (0, 1):
        sys.exit(f"{crate}: rustc exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return [each for each in said if each["level"].startswith("error")], [
        each for each in said if each["level"] == "warning"]


def own(span):
    """The span in the user's file, where a macro made it."""
    while span.get("expansion") and not span["file_name"].endswith("main.rs"):
        span = span["expansion"]["span"]
    return span


def stands_right(message, places):
    """Whether the first place of the message begins inside of a mark, or is marked from its beginning."""
    primary = [own(span) for span in message["spans"] if span["is_primary"]]
    for span in primary[:1]:
        line, begin = span["line_start"], span["column_start"]
        return any(line == at and first <= begin < max(last, first + 1) for at, first, last in places)
    return False


def score(case, errors, warnings, places, forgiving):
    """The points and the reason. `forgiving` allows an internal name in a note."""
    if case.silent:
        return (2 if not errors else 0), "silent"
    wanted = case.words or case.warning
    said = errors if case.words else warnings
    if case.warning and errors or not said:
        return 0, "accepted in silence" if not errors else "an error"
    first = said[0]
    # A repair may stand in a note or a help, too.
    whole = first["rendered"] + "".join(child["message"] for child in first["children"])
    flat = lambda text: " ".join(text.split())  # noqa: E731
    repaired = all(flat(words) in flat(whole) or words in whole for words in wanted)
    # Places in our own source, and its lines, are no names.
    names = re.sub(r"^ *(-->|\d+ +\|).*$", "", first["message"] if forgiving else first["rendered"], flags=re.M)
    if not stands_right(first, places):
        return 0, "elsewhere"
    if INTERNAL.search(names):
        return 0, f"shows `{INTERNAL.search(names)[0]}`"
    if len(said) > 2:
        return 1, f"{len(said)} errors"
    return (2, "") if repaired else (1, "repair not named")


def record(changed):
    """Writes scores into the files, after the lines of what rustc has to say."""
    for file in FILES:
        lines = file.read_text().splitlines()
        for case, points in changed:
            if case.file != file:
                continue
            at = lines.index(f"= {case.name}") + 1
            while lines[at].startswith(("error: ", "warning: ", "silent: ")):
                at += 1
            if lines[at].startswith("score: "):
                del lines[at]
            if points < 2:
                lines.insert(at, f"score: {points} {case.reason}".rstrip())
        file.write_text("\n".join(lines) + "\n")


def main():
    show = "--show" in sys.argv[1:]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    chosen = [case for case in cases() if not words or any(word in case.name for word in words)]
    found = build()
    errors, warnings = compile(PROGRAM, found, "the program")
    if errors or warnings:
        sys.exit(f"the program without a mistake is not right: {[each['rendered'] for each in errors + warnings]}")

    def run(case):
        text, places = typed(case)
        errors, warnings = compile(text, found, case.name)
        forgiven, _ = score(case, errors, warnings, places, True)
        return case, forgiven, *score(case, errors, warnings, places, False), errors, warnings

    if not chosen:
        sys.exit("no mistake has such a name")
    sums, worse, better, changed = {}, [], [], []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, forgiven, points, why, errors, warnings in pool.map(run, chosen):
            if not case.silent:
                total, kind, most = sums.get(case.file.name, (0, 0, 0))
                sums[case.file.name] = total + points, kind + forgiven, most + 2
            first = next((each["message"] for each in errors + warnings), "")
            if points < 2 or case.silent:
                print(f"{'-' if case.silent else points} {case.name} ({why})" + (f"\n    {first}" if first else ""))
            if show:
                print("".join(each["rendered"] for each in errors + warnings))
            if points != case.score:
                changed.append((case, points))
            if points < case.score:
                worse.append(f"{case.name}: {points} instead of {case.score}")
            elif points > case.score:
                better.append(case.name)
    for name, (total, kind, most) in sums.items():
        print(f"{name}: {total} of {most} points, {kind} if internal names in notes are forgiven")
    if os.environ.get("UPDATE"):
        record(changed)
        return
    if better:
        print("better than recorded: " + ", ".join(better))
    if worse:
        sys.exit("worse than recorded: " + "; ".join(worse))


main()
