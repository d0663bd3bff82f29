#!/usr/bin/env python3
"""Measures how costs grow, and draws the plots and a table of docs/performance.md.

    run.py                 measures everything, writes docs/plots/*.csv, and draws docs/plots/*.svg and the table
    run.py many depth      only those whose names contain one of these words
    run.py --draw          draws from the recorded numbers, without measuring
    run.py --check         fails if a plot or the table is not what its numbers draw
    run.py --smoke         measures small sizes, and fails if a cost for each child grows with the number of children

REPEATS (3) is the number of measurements of a point; the median is recorded. GROWTH_MS (600) is the time that the
measurement of a rate takes, MOST (1000000) the greatest number of children.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from draw import fnv, svg  # noqa: E402

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "performance.md"
PLOTS = PAGE.parent / "plots"
BEGIN, END = "<!-- stopping -->\n", "<!-- end of stopping -->\n"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or HERE / "target").resolve()

COUNTS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
MOST = int(os.environ.get("MOST", "1000000"))
MANY = [n for n in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= MOST]
PRODUCERS = [1, 2, 3, 4, 6, 8]
PERCENTILES = [("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9)]


class Line:
    """A line of a plot: its name, what is measured, and which metrics give its points."""

    def __init__(self, name, row, system, xs, metric=None, runtime="current", factor=1):
        self.name, self.row, self.system, self.runtime, self.factor = name, row, system, runtime, factor
        # Without a metric, the line has the percentiles of one measurement.
        self.points = [(x, x, metric) for x in xs] if metric else [(1, at, name) for name, at in PERCENTILES]


# The rows of the table: the name, what is measured, how often, the metric, its unit and the factor to it.
TABLE = [
    ("start of a tree of nine nodes", "trees", 10_000, "start", "µs", 1e-3),
    ("stop of a tree of nine nodes", "trees", 10_000, "stop", "µs", 1e-3),
    ("start of a session", "sessions", 100_000, "start", "µs", 1e-3),
    ("end of a session, one after the other", "sessions", 100_000, "stop", "µs", 1e-3),
    ("start of a child", "many", 1_000_000, "start", "µs", 1e-3),
    ("stop of a child with its supervisor", "many", 1_000_000, "stop", "µs", 1e-3),
    ("resident memory of a child", "many", 1_000_000, "bytes", "bytes", 1),
]
RUNTIMES = {"current": "one thread", "multi2": "two workers"}


def table_lines():
    """A line of one point for each cell."""
    return [Line(f"{name} ({unit})|{runtime}|{system}", row, system, [min(n, MOST)], metric, runtime, factor)
            for name, row, n, metric, unit, factor in TABLE for runtime in RUNTIMES for system in ("ours", "limit")]


def both(row, metric, xs, name, **more):
    return [Line(f"{system}, {name}" if name else system, row, system, xs, metric, **more) for system in ("ours", "limit")]


def tells(runtime):
    return [line for kind in ("unbounded", "bounded")
            for line in both(f"tells-{kind}", "rate", PRODUCERS, kind, runtime=runtime)]


# The file, the title, the names of the axes, and the lines. Nanoseconds are drawn as microseconds.
DRAWN = {
    "failing": dict(
        title="Restarts a second, all children failing", x="failing children", y="restarts a second",
        lines=both("failing", "rate", COUNTS, "")),
    "many": dict(
        title="Start and stop of many children", x="children", y="microseconds for each child",
        lines=both("many", "start", MANY, "start", factor=1e-3) + both("many", "stop", MANY, "stop", factor=1e-3)),
    "memory": dict(
        title="Memory of many children", x="children", y="resident bytes for each child",
        lines=both("many", "bytes", MANY, "")),
    "depth": dict(
        title="A chain of children, each below the one before", x="levels", y="microseconds for each level",
        lines=[line for metric in ("start", "escalation", "stop")
               for line in both("depth", metric, COUNTS, metric, factor=1e-3)]),
    "tells-one-thread": dict(
        title="Tells to one actor, one thread", x="producers", y="tells a second", lines=tells("current")),
    "tells-two-workers": dict(
        title="Tells to one actor, two workers", x="producers", y="tells a second", lines=tells("multi2")),
    "latency": dict(
        title="Latency beside an actor whose mailbox never empties, one thread", x="percentile", y="microseconds",
        categories=[name for name, _ in PERCENTILES],
        lines=[Line(f"{system}, an ask {where}", f"latency-{row}", system, [])
               for row, where in (("alone", "alone"), ("busy", "beside it")) for system in ("ours", "limit")]
        + [Line("ours, the stop of the busy actor", "control", "ours", [])]),
    "stopping": dict(table=True, lines=table_lines()),
}


def build(*flags):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    subprocess.run(["cargo", "build", "--release", "--quiet", *flags], cwd=HERE, env=environment, check=True)


def one(row, runtime, system, x):
    """The metrics of one measurement, in a process of its own."""
    command = [TARGET / "release" / "growth", row, runtime, system, str(x)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode:
        sys.exit(f"{row} {runtime} {system} {x}: exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return {name: float(value) for name, value in (line.split() for line in run.stdout.splitlines())}


def measure(names):
    """The medians of all points. The systems and the repeats are interleaved, so that a busy moment meets all of them."""
    lines = [line for name in names for line in DRAWN[name]["lines"]]
    needed = dict.fromkeys((line.row, line.runtime, line.system, arg) for line in lines for arg, _, _ in line.points)
    needed = sorted(needed, key=lambda it: (it[0], it[1], it[3]))
    found = {}
    for repeat in range(int(os.environ.get("REPEATS", "3"))):
        for at, point in enumerate(needed):
            print(f"\r{repeat + 1}: {at + 1} of {len(needed)}", end="", file=sys.stderr, flush=True)
            for metric, value in one(*point).items():
                found.setdefault((*point, metric), []).append(value)
    print(file=sys.stderr)
    for name in names:
        rows = ["line,x,y"]
        for line in DRAWN[name]["lines"]:
            for arg, x, metric in line.points:
                value = statistics.median(found[line.row, line.runtime, line.system, arg, metric]) * line.factor
                rows.append(f'"{line.name}",{x},{float(f"{value:.4g}"):g}')
        (PLOTS / f"{name}.csv").write_text("\n".join(rows) + "\n")


def drawn(name):
    """The picture, or the table, that belongs to the recorded numbers."""
    text = (PLOTS / f"{name}.csv").read_text()
    lines = {}
    for row in text.splitlines()[1:]:
        line, x, y = row.rsplit(",", 2)
        lines.setdefault(line.strip('"'), []).append((float(x), float(y)))
    about = DRAWN[name]
    if "table" in about:
        return table(lines, text)
    return svg(about["title"], about["x"], about["y"], lines, about.get("categories"), text)


def table(lines, numbers):
    head = ["each of", "work"]
    head += [f"{runtime}: {text}" for runtime in RUNTIMES.values() for text in ("ours", "limit", "ours / limit")]
    out = [f"<!-- numbers {fnv(numbers)} -->", "", "| " + " | ".join(head) + " |", "|---:|---|" + "---:|" * (len(head) - 2)]
    for work in dict.fromkeys(name.split("|")[0] for name in lines):
        cells = []
        for runtime in RUNTIMES:
            ((n, ours),), ((_, limit),) = (lines[f"{work}|{runtime}|{system}"] for system in ("ours", "limit"))
            cells += [short(ours), short(limit), f"{ours / limit:.2f}"]
        out.append(f"| {n:,.0f} | {work} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n\n"


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def shown(name):
    """What is shown at present."""
    if "table" in DRAWN[name]:
        return PAGE.read_text().split(BEGIN)[1].split(END)[0]
    return (PLOTS / f"{name}.svg").read_text()


def show(name):
    if "table" in DRAWN[name]:
        before, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + drawn(name) + END + rest.split(END)[1])
    else:
        (PLOTS / f"{name}.svg").write_text(drawn(name))


def check():
    wrong = [name for name in DRAWN if drawn(name) != shown(name)]
    unknown = {file.stem for file in PLOTS.iterdir()} - set(DRAWN)
    if wrong or unknown:
        sys.exit(f"not what their numbers draw: {wrong}; not known: {sorted(unknown)}\nbenches/growth/run.py --draw")
    print(f"{len(DRAWN)} plots and tables are what their numbers draw")


def smoke():
    """Each row works, and the shapes hold that any machine shows: counts, and the time of one thread on a processor."""
    os.environ["GROWTH_MS"] = "50"
    profile = [("lto", "false"), ("codegen-units", "16"), ("debug", "0")]
    build(*(arg for key, value in profile for arg in ("--config", f"profile.release.{key}={value}")))
    for row in ("failing", "sessions", "trees", "tells-unbounded", "tells-bounded", "latency-alone", "latency-busy"):
        for runtime in RUNTIMES:
            for system in ("ours", "limit"):
                one(row, runtime, system, 4)
    for row in ("many", "depth"):
        one(row, "current", "limit", 100)
    # A turn has 128 messages. If each step of a question waited for a turn, it would be 256.
    shape("messages of a busy actor during a question to its neighbour",
          lambda: one("latency-busy", "current", "ours", 1)["worked"], 100)
    shape("messages of a full mailbox that are handled after an order to stop",
          lambda: one("control", "current", "ours", 1)["worked"], 128)
    # A child alone restarts a hundred times a second (S14); a hundred children, a hundred times as often.
    os.environ["GROWTH_MS"] = "200"
    shape("children wait for each other's restarts",
          lambda: 100 * one("failing", "current", "ours", 1)["rate"] / one("failing", "current", "ours", 100)["rate"], 3)
    for row, n, steps in (("many", 40_000, ("start", "stop")), ("sessions", 40_000, ("start", "stop")),
                          ("trees", 4_000, ("start", "stop")), ("depth", 8_000, ("start", "escalation", "stop"))):
        def grows():
            large, small = one(row, "current", "ours", n), one(row, "current", "ours", n // 4)
            return max(large[f"{step}-cpu"] / small[f"{step}-cpu"] for step in steps)
        shape(f"{row}: processor time for each, {n} instead of {n // 4}", grows, 3)
    check()


def shape(name, ratio, most):
    """Fails if the ratio is too large three times in a row: a busy machine can make it so once."""
    ratios = []
    while len(ratios) < 3 and (not ratios or ratios[-1] > most):
        ratios.append(ratio())
    print(f"{ratios[-1]:6.2f} of at most {most}: {name}")
    if ratios[-1] > most:
        sys.exit(f"{name}: {', '.join(f'{ratio:.2f}' for ratio in ratios)}, at most {most}")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    flags = [word for word in sys.argv[1:] if word.startswith("--")]
    names = [name for name in DRAWN if not words or any(word in name for word in words)]
    if flags == ["--check"]:
        return check()
    if flags == ["--smoke"]:
        return smoke()
    if flags not in ([], ["--draw"]) or not names:
        sys.exit(__doc__)
    PLOTS.mkdir(exist_ok=True)
    os.environ.setdefault("GROWTH_MS", "600")
    if not flags:
        build()
        measure(names)
    for name in names:
        show(name)


main()
