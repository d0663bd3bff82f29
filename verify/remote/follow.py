#!/usr/bin/env python3
"""Follows docs/remote.md: from nothing to an owner and two nodes as processes of their own, over TLS.

    verify/remote/follow.py              the page, in a folder that is removed at the end
    verify/remote/follow.py --keep DIR   the same, and leaves the folder
    verify/remote/follow.py --page FILE  another page

The page says which commands and programs there are; this file says only how a page is read:

* ```text     whose first line is a command: commands, which are run. `../supervise` is this clone. Commands of a section that
              begins no package (no `cargo` and no `cd`) are run in a folder of their own; `kubectl` is passed over.
* ```rust     with a first line `// src/NAME.rs` or `// examples/NAME.rs`: a file. All of them are compiled. Another block is
              tested elsewhere, or is a part of a program.
* ```text     that opens with `$ `: a session of one shell. A command with `&` is a job; the lines below it are printed after
              it, by the jobs, and `…` stands for any text. `kill -SIGNAL %N` waits for the end of a job.

What the page promises of the session is checked: each job prints a line that is shown; a job that was not killed ends with the
status 0; and two strangers, one with certificates of another authority and one with the certificate of another process, try to
be the first node. Nothing is printed because of them. Each of them tries for as long as the session goes, or ends with an
error. The port of the page is another one here, so that several runs do not meet.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```([\w,]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = "certificates.sh"
# The seconds in which something that is shown is printed, and a job ends.
PATIENCE = 60
# The seconds in which strangers try to get in alone. A good node needs less than this.
ALONE = 8


class Wrong(Exception):
    """The page says something false."""


def is_command(line):
    word = line.split(" ", 1)[0]
    return word in {"cargo", "cd", "kubectl"} or word.rsplit("/", 1)[-1] == SCRIPT


def environment():
    env = dict(os.environ, CARGO_TERM_COLOR="never", CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="0")
    env.pop("CARGO_TARGET_DIR", None)
    env["RUSTUP_TOOLCHAIN"] = re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text())[1]
    env["PATH"] = f"{ROOT / 'supervise-remote-zenoh'}:{env['PATH']}"
    return env


class Job:
    """A process of the session, and the lines that it has printed."""

    def __init__(self, words, folder, env):
        self.words, self.lines, self.marks = words, [], 0
        self.process = subprocess.Popen(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.next, "")), daemon=True)
        self.reader.start()

    def next(self):
        return self.process.stdout.readline()

    def __str__(self):
        return f"{' '.join(self.words)}: {''.join(self.lines) or 'nothing is printed'}"

    def signal(self, name):
        """Sends a signal, waits for the end, and returns the exit status."""
        self.process.send_signal(getattr(signal, f"SIG{name}"))
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Wrong(f"a job does not end at SIG{name}: {self}") from None
        self.reader.join(PATIENCE)
        return status


class Reader:
    """Does what a page says, in folders of its own."""

    def __init__(self, folder, sections):
        self.folder, self.home = Path(folder), Path(folder)
        self.sections, self.env = sections, environment()
        self.files, self.certificates, self.jobs, self.strangers = [], [], [], []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])

    # Blocks

    def follow(self):
        sessions = 0
        for title, blocks in self.sections:
            for kind, text in blocks:
                if kind.startswith("rust") and text.startswith("// "):
                    self.write(text)
                elif kind == "text" and is_command(text):
                    self.commands(title, text.replace("\\\n", " ").splitlines())
                elif kind == "text" and text.startswith("$ "):
                    self.session(text.splitlines())
                    sessions += 1
        if not sessions:
            raise Wrong("there is no session with an owner and a node")
        # The programs behind the session as well.
        self.run(["cargo", "build", "--all-targets"], self.folder)
        print(f"ok {', '.join(self.files)}")

    def write(self, text):
        first, text = text.split("\n", 1)
        path = self.folder / first.removeprefix("// ")
        if path.suffix != ".rs" or self.folder == self.home:
            raise Wrong(f"a program without a name of a file, or before its package: `{first}`")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.here(text))
        self.files.append(first.removeprefix("// "))

    def here(self, text):
        """The text with the port of this run in place of the one of the page."""
        ports = {port for _, blocks in self.sections for kind, text in blocks if text.startswith("$ ")
                 for port in re.findall(r":(\d{4,5})\b", text)}
        return re.sub(rf":({'|'.join(ports)})\b", f":{self.port}", text) if ports else text

    def commands(self, title, lines):
        lines = [line for line in lines if not line.startswith("kubectl ")]
        if all(line.startswith(SCRIPT) for line in lines):
            with tempfile.TemporaryDirectory(prefix="follow.") as apart:
                for line in lines:
                    self.run(self.words(line), apart)
            print(f"ok {title}: {len(lines)} commands")
            return
        for line in lines:
            if line.startswith("cd "):
                self.folder /= line[3:]
                # The versions with which the project is tested, and what is built of them.
                (self.folder / "Cargo.lock").write_text((ROOT / "supervise-remote-zenoh" / "Cargo.lock").read_text())
                target = os.environ.get("FOLLOW_TARGET_DIR", ROOT / "supervise-remote-zenoh" / "target")
                Path(target).mkdir(parents=True, exist_ok=True)
                (self.folder / "target").symlink_to(Path(target).resolve())
                continue
            words = self.words(line)
            if words[0].endswith(SCRIPT):
                self.certificates.append(words)
            began = time.monotonic()
            self.run(words, self.folder)
            if time.monotonic() - began > 5:
                print(f"ok {line}: {time.monotonic() - began:.0f} s", flush=True)

    def words(self, line):
        clone = re.compile(r"^\.\./supervise(?=$|/)")
        return [clone.sub(lambda _: str(ROOT), word) for word in shlex.split(self.here(line))]

    def run(self, words, folder):
        done = subprocess.run(words, cwd=folder, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"`{' '.join(words)}` fails:\n{done.stdout}{done.stderr}")

    # The session

    def session(self, lines):
        starts = [self.words(line.removeprefix("$ ").removesuffix(" &")) for line in lines if line.endswith(" &")]
        if len(starts) < 3:
            raise Wrong("a session has an owner and two nodes")
        for line in lines:
            if not line.startswith("$ "):
                self.printed(line)
                continue
            for job in self.jobs:
                job.marks = len(job.lines)
            command = line.removeprefix("$ ")
            if command.endswith(" &"):
                if len(self.jobs) == 1:
                    self.let_strangers_try(starts[1:])
                self.jobs.append(Job(starts[len(self.jobs)], self.folder, self.env))
                continue
            kill = re.fullmatch(r"kill -(\w+) %(\d)", command)
            if not kill:
                raise Wrong(f"neither a job nor a signal: `{command}`")
            job = self.jobs[int(kill[2]) - 1]
            if job.process.poll() is not None:
                raise Wrong(f"a job has ended before `{command}`: {job}")
            status = job.signal(kill[1])
            if status != (-signal.SIGKILL if kill[1] == "KILL" else 0):
                raise Wrong(f"a job ends with the status {status} after `{command}`: {job}")
        for job in self.jobs:
            if job.process.poll() is None:
                raise Wrong(f"a job still runs at the end: {job}")
        shown = [line for line in lines if not line.startswith("$ ")]
        for job in self.jobs:
            if not any(matches(line, printed) for line in shown for printed in job.lines):
                raise Wrong(f"a job prints nothing of the page: {job}")
        for stranger in self.strangers:
            status = stranger.process.poll()
            if any(matches(line, printed) for line in shown for printed in stranger.lines) or status == 0:
                raise Wrong(f"a stranger gets in, or ends as if it had: {stranger}")
            if status is None and (status := stranger.signal("TERM")):
                raise Wrong(f"a stranger ends with the status {status}: {stranger}")
        print(f"ok {len(self.jobs)} processes, {len(self.strangers)} strangers")

    def printed(self, line):
        """Waits until a job has printed this since the last command, the newest job first."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for job in reversed(self.jobs):
                if any(matches(line, printed) for printed in job.lines[job.marks:]):
                    return
            time.sleep(0.05)
        raise Wrong(f"`{line}` is not printed:\n" + "\n".join(map(str, self.jobs)))

    def let_strangers_try(self, nodes):
        """Starts two nodes that must not get in, and waits until they have tried."""
        keys = self.certificates[0][1]
        others = Path(tempfile.mkdtemp(dir=self.home))
        for words in self.certificates:
            self.run(words, others)
        renamed = Path(tempfile.mkdtemp(dir=self.home))
        shutil.copytree(self.folder / keys, renamed / keys)
        for end in (".pem", ".key"):
            first, second = (renamed / keys / f"{words[1]}{end}" for words in nodes[:2])
            shutil.copy(second, first)
        program = [str(self.folder / nodes[0][0]), *nodes[0][1:]]
        self.strangers = [Job(program, folder, self.env) for folder in (others, renamed)]
        time.sleep(ALONE)
        for job in self.jobs:
            if job.lines or job.process.poll() is not None:
                raise Wrong(f"a job prints or ends while only strangers are there: {job}")

    def close(self):
        for job in self.jobs + self.strangers:
            if job.process.poll() is None:
                job.process.kill()
        if (self.folder / "Cargo.toml").exists():
            # The next run has another folder, and with it another package for cargo.
            clean = ["cargo", "clean", "--quiet", "--package", self.folder.name]
            subprocess.run(clean, cwd=self.folder, env=self.env, capture_output=True)


def matches(shown, printed):
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printed.rstrip("\n")) is not None


def main():
    page = ROOT / "docs" / "remote.md"
    if "--page" in sys.argv:
        page = Path(sys.argv[sys.argv.index("--page") + 1]).resolve()
    sections = [(part.split("\n", 1)[0], BLOCK.findall(part)) for part in re.split(r"^##+ ", page.read_text(), flags=re.M)]
    with tempfile.TemporaryDirectory(prefix="follow.") as folder:
        if "--keep" in sys.argv:
            folder = sys.argv[sys.argv.index("--keep") + 1]
            Path(folder).mkdir()
        reader = Reader(folder, sections)
        try:
            reader.follow()
        except Wrong as wrong:
            sys.exit(f"{page.name}: {wrong}")
        finally:
            reader.close()


main()
