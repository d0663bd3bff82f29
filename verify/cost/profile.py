#!/usr/bin/env python3
"""Prints where the instructions of the rows above their targets go, as the table in docs/performance.md. See README.md.

    verify/cost/profile.py           the rows of that table
    verify/cost/profile.py ask       these rows

A function counts for the part that its name belongs to, with all that the compiler has put into it.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from run import SAME_COPIES, TARGET, build

ROWS = ["spawn", "stop", "restart_error", "restart_group", "tree_start", "tree_stop"]
# The first pattern that fits decides. A `drop_in_place` belongs to what is dropped.
PARTS = {
    "memory": r"malloc|free|memcpy|memset|__rust|raw_vec|memalign|unlink_chunk",
    "tokio": r"tokio::",
    "clock": r"clock_gettime|Timespec",
    "decisions": r"decide::",
    "driver": r"engine::cell::(driver|life|current|body)|Unbegun",
    "table": r"engine::supervisor",
    "mailbox, actor": r"engine::mailbox|actor::",
    "cell, names, events": r"engine::|values::|tree::|base::",
}


def functions(path):
    """The instructions of each function of a callgrind file, without those of the functions that it calls."""
    names, own, current, called = {}, collections.Counter(), None, False
    for line in path.read_text().splitlines():
        if entry := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            name = names.setdefault(entry[1], entry[2])
            if line.startswith("fn="):
                current = name
        elif line.startswith("calls="):
            called = True  # the next line has the cost of the call
        elif cost := re.match(r"[+\-*\d]\S* (\d+)$", line):
            own[current] += 0 if called else int(cost[1])
            called = False
    return own


def profile(row):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=measured", f"--callgrind-out-file={out}",
             TARGET / "release" / "cost", row],
            env={**os.environ, **SAME_COPIES}, capture_output=True, text=True, check=True)
        own = functions(out)
    n = int(run.stdout.split()[0])
    parts = collections.Counter()
    for name, cost in own.items():
        subject = re.sub(r".*drop_in_place<", "", name)
        part = next((part for part, pattern in PARTS.items() if re.search(pattern, subject)), "the program")
        parts[part] += cost / n
    return parts


def main():
    rows = sys.argv[1:] or ROWS
    build()
    columns = [*PARTS, "the program"]
    print("| one operation | all | " + " | ".join(columns) + " |")
    print("|---" + "|---:" * (len(columns) + 1) + "|")
    for row in rows:
        parts = profile(row)
        print(f"| `{row}` | {sum(parts.values()):,.0f} | " + " | ".join(f"{parts[part]:,.0f}" for part in columns) + " |")


if __name__ == "__main__":
    main()
