#!/usr/bin/env python3
"""Counts what one operation costs, and compares it with `costs.txt`, `prototypes.txt` and
`metrics.txt`. See README.md.

    verify/cost/run.py               every row
    verify/cost/run.py tell ask      the rows whose names contain one of these words; `lean.` and `floor.` begin the names
                                     of the rows of the prototypes, `compiled.` and `metered.` those with the feature
                                     `metrics`
    verify/cost/run.py --twice       runs every row twice, and compares the two as well
    UPDATE=1 verify/cost/run.py      writes the three files

Exits with 1 if a row costs more or less than recorded, or if two runs of it differ.
"""

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
COSTS = HERE / "costs.txt"
PROTOTYPE_COSTS = HERE / "prototypes.txt"
METRICS_COSTS = HERE / "metrics.txt"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or HERE.parent.parent / "target" / "cost").resolve()
ROWS = [
    "tell_unbounded", "tell_bounded", "told", "forget", "ask", "call", "spawn", "stop", "restart_error", "restart_panic", "restart_group",
    "tree_start", "tree_stop",
]
# The rows with one number, which is one of bytes.
SIZES = ["idle", "text"]
# The same operations in the prototypes of benches/peers. `floor` has no bounded mailbox.
PROTOTYPES = [f"{system}.{row}" for system in ("lean", "floor") for row in ROWS
              if row not in ("told", "forget", "call") and (system == "lean" or row != "tell_bounded")]
# Rows of ours with the feature `metrics` compiled in: while no metrics are recorded, and while they are.
METRICS = [
    *(f"compiled.{row}" for row in ("tell_unbounded", "tell_bounded", "ask", "spawn", "stop", "restart_error")),
    *(f"metered.{row}" for row in ("tell_unbounded", "tell_bounded", "ask", "restart_error")),
]
EVERY = [*ROWS, *PROTOTYPES, *METRICS, *SIZES]
HEAD = """\
# The cost of one operation, written by UPDATE=1 verify/cost/run.py: row, instructions, allocations, bytes allocated.
# The row `idle` has the live bytes of an actor that waits, and `text` the bytes of code in the example 15_fleet.
"""
PROTOTYPE_HEAD = """\
# One operation in the prototypes of benches/peers, written by UPDATE=1 verify/cost/run.py: row, instructions.
"""
METRICS_HEAD = """\
# One operation with the feature `metrics`, written by UPDATE=1 verify/cost/run.py: row, instructions, allocations, bytes
# allocated. Compiled in and off, and recorded by a recorder that adds a number.
"""
# Of the ways to copy memory, the C library chooses by the processor. With these features hidden from it the choice is the
# same on every machine; a wider copy makes up to a tenth of the instructions of a spawn.
SAME_COPIES = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-ERMS,-SSSE3"}
# The share by which instructions and code may differ from the record.
BAND = 0.03
# The share by which allocations and bytes may differ: on a slow machine, a stop may need one timer more.
SLACK = 0.005
# The share by which the instructions of a row may be more if the feature `metrics` is compiled in and off.
COMPILED = 0.01
# A call, the row of the same work without one, and the share by which it may take more.
CALLS = {"forget": ("told", 0.05), "call": ("ask", 0.05)}
# The share by which the instructions of two runs may differ.
NOISE = 0.005


def build():
    # Flags from outside would change the code that is counted.
    environment = {name: value for name, value in os.environ.items() if "RUSTFLAGS" not in name}
    environment.update(CARGO_TARGET_DIR=str(TARGET), CARGO_INCREMENTAL="0")
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=HERE, env=environment, check=True)
    environment.update(CARGO_TARGET_DIR=str(TARGET / "metrics"))
    with_metrics = ["--bin", "cost", "--features", "metrics"]
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", *with_metrics], cwd=HERE, env=environment, check=True)


def measure(row):
    """The instructions of one operation; of ours, the allocations and bytes as well."""
    program = [TARGET / "release" / "cost", row]
    if row in PROTOTYPES:
        program = [TARGET / "release" / "prototypes", *row.split(".")]
    elif row in METRICS:
        program = [TARGET / "metrics" / "release" / "cost", *reversed(row.split("."))]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=measured", f"--callgrind-out-file={out}",
             *program],
            env={**os.environ, **SAME_COPIES}, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{row}: exited with {run.returncode}:\n{run.stderr[-2000:]}")
        total = re.search(r"^totals: (\d+)$", out.read_text(), re.MULTILINE)
    instructions = int(total[1]) if total else 0
    if not instructions:
        sys.exit(f"{row}: valgrind has counted nothing; the function `measured` was not found or not run")
    n, *counts = map(int, run.stdout.split())
    if not counts:
        return (instructions / n,)
    allocations, bytes_ = counts
    return instructions / n, f"{allocations / n:.3f}", f"{bytes_ / n:.0f}"


def idle():
    """The bytes that an actor occupies while it waits. They are counted without valgrind."""
    run = subprocess.run([TARGET / "release" / "cost", "idle"], capture_output=True, text=True, check=True)
    n, bytes_ = map(int, run.stdout.split())
    return round(bytes_ / n)


def text():
    """The bytes of the section `.text` in the example. Symbols are not part of it."""
    elf = (TARGET / "release" / "fleet").read_bytes()
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, number, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(number)]
    for name, _, _, _, _, length in sections:
        at = sections[names][4] + name
        if elf[at : elf.index(b"\0", at)] == b".text":
            return length
    sys.exit("the example has no section .text")


def recorded():
    """The numbers of each row, as they are written."""
    lines = [line for file in (COSTS, PROTOTYPE_COSTS, METRICS_COSTS) if file.exists() for line in file.read_text().splitlines()]
    return {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}


def differences(found, record, band):
    """The reasons why a row is not as it is recorded."""
    if len(record) != len(found):
        return ["not recorded"]
    share = found[0] / float(record[0]) - 1
    wrong = []
    if abs(share) > band:
        wrong.append(f"{'more' if share > 0 else 'less'} than recorded: {share:+.1%}")
    for name, now, before in zip(("allocations", "bytes"), found[1:], record[1:]):
        if abs(float(now) - float(before)) > SLACK * float(before):
            wrong.append(f"{name}: {now} instead of {before}")
    return wrong


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    unknown = [word for word in sys.argv[1:] if word.startswith("--") and word != "--twice"]
    chosen = [row for row in EVERY if not words or any(word in row for word in words)]
    if unknown or not chosen:
        sys.exit(f"{' '.join(unknown) or 'no row has such a name'}\n{__doc__}")
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        sys.exit("the record is that of Linux on x86-64; another instruction set has other counts")
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing; apt-get install valgrind")
    build()
    runs = 2 if "--twice" in sys.argv else 1
    rows = [row for row in chosen if row not in SIZES]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(measure, rows * runs))
    costs = dict(zip(rows, found))
    if "idle" in chosen:
        costs["idle"] = (idle(),)
    if "text" in chosen:
        costs["text"] = (text(),)
    record, failed = recorded(), False
    for row, cost in costs.items():
        plain = costs.get(row.removeprefix("compiled."))
        share = cost[0] / plain[0] - 1 if plain else 0
        band = 0 if row == "idle" else BAND
        wrong = [] if os.environ.get("UPDATE") else differences(cost, record.get(row, []), band)
        if row.startswith("compiled.") and share > COMPILED:
            wrong.append(f"more than without the feature: {share:+.1%}")
        if row in CALLS and CALLS[row][0] in costs:
            by, most = CALLS[row]
            share = cost[0] / costs[by][0] - 1
            if share > most:
                wrong.append(f"more than `{by}`: {share:+.1%}")
        line = [f"{row:<24}", f"{cost[0]:>10.0f}", *(f"{number:>10}" for number in cost[1:])]
        if runs == 2 and row in rows:
            again = found[len(rows) + rows.index(row)]
            share = abs(again[0] / cost[0] - 1)
            line.append(f"{share:>8.3%} between two runs")
            if share > NOISE or again[1:] != cost[1:]:
                wrong.append(f"two runs differ: {cost} and {again}")
        print(" ".join(line) + "".join(f"\n    {reason}" for reason in wrong))
        failed |= bool(wrong)
    stale = [row for row in record if row not in EVERY]
    if os.environ.get("UPDATE"):
        written = {row: [f"{cost[0]:.0f}", *cost[1:]] for row, cost in costs.items()}
        lines = {**{row: numbers for row, numbers in record.items() if row not in stale}, **written}
        for file, head, width, rows in (COSTS, HEAD, 16, [*ROWS, *SIZES]), (PROTOTYPE_COSTS, PROTOTYPE_HEAD, 20, PROTOTYPES), (METRICS_COSTS, METRICS_HEAD, 24, METRICS):
            file.write_text(head + "".join(
                f"{row:<{width}}" + "".join(f" {number:>10}" for number in lines[row]) + "\n"
                for row in rows if row in lines))
    elif stale:
        print(f"the record has rows that are not measured: {' '.join(stale)}")
        failed = True
    if failed:
        sys.exit("if the difference is meant, run: UPDATE=1 verify/cost/run.py, then UPDATE=1 cargo test --test docs costs")


if __name__ == "__main__":
    main()
