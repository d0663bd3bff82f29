#!/usr/bin/env python3
"""Follows docs/guide, chapter by chapter, and compares the printed output with the output in the chapter.

    verify/guide/run.py              all chapters, in a package that grows with them
    verify/guide/run.py --keep DIR   the same, and leaves the package in DIR
    verify/guide/run.py --page FILE  a page of its own, in a package of its own

A chapter is read block by block, as a reader would:

* ```sh       commands, which are run. `../supervise` is this clone. One that ends with `&` runs until the page ends, or
              until `kill %1`, which asks the last of them to stop and waits for its end.
* ```rust     a file: its first line is `// src/NAME.rs`.
* ```diff     a change of one file, which is named in its first line: `+++ src/NAME.rs`. A change with `--- src/NAME.rs`
              applies to the next block only.
* ```text     opens with `$ COMMAND`. The other lines are the whole output; after a change, they are a part of the
              output, without a gap. `…` stands for any text within a line, and alone on a line for any lines.

Other blocks are not allowed, because everything that a chapter shows has to be tried.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The programs that a page may run.
PROGRAMS = {"cargo", "curl", "promtool", "systemd-analyze"}
# The seconds in which a program in the background listens, and ends.
PATIENCE = 120


def environment():
    env = dict(os.environ, CARGO_TERM_COLOR="never", CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="0")
    # One target directory for all chapters, which is kept for the next run, and the compiler whose messages are shown.
    env["CARGO_TARGET_DIR"] = os.environ.get("GUIDE_TARGET_DIR", str(ROOT / "target" / "guide"))
    env["RUSTUP_TOOLCHAIN"] = re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text())[1]
    return env


class Package:
    """The reader's folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.env = environment()
        self.background = None

    def commands(self, text):
        for line in text.splitlines():
            if line.startswith("cd "):
                self.folder /= line[3:]
                # The versions with which the project is tested.
                (self.folder / "Cargo.lock").write_text((ROOT / "Cargo.lock").read_text())
            elif line == "kill %1":
                self.stop()
            elif line.endswith(" &"):
                self.begin(line.removesuffix(" &"))
            else:
                status, out, err = self.run(line)
                if status:
                    raise Wrong(f"`{line}` fails:\n{out}{err}")

    def words(self, command):
        """The words of a command, and whether they are for a shell."""
        words = shlex.split(command)
        programs = [words[0]] + [after for word, after in zip(words, words[1:]) if word == "|"]
        if not PROGRAMS.issuperset(programs):
            raise Wrong(f"not one of {', '.join(sorted(PROGRAMS))}: {command}")
        clone = re.compile(r"^\.\./supervise(?=$|/)")
        return [clone.sub(lambda _: str(ROOT), word) for word in words], "|" in words or ">" in words

    def run(self, command):
        words, in_shell = self.words(command)
        if in_shell:
            words = ["bash", "-o", "pipefail", "-c", " ".join(word if word in "|>" else shlex.quote(word) for word in words)]
        until = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(words, cwd=self.folder, env=self.env, capture_output=True, text=True)
            # 7: the program in the background does not listen yet.
            if done.returncode != 7 or "curl" not in command or not self.is_running() or time.monotonic() > until:
                return done.returncode, done.stdout, done.stderr
            time.sleep(0.1)

    def begin(self, command):
        words, _ = self.words(command)
        self.background = subprocess.Popen(
            words, cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )

    def is_running(self):
        return self.background is not None and self.background.poll() is None

    def stop(self):
        """Asks the program in the background to stop, as an orchestrator does."""
        background, self.background = self.background, None
        if background is None:
            raise Wrong("nothing runs in the background")
        os.killpg(background.pid, signal.SIGTERM)
        try:
            _, err = background.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(background.pid, signal.SIGKILL)
            raise Wrong("the program in the background does not stop") from None
        if background.returncode not in (0, -signal.SIGTERM):
            raise Wrong(f"the program in the background ends with {background.returncode}:\n{err}")

    def write(self, text):
        name, text = named(text, "// ")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(self, text):
        """Makes the change, and returns a function that reverts it."""
        name, text = named(text, text[:4])
        path = self.folder / name
        before, lines = path.read_text(), [line or " " for line in text.splitlines()]
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        if before.count(old) != 1:
            raise Wrong(f"the change is not about {name} as it is:\n{text}")
        path.write_text(before.replace(old, new))
        return lambda: path.write_text(before)


class Wrong(Exception):
    """The guide says something false."""


def named(text, mark):
    first, rest = text.split("\n", 1)
    if not first.startswith(mark):
        raise Wrong(f"a block that opens with `{first}` and not with `{mark}` and a file")
    return first.removeprefix(mark), rest


def matches(line, shown):
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), line) is not None


def compare(shown, printed, part):
    shown, printed = shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    if part:  # the compiler indents by the longest line number, which may be one of the library's
        shown, printed = ([" ".join(line.split()) for line in lines] for lines in (shown, printed))
    if not part and "…" in shown:  # any lines
        lines = (r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n" for line in shown)
        if re.fullmatch("".join(lines), "".join(f"{line}\n" for line in printed)):
            return
    places = range(len(printed) - len(shown) + 1) if part else [0]
    for at in places:
        if all(matches(*pair) for pair in zip(printed[at:], shown)) and (part or len(shown) == len(printed)):
            return
    raise Wrong("shown:\n" + "\n".join(shown) + "\n\nprinted:\n" + "\n".join(printed))


def chapter(path, package):
    back = None
    for kind, text in BLOCK.findall(path.read_text()):
        if kind == "sh":
            package.commands(text)
        elif kind == "rust":
            package.write(text)
        elif kind == "diff":
            undo = package.change(text)
            back = undo if text.startswith("--- ") else None
        elif kind == "text":
            command, shown = named(text, "$ ")
            status, out, err = package.run(command)
            warned = [line for line in err.splitlines() if line.startswith("warning")]
            if back is None and (status or warned):
                raise Wrong(f"`{command}` says:\n{err}")
            if not shown.strip():
                raise Wrong(f"nothing is shown below `{command}`")
            compare(shown, out if back is None else err + out, part=back is not None)
            if back is not None:
                back()
                back = None
        else:
            raise Wrong(f"an unknown kind of block: ```{kind}:\n{text}")
    if back is not None:
        raise Wrong("a change without its output")


def follow(paths, folder):
    package = Package(folder)
    try:
        for path in paths:
            try:
                chapter(path, package)
            except Wrong as wrong:
                sys.exit(f"{path.relative_to(ROOT)}: {wrong}")
            print(f"ok {path.name}")
    finally:
        if package.is_running():
            os.killpg(package.background.pid, signal.SIGKILL)


def main():
    with tempfile.TemporaryDirectory(prefix="guide.") as folder:
        if "--keep" in sys.argv:
            folder = sys.argv[sys.argv.index("--keep") + 1]
            Path(folder).mkdir()
        if "--page" in sys.argv:
            paths = [Path(sys.argv[sys.argv.index("--page") + 1]).resolve()]
        else:
            paths = sorted((ROOT / "docs" / "guide").glob("[0-9]*.md"))
        follow(paths, folder)


main()
