#!/usr/bin/env python3
"""Shows that the running system reaches every cell of docs/semantics-table.md. See README.md.

    verify/cells/run.py                  all cells
    verify/cells/run.py 2d 'draining'    the cells whose name contains all of these words
    verify/cells/run.py --probes         only checks that the probes fit the sources

Builds a copy of the project in which each cell has a probe, records which test reaches which cell, and then ends the
process in one cell after another: a test has to die as a result. Exits with 1 if a cell is neither shown nor listed in
unreached.txt, or if that list is stale.
"""

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from probes import BEFORE, INSTEAD, PROBES  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target" / "cells" / "build")).resolve()
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "cells"
COPY = TARGET / "project"
PAGE = ROOT / "docs" / "semantics-table.md"
LIST = HERE / "unreached.txt"
NOTHING = "–"
TABLES = ["2a", "2b", "2c", "2d"]
# A cell is shown by a test of the first of these crates that reaches it.
CRATES = ["behaviour", "interface", "scenarios", "conformance", "threads"]
CORE = "supervise_core"
WALKS = "decide::tests::property::"
# The number of tests that are tried for a cell before it counts as not shown.
TRIES = 4
# The duration of the tests with several threads.
ENVIRONMENT = {
    "CARGO_TERM_COLOR": "never",
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "THREADS_SECONDS": "20",
    "THREADS_DROPS": "100",
}
PROCESSES = os.cpu_count() or 2


def environment(**more):
    return dict(os.environ, **ENVIRONMENT, CARGO_TARGET_DIR=str(BUILD), **more)


# ----- the page


def cells_of_the_page():
    """{(table, row, column): text}"""
    cells = {}
    lines = PAGE.read_text().splitlines()
    fields = lambda line: [field.strip() for field in line.strip().strip("|").split("|")]
    for table in TABLES:
        at = next(number for number, line in enumerate(lines) if line.startswith(f"## {table} "))
        columns = fields(lines[at + 1])
        for line in lines[at + 3 :]:
            if not line.startswith("|"):
                break
            row = fields(line)
            assert len(row) == len(columns), f"table {table}, row {row[0]}"
            for column, text in list(zip(columns, row))[1:]:
                cells[(table, row[0], column)] = text
    return cells


def listed():
    """{cell: reason} of unreached.txt."""
    reasons = {}
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) != 4 or tuple(parts[:3]) in reasons:
            sys.exit(f"{LIST.name}:{number}: TABLE | ROW | COLUMN | REASON, each cell once")
        reasons[tuple(parts[:3])] = parts[3]
    return reasons


# ----- the copy


def probed():
    """{file: text} of the files that the probes change."""
    texts = {"supervise-core/src/probe.rs": (HERE / "probe.rs").read_text()}
    wrong = []
    for file, anchor, text, *where in PROBES:
        source = texts.get(file) or (ROOT / file).read_text()
        found = source.count(anchor)
        if found != 1:
            wrong.append(f"{file}: found {found} times, not once:\n{anchor}")
        new = {BEFORE: text + anchor, INSTEAD: text}.get(where[0] if where else None, anchor + text)
        texts[file] = source.replace(anchor, new)
    if wrong:
        sys.exit("probes.py does not fit the sources any more\n\n" + "\n".join(wrong))
    return texts


def copy():
    """Writes only the changed files, so that cargo rebuilds nothing else."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    texts = {name: text.encode() for name, text in probed().items()}
    for name in names:
        if name and name not in texts and (ROOT / name).is_file():
            texts[name] = (ROOT / name).read_bytes()
    for name, text in texts.items():
        file = COPY / name
        if not file.is_file() or file.read_bytes() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
    if COPY.is_dir():
        for file in [file for file in COPY.rglob("*") if file.is_file()]:
            if str(file.relative_to(COPY)) not in texts and file.name != "Cargo.lock":
                file.unlink()


def build():
    """{crate: its test binary}"""
    command = ["cargo", "test", "--no-run", "--workspace", "--lib", "--message-format=json-render-diagnostics"]
    for crate in CRATES:
        command += ["--test", crate]
    done = subprocess.run(command, cwd=COPY, env=environment(), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("the copy with the probes is not built")
    binaries = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            binaries[message["target"]["name"]] = message["executable"]
    return binaries


# ----- the runs


def run(binary, crate, arguments, **more):
    cwd = COPY / "supervise-core" if crate == CORE else COPY
    command = [binary, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def record(crate, binary):
    """{cell: its tests}, of the tests that pass."""
    file = TARGET / f"{crate}.hits"
    file.unlink(missing_ok=True)
    done = run(binary, crate, [f"--test-threads={PROCESSES}"], CELL_HITS=str(file))
    passed = set(re.findall(r"^test (\S+)(?: - should panic)? \.\.\. ok$", done.stdout, re.MULTILINE))
    failed = re.findall(r"^test (\S+)(?: - should panic)? \.\.\. FAILED$", done.stdout, re.MULTILINE)
    print(f"{crate}: {len(passed)} tests pass{', with the probes these fail: ' if failed else ''}{' '.join(failed)}")
    if not passed:
        sys.exit(done.stdout)
    hits = {}
    for line in file.read_text().splitlines():
        table, row, column, test = line.split("|")
        hits.setdefault((table, row, column), set())
        if test in passed:
            hits[(table, row, column)].add(test)
    return hits


def dies(crate, binary, test, cell):
    arguments = ["--exact", test, "--test-threads=1"]
    done = run(binary, crate, arguments, CELL_ABORT="|".join(cell))
    return done.returncode == -signal.SIGABRT


def shown_by(cell, hits, binaries, breadth, crates):
    """The test that dies when this cell ends the process, with its crate."""
    for crate in crates:
        tests = hits[crate].get(cell, ())
        if crate == CORE:
            tests = [test for test in tests if test.startswith("decide::tests::")]
        # The random walks come first, and then the tests that reach few other cells: they are about this cell.
        order = lambda test: (not test.startswith(WALKS), breadth[crate].get(test, 0), test)
        for test in sorted(tests, key=order)[:TRIES]:
            if dies(crate, binaries[crate], test, cell):
                return crate, test
    return None


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if "--probes" in sys.argv:
        probed()
        return
    page, reasons = cells_of_the_page(), listed()
    TARGET.mkdir(parents=True, exist_ok=True)
    copy()
    binaries = build()
    hits, breadth = {}, {}
    for crate in [*CRATES, CORE]:
        hits[crate] = record(crate, binaries[crate])
        breadth[crate] = {}
        for tests in hits[crate].values():
            for test in tests:
                breadth[crate][test] = breadth[crate].get(test, 0) + 1
    strange = {cell for of_crate in hits.values() for cell in of_crate} - set(page)
    if strange:
        sys.exit(f"probes of cells that the page does not have: {sorted(strange)}")

    chosen = [cell for cell in page if all(word in " × ".join(cell) for word in words)]
    crates = lambda cell: CRATES if page[cell] == NOTHING else [*CRATES, CORE]
    with ThreadPoolExecutor(PROCESSES) as pool:
        show = lambda cell: shown_by(cell, hits, binaries, breadth, crates(cell))
        shown = dict(zip(chosen, pool.map(show, chosen)))

    lines, missing, stale, reached = [], [], [], []
    for table in TABLES:
        counts = {}
        for cell in [cell for cell in chosen if cell[0] == table]:
            by, nothing = shown[cell], page[cell] == NOTHING
            running = by is not None and by[0] != CORE
            kind = "shown by " + by[0] if running else "–" if nothing else "listed" if cell in reasons else "missing"
            if kind == "listed" and by:
                kind += ", shown by the walks" if by[1].startswith(WALKS) else ", shown by a case of the core"
            if nothing and running:
                kind = "– and reached"
                reached.append(" | ".join(cell) + f": {by[0]} {by[1]}")
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "missing":
                missing.append(cell)
            if cell in reasons and (running or nothing):
                stale.append(cell)
            text = f"`{by[0]}` {by[1]}" if by else ""
            reason = "" if running or nothing else reasons.get(cell, "MISSING")
            lines.append(f"| {table} | {cell[1]} | {cell[2]} | {text} | {reason} |")
        if counts:
            print(f"table {table}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    stale += [cell for cell in reasons if cell not in page]
    head = "| table | row | column | dies | reason |\n|---|---|---|---|---|\n"
    (TARGET / "cells.md").write_text(head + "\n".join(lines) + "\n")
    print(f"cell by cell: {TARGET / 'cells.md'}")
    for cell in reached:
        print("the page says –, a test reaches it: " + cell)
    for cell in missing:
        print("not shown, and not listed: " + " | ".join(cell))
    for cell in stale:
        print(f"stale in {LIST.name}: " + " | ".join(cell))
    sys.exit(1 if missing or stale else 0)


main()
