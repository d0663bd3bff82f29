#!/usr/bin/env python3
"""Measures every system with run.sh, and writes the tables of docs/performance.md.

    page.py                     measures, then writes the page
    page.py --resume            goes on with a measurement that was interrupted
    page.py --draw RESULTS      writes the page from the raw lines of a measurement
    page.py --draw RESULTS --to FILE      writes only the tables, to another file

ROUNDS (3) and PEERS_SCALE (0.1) set the amount of work. After MINUTES (10) no further round is begun. Exits with 1 if a
system that supervises is faster than `ours` in a row for which ahead.txt has no reason.
"""

import fnmatch
import os
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "performance.md"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or HERE / "target").resolve()
BEGIN, END = "<!-- peers -->\n", "<!-- end of peers -->\n"

RUNTIMES = [("current", "one thread"), ("multi2", "two workers")]
SYSTEMS = [
    "limit", "bare", "lean", "floor", "ours", "ractor", "kameo", "actix", "xtra", "coerce", "speare", "ractor-sup",
    "task-sup", "bastion", "otp",
]
# A failed actor is started again by these, or by the hook in which they report the failure to a supervisor.
SUPERVISING = ["ractor", "kameo", "actix", "speare", "ractor-sup", "task-sup", "bastion", "otp"]
# Systems whose values differ by less are as fast as each other.
NOISE = 0.05
# Bench, metric, the name on the page, and by how much a value is divided for it.
ROWS = [
    ("tell-1-unbounded", "ns", "tell, one producer, unbounded (ns)", 1),
    ("tell-1-bounded", "ns", "tell, one producer, bounded (ns)", 1),
    ("tell-4-unbounded", "ns", "tell, four producers, unbounded (ns)", 1),
    ("tell-4-bounded", "ns", "tell, four producers, bounded (ns)", 1),
    ("ask-1", "ns", "ask, one client (ns)", 1),
    ("ask-64", "ns", "ask, 64 clients (ns)", 1),
    ("ask-1-deadline", "ns", "ask with a deadline, one client (ns)", 1),
    ("ask-64-deadline", "ns", "ask with a deadline, 64 clients (ns)", 1),
    ("spawn-100k", "spawn-ns", "spawn (ns)", 1),
    ("spawn-100k", "stop-ns", "stop of a spawned actor (ns)", 1),
    ("spawn-100k", "rss-bytes", "resident bytes of an idle actor", 1),
    ("restart-error", "ns", "restart after an error, pool (ns)", 1),
    ("restart-error-hot", "ns", "restart after an error, hot (ns)", 1),
    ("restart-panic", "ns", "restart after a panic, pool (ns)", 1),
    ("restart-panic-hot", "ns", "restart after a panic, hot (ns)", 1),
    ("group-10", "ns", "restart of a group of 10, pool (µs)", 1000),
    ("group-10-hot", "ns", "restart of a group of 10, hot (µs)", 1000),
    ("group-100", "ns", "restart of a group of 100, pool (µs)", 1000),
    ("group-100-hot", "ns", "restart of a group of 100, hot (µs)", 1000),
    ("group-1000", "ns", "restart of a group of 1,000, pool (µs)", 1000),
    ("tree", "start-ms", "start of a tree of 10 × 10 × 100 (ms)", 1),
    ("tree", "stop-ms", "stop of that tree (ms)", 1),
    ("ring", "ns", "ring of 1,000 actors, a hop (ns)", 1),
]
MEASURED = "^(tell|ask|spawn-100k|restart|group|tree|ring)"


def measure(resume):
    results = TARGET / "page.txt"
    environment = {
        "ROUNDS": "3", "PEERS_SCALE": "0.1", "MINUTES": "10", "ONLY": MEASURED, **os.environ,
        "CARGO_TARGET_DIR": str(TARGET), "RESULTS": str(results), "RESUME": "1" if resume else "",
    }
    subprocess.run([HERE / "run.sh"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return results


class Results:
    """The values of each round, by (bench, metric, runtime, system)."""

    def __init__(self, file):
        self.rounds = {}
        for line in Path(file).read_text().splitlines():
            number, bench, runtime, system, metric, value = line.split()
            self.rounds.setdefault((bench, metric, runtime, system), {})[number] = float(value)
        self.number = max((len(rounds) for rounds in self.rounds.values()), default=0)

    def value(self, row, runtime, system):
        rounds = self.rounds.get((*row[:2], runtime, system))
        return statistics.median(rounds.values()) / row[3] if rounds else None

    def ratio(self, row, runtime, system, base):
        """The median of the ratios within one round."""
        mine = self.rounds.get((*row[:2], runtime, system), {})
        theirs = self.rounds.get((*row[:2], runtime, base), {})
        ratios = [mine[number] / theirs[number] for number in mine if theirs.get(number)]
        return statistics.median(ratios) if ratios else None


def short(value):
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def times(ratio):
    if ratio is None:
        return "–"
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def table(head, lines):
    rule = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


def prose(text, indent=""):
    return textwrap.fill(text, 120, initial_indent=indent and "* ", subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False) + "\n"


def ratios(results, runtime):
    """All systems that have a value on this runtime, as ratios to the limit."""
    rows = [row for row in ROWS if results.value(row, runtime, "limit")]
    shown = [s for s in SYSTEMS[1:] if any(results.value(row, runtime, s) for row in rows)]
    return table(["work", "limit", *(f"**{s}**" if s == "ours" else s for s in shown)], [
        [row[2], short(results.value(row, runtime, "limit")),
         *(times(results.ratio(row, runtime, s, "limit")) for s in shown)] for row in rows])


def ours(results):
    head = ["work", *(f"{name}: {text}" for _, name in RUNTIMES for text in ("ours", "× lean", "× floor"))]
    lines = []
    for row in ROWS:
        cells = []
        for runtime, _ in RUNTIMES:
            cells.append(short(results.value(row, runtime, "ours")))
            cells += [times(results.ratio(row, runtime, "ours", base)) for base in ("lean", "floor")]
        if any(cell != "–" for cell in cells):
            lines.append([row[2], *cells])
    return table(head, lines)


def reasons():
    """The lines of ahead.txt: a system, a pattern of rows, and why the system can be ahead there."""
    found = []
    for line in (HERE / "ahead.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            found.append([part.strip() for part in line.split("|")])
    for line in found:
        if len(line) != 3 or line[0] not in SUPERVISING:
            sys.exit(f"ahead.txt: not a system that supervises, a pattern and a reason: {line}")
    return found


def standing(results):
    """The rows in which `ours` is the fastest of the systems that supervise, and who is ahead of it elsewhere."""
    rows, fastest, ahead = 0, 0, []
    for runtime, where in RUNTIMES:
        for row in ROWS:
            mine = results.ratio(row, runtime, "ours", "limit")
            theirs = {s: results.ratio(row, runtime, s, "limit") for s in SUPERVISING}
            theirs = {s: ratio for s, ratio in theirs.items() if ratio is not None}
            if mine is None or not theirs:
                continue
            rows += 1
            before = [s for s, ratio in theirs.items() if ratio < mine * (1 - NOISE)]
            fastest += not before
            ahead += [(s, row, runtime, where) for s in before]
    return rows, fastest, ahead


def explained(ahead):
    """The list of who is ahead where, by reason, and the rows that have no reason."""
    known, grouped, missing = reasons(), {}, []
    for system, row, runtime, where in ahead:
        key = f"{row[0]} {row[1]} {runtime}"
        reason = next((why for s, pattern, why in known if s == system and fnmatch.fnmatch(key, pattern)), None)
        if reason is None:
            missing.append(f"{system}: {key}")
        else:
            grouped.setdefault((system, reason), {}).setdefault(row[2].rsplit(" (", 1)[0], []).append(where)
    text = ""
    for (system, reason), rows in grouped.items():
        places = "; ".join(f"{name} ({', '.join(where)})" for name, where in rows.items())
        text += prose(f"`{system}`: {places}. {reason}", "  ")
    return text, missing


def page(results):
    text = prose(f"Medians of {results.number} interleaved rounds. The column `limit` has absolute values, the other "
                 "columns have ratios to it: 2 is twice as long, or twice as many bytes. A dash means that the system "
                 "does not have the feature.")
    for runtime, name in RUNTIMES:
        if any(results.value(row, runtime, "limit") for row in ROWS):
            text += f"\n### All systems, {name}\n\n{ratios(results, runtime)}"
    text += f"\n### Ours, lean and floor\n\n{ours(results)}"
    rows, fastest, ahead = standing(results)
    missing = []
    if rows:
        listed, missing = explained(ahead)
        text += "\n### Among the systems that supervise\n\n"
        text += prose(f"Of the systems that supervise, `supervise` is the fastest in {fastest} of {rows} rows.")
        if listed:
            text += "\nThese systems are ahead of it elsewhere:\n\n" + listed
    return text, missing


def main():
    arguments = sys.argv[1:]
    to = PAGE
    if "--to" in arguments:
        at = arguments.index("--to")
        to = Path(arguments[at + 1])
        del arguments[at : at + 2]
    match arguments:
        case []:
            file = measure(False)
        case ["--resume"]:
            file = measure(True)
        case ["--draw", file]:
            pass
        case _:
            sys.exit(__doc__)
    text, missing = page(Results(file))
    if to == PAGE:
        before, rest = PAGE.read_text().split(BEGIN)
        _, after = rest.split(END)
        PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + after)
    else:
        to.write_text(text)
    if missing:
        sys.exit("ahead.txt has no reason why these are ahead of ours:\n    " + "\n    ".join(missing))


main()
