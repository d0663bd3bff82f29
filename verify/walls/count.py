#!/usr/bin/env python3
"""Counts the lines of code of each crate, and what the runtime says about things that stand beside a tree.

usage: count.py             a table: code, tests, documentation and comments of each crate
       count.py --concerns  the lines of the runtime that name metrics, leases, remote children, systemd, logs
       count.py --at REV    the same for a revision of git, for the figures before a change

Lines of code are neither empty nor comments, and stand in no file or module of tests.
"""
import argparse
import pathlib
import re
import subprocess
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONCERNS = {
    "metrics": r"meter(s|ed|ing)?\b|metrics|sampled",
    "leases": r"\blease|\bhold\b|Hold\b|leased",
    "remote": r"remote|fence|elsewhere|Elsewhere|hosted",
    "systemd": r"systemd|sd_notify",
    "log and spans": r"\btracing\b|\bspans?\b|is_logged",
}


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def sources(revision):
    """The text of each source of a crate, by path."""
    if revision is None:
        names = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        read = lambda name: (ROOT / name).read_text()
    else:
        names = git("ls-tree", "-r", "--name-only", revision).splitlines()
        read = lambda name: git("show", f"{revision}:{name}")
    for name in names:
        if re.match(r"(supervise-[\w-]+/)?src/.*\.rs$", name) and (revision or (ROOT / name).is_file()):
            yield name, read(name)


def kinds(name, text):
    """The kind of each line: code, test, doc, comment or empty."""
    is_test = bool(re.search(r"/tests(/|\.rs$)", name)) or "#![cfg(test)]" in text
    depth = None
    for line in text.splitlines():
        bare = line.strip()
        if re.match(r"(pub(\(crate\))? )?mod tests? \{", bare):
            is_test, depth = True, len(line) - len(line.lstrip())
        if not bare:
            yield "empty", line
        elif bare.startswith(("///", "//!")):
            yield "doc", line
        elif bare.startswith("//"):
            yield "comment", line
        else:
            yield "test" if is_test else "code", line
        if depth is not None and bare == "}" and len(line) - len(line.lstrip()) == depth:
            is_test, depth = False, None


def main():
    parser = argparse.ArgumentParser(usage="count.py [--concerns] [--at REV]")
    parser.add_argument("--concerns", action="store_true")
    parser.add_argument("--at")
    arguments = parser.parse_args()
    crates, said, places = {}, Counter(), {}
    for name, text in sources(arguments.at):
        crate = name.split("/")[0] if name.startswith("supervise-") else "supervise"
        for kind, line in kinds(name, text):
            crates.setdefault(crate, Counter())[kind] += 1
            if crate == "supervise-runtime" and kind == "code":
                for concern, words in CONCERNS.items():
                    if re.search(words, line):
                        said[concern] += 1
                        places.setdefault(concern, Counter())[name] += 1
    if arguments.concerns:
        for concern, number in said.most_common():
            print(f"{concern}: {number} lines in {len(places[concern])} files")
            for name, lines in places[concern].most_common():
                print(f"    {lines:>4}  {name}")
        return
    columns = ["code", "test", "doc", "comment"]
    print(f"{'crate':24}" + "".join(f"{column:>9}" for column in columns))
    for crate, lines in sorted(crates.items()):
        print(f"{crate:24}" + "".join(f"{lines[column]:>9,}" for column in columns))


if __name__ == "__main__":
    main()
