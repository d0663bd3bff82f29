#!/usr/bin/env python3
"""Holds the files in .github to the project. See README.md.

    verify/workflows/check.py              every file, after the cases in `bad`, which have to be refused
    verify/workflows/check.py FILE ..      the rules for one workflow, without those about all of them

Needs PyYAML; `.ci/run workflows` finds or installs it. Exits with 1 if anything is wrong.
"""

import doctest
import itertools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"

# The lines that a workflow may run beside `.ci/run`, each with its reason. Five at most: any other step is a part.
SETUP = {
    'git config --global --add safe.directory "$GITHUB_WORKSPACE"': "the user of a container does not own the checkout",
    "apt-get update -qq && apt-get install -y -qq clang procps python3 python3-venv python3-yaml": "tools of scripts",
    "rustup toolchain install": "the compiler of rust-toolchain.toml, with its components",
    "brew install bash": "the one of macOS is of 2007",
}

# The parts of long mode that no workflow runs, each with its reason.
NOT_RUN = {
    "peers": "measures other crates; on a shared machine its numbers mean nothing, and peers-rows runs each row",
    "sample-part": "a piece of sample, which runs",
}

# All keys that a workflow may have. `if`, `continue-on-error` and `env` are left out on purpose: a job that is skipped,
# may fail or has other settings would still look as if it ran its part.
KEYS = {
    "workflow": {"name", "on", "permissions", "concurrency", "defaults", "jobs"},
    "job": {"name", "runs-on", "container", "timeout-minutes", "strategy", "steps"},
    "step": {"name", "uses", "with", "run"},
    "strategy": {"fail-fast", "matrix"},
}
# The actions, each with the settings that it may have.
ACTIONS = {
    "actions/checkout": {"persist-credentials": [False], "fetch-depth": [0]},
    "actions/setup-node": {"node-version": [20, 22]},
    "Swatinem/rust-cache": {},
}
RUNNERS = {"ubuntu-latest", "windows-latest", "macos-latest"}
TRIGGERS = {"push", "pull_request", "schedule", "workflow_dispatch"}


class Loader(yaml.SafeLoader):
    """Refuses a key that is there twice, and leaves `on` a word."""


# YAML 1.1 reads the words on, off, yes and no as truth values. GitHub reads YAML 1.2.
Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def mapping(loader, node, deep=False):
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.YAMLError(f"the key {key} is there twice")
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


Loader.add_constructor("tag:yaml.org,2002:map", mapping)


def parse(text):
    """Reads YAML as GitHub does.

    >>> parse("on: [push]")
    {'on': ['push']}
    >>> parse("a: 1\\na: 2")
    Traceback (most recent call last):
    yaml.error.YAMLError: the key a is there twice
    """
    return yaml.load(text, Loader)


class Facts:
    """The names and versions that the files in .github have to agree with."""

    def __init__(self, gate, long, channel, oldest, locks):
        self.gate, self.long, self.channel, self.oldest, self.locks = gate, long, channel, oldest, locks


def facts():
    def lines(*command):
        return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout.split()

    return Facts(
        gate=lines(".ci/run", "list"),
        long=lines(".ci/run", "long", "list"),
        channel=tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"],
        oldest=tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"],
        # Files that are not in git yet, too.
        locks=lines("git", "ls-files", "--cached", "--others", "--exclude-standard", "Cargo.lock", "*/Cargo.lock"),
    )


def expanded(line, matrix):
    """The lines that a `run:` stands for, one for each row of the matrix.

    >>> expanded(".ci/run ${{ matrix.part }}", {"part": ["a", "b c"]})
    ['.ci/run a', '.ci/run b c']
    >>> expanded(".ci/run ${{ matrix.two }}", {"part": ["a"]})
    ['.ci/run ${{ matrix.two }}']
    """
    names = list(matrix)
    rows = []
    for values in itertools.product(*matrix.values()):
        row = line
        for name, value in zip(names, values):
            row = row.replace("${{ matrix.%s }}" % name, str(value))
        rows.append(row)
    return list(dict.fromkeys(rows))


def parts(line, facts):
    """The mode and the parts of a call of `.ci/run`, and the problems with them.

    >>> them = Facts(["tests", "clippy"], ["fuzz"], "1.95.0", "1.88", [])
    >>> parts(".ci/run tests clippy", them)
    ('gate', ['tests', 'clippy'], [])
    >>> parts(".ci/run long fuzz", them)
    ('long', ['fuzz'], [])
    >>> parts(".ci/run long tests", them)
    ('long', ['tests'], ['.ci/run long has no part tests'])
    >>> parts(".ci/run long", them)[2], parts(".ci/run", them)[2]
    (['.ci/run long names no part'], ['.ci/run names no part'])
    """
    words = line.split()[1:]
    mode = "long" if words[:1] == ["long"] else "gate"
    named = words[1:] if mode == "long" else words
    call, known = (".ci/run long", facts.long) if mode == "long" else (".ci/run", facts.gate)
    wrong = [f"{call} has no part {name}" for name in named if name not in known]
    return mode, named, wrong if named else [f"{call} names no part"]


class Read:
    """What all workflows do together."""

    def __init__(self):
        # The parts that run for a pull request or at night.
        self.gate, self.long, self.setup = set(), set(), set()


def steps_of(name, job, matrix, shell, triggers, pinned, facts, read):
    steps = job.get("steps")
    if not isinstance(steps, list) or not steps:
        return [f"{name}: no steps"]
    wrong, called, checkouts = [], set(), []
    for step in steps:
        wrong += [f"{name}: the key {key} of a step" for key in sorted(set(step) - KEYS["step"])]
        if ("run" in step) == ("uses" in step):
            wrong.append(f"{name}: a step has either run or uses")
            continue
        if "uses" in step:
            if step["uses"] not in pinned:
                wrong.append(f"{name}: not pinned by a commit with its version: {step['uses']}")
            action = step["uses"].split("@")[0]
            if action not in ACTIONS:
                wrong.append(f"{name}: the action {action} is not in ACTIONS")
            for key, value in step.get("with", {}).items():
                if value not in ACTIONS.get(action, {}).get(key, []):
                    wrong.append(f"{name}: {action} with {key}: {value}")
            if step["uses"].startswith("actions/checkout@"):
                checkouts.append(step.get("with", {}))
            continue
        if shell != "bash":
            wrong.append(f"{name}: the shell of its steps is not bash")
        for line in expanded(step["run"].rstrip("\n"), matrix):
            if line in SETUP:
                read.setup.add(line)
                continue
            if not re.fullmatch(r"\.ci/run( [a-z0-9-]+)*", line):
                wrong.append(f"{name}: neither .ci/run with parts nor a line of SETUP: " + line.replace("\n", "\\n"))
                continue
            mode, named, problems = parts(line, facts)
            wrong += [f"{name}: {problem}" for problem in problems]
            called.update((mode, part) for part in named)
    if "pull_request" in triggers:
        read.gate.update(part for mode, part in called if mode == "gate")
    if {"pull_request", "schedule"} & set(triggers):
        read.long.update(part for mode, part in called if mode == "long")
    if not called:
        wrong.append(f"{name}: runs no part of .ci/run")
    if ("long", "msrv") in called and job.get("name") != f"Rust {facts.oldest}":
        wrong.append(f"{name}: the job with the oldest Rust is not named Rust {facts.oldest}")
    if len(checkouts) != 1:
        wrong.append(f"{name}: checks the project out {len(checkouts)} times")
    for settings in checkouts:
        if settings.get("persist-credentials") is not False:
            wrong.append(f"{name}: the checkout leaves its token in the folder (persist-credentials)")
        if ("long", "semver") in called and settings.get("fetch-depth") != 0:
            wrong.append(f"{name}: semver needs the tags (fetch-depth: 0)")
    return wrong


def workflow(text, facts, read):
    """The problems of one workflow. `read` takes what it runs."""
    try:
        file = parse(text)
    except yaml.YAMLError as error:
        return [f"not YAML: {error}"]
    if not isinstance(file, dict) or not isinstance(file.get("jobs"), dict) or not file["jobs"]:
        return ["no jobs"]
    wrong = [f"the key {key}" for key in sorted(set(map(str, file)) - KEYS["workflow"])]
    triggers = file.get("on")
    triggers = {triggers: None} if isinstance(triggers, str) else triggers or {}
    wrong += [f"the trigger {trigger}" for trigger in triggers if trigger not in TRIGGERS]
    if isinstance(triggers, dict):
        # A filter on a pull request would leave parts out.
        if triggers.get("pull_request"):
            wrong.append("a filter on pull_request")
        for entry in triggers.get("schedule") or []:
            if not re.fullmatch(r"\d+ \d+ \* \* \*", entry.get("cron", "")):
                wrong.append(f"the schedule is not once a day: {entry}")
    if file.get("permissions") != {"contents": "read"}:
        wrong.append("permissions are not contents: read")
    # Each action is pinned by its commit, with its version beside it for a reader and for dependabot.
    pinned = set(re.findall(r"^ *(?:- )?uses: ([\w.-]+/[\w./-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$", text, re.M))
    for version in re.findall(r"(?<![\w.])1\.\d+(?:\.\d+)?(?![\w.])", re.sub(r"#.*", "", text)):
        if version not in (facts.channel, facts.oldest):
            wrong.append(f"Rust {version} is neither the toolchain {facts.channel} nor the oldest {facts.oldest}")
    shell = ((file.get("defaults") or {}).get("run") or {}).get("shell")
    if set(file.get("defaults") or {}) - {"run"} or set((file.get("defaults") or {}).get("run") or {}) - {"shell"}:
        wrong.append("defaults of another kind than the shell")
    for name, job in file["jobs"].items():
        wrong += [f"{name}: the key {key} of a job" for key in sorted(set(job) - KEYS["job"])]
        if not isinstance(job.get("timeout-minutes"), int):
            wrong.append(f"{name}: no timeout-minutes")
        if job.get("runs-on") not in RUNNERS:
            wrong.append(f"{name}: runs on {job.get('runs-on')}")
        container = job.get("container")
        if isinstance(container, dict):
            wrong += [f"{name}: the key {key} of a container" for key in sorted(set(container) - {"image", "options"})]
        image = container.get("image", "") if isinstance(container, dict) else container
        if image is not None and not image.startswith(f"rust:{facts.channel}-"):
            wrong.append(f"{name}: the container {image} is not of the toolchain {facts.channel}")
        strategy = job.get("strategy") or {}
        wrong += [f"{name}: the key {key} of a strategy" for key in sorted(set(strategy) - KEYS["strategy"])]
        matrix = strategy.get("matrix") or {}
        if any(key in ("include", "exclude") or not isinstance(rows, list) for key, rows in matrix.items()):
            wrong.append(f"{name}: a matrix of other things than lists")
            continue
        wrong += steps_of(name, job, matrix, shell, list(triggers), pinned, facts, read)
    return wrong


def together(read, facts, setup=SETUP, not_run=NOT_RUN):
    """The problems of all workflows together.

    >>> them = Facts(["tests"], ["fuzz", "peers"], "1.95.0", "1.88", [])
    >>> it = Read()
    >>> together(it, them, {}, {"peers": "measures"})
    ['no workflow runs the part tests of the gate', 'no workflow runs the part fuzz of long']
    >>> it.gate, it.long = {"tests"}, {"fuzz"}
    >>> together(it, them, {}, {"peers": "measures"})
    []
    >>> together(it, them, {}, {"peers": "measures", "gone": "?", "fuzz": "?"})
    ['NOT_RUN has gone, which is no part of long', 'NOT_RUN has fuzz, which runs']
    >>> together(it, them, {"true": "?"}, {"peers": "measures"})
    ['SETUP has a line that no workflow runs: true']
    >>> together(it, them, dict.fromkeys("abcdef", "?"), {"peers": "measures"})[0]
    'SETUP has 6 lines, and may have 5'
    """
    wrong = [f"SETUP has {len(setup)} lines, and may have 5"] if len(setup) > 5 else []
    wrong += [f"no workflow runs the part {part} of the gate" for part in facts.gate if part not in read.gate]
    for part in facts.long:
        if part not in read.long and part not in not_run:
            wrong.append(f"no workflow runs the part {part} of long")
    wrong += [f"NOT_RUN has {part}, which is no part of long" for part in not_run if part not in facts.long]
    wrong += [f"NOT_RUN has {part}, which runs" for part in not_run if part in read.long]
    wrong += [f"SETUP has a line that no workflow runs: {line}" for line in setup if line not in read.setup]
    return wrong


def dependabot(text, facts):
    """The problems of the settings of dependabot: each folder with a Cargo.lock is named once.

    >>> them = Facts([], [], "", "", ["Cargo.lock", "fuzz/Cargo.lock"])
    >>> settings = '''
    ... version: 2
    ... updates:
    ...   - {package-ecosystem: cargo, directories: [/, /fuzz], schedule: {interval: weekly}}
    ...   - {package-ecosystem: github-actions, directory: /, schedule: {interval: weekly}}
    ... '''
    >>> dependabot(settings, them)
    []
    >>> dependabot(settings.replace(", /fuzz", ""), them)
    ['/fuzz has a Cargo.lock, and is not named']
    >>> dependabot(settings.replace("/fuzz", "/fuzz, /fuzz, /gone"), them)
    ['/fuzz is named 2 times', '/gone has no Cargo.lock']
    >>> dependabot(settings.replace("github-actions", "npm"), them)
    ['the actions of the workflows are not named']
    >>> dependabot(settings.replace("schedule: {interval: weekly}", "x: 1", 1), them)
    ['no schedule of cargo']
    """
    file = parse(text)
    named = {"cargo": [], "github-actions": []}
    wrong = [] if file.get("version") == 2 else ["the version is not 2"]
    for update in file["updates"]:
        if "interval" not in update.get("schedule", {}):
            wrong.append(f"no schedule of {update['package-ecosystem']}")
        folders = update.get("directories") or [update["directory"]]
        named.setdefault(update["package-ecosystem"], []).extend(folders)
    locked = ["/" + lock.removesuffix("Cargo.lock").rstrip("/") for lock in facts.locks]
    cargo = named["cargo"]
    wrong += [f"{folder} has a Cargo.lock, and is not named" for folder in locked if folder not in cargo]
    for folder in sorted(set(cargo)):
        if cargo.count(folder) > 1:
            wrong.append(f"{folder} is named {cargo.count(folder)} times")
    wrong += [f"{folder} has no Cargo.lock" for folder in sorted(set(cargo)) if folder not in locked]
    return wrong + ([] if named["github-actions"] == ["/"] else ["the actions of the workflows are not named"])


def form(text):
    """The problems of a form for issues.

    >>> good = '''{name: A, description: B, body: [{type: input, id: a, attributes: {label: A}}]}'''
    >>> form(good)
    []
    >>> form(good.replace("description: B, ", ""))
    ['no description']
    >>> form(good.replace("input", "text"))
    ['a part of the type text']
    >>> form(good.replace("label: A", "value: A"))
    ['the part a has no label']
    >>> form(good.replace("}}]", "}}, {type: input, id: a, attributes: {label: B}}]"))
    ['two parts with one id']
    """
    file = parse(text)
    wrong = [f"no {key}" for key in ("name", "description", "body") if not file.get(key)]
    body = file.get("body") or []
    fields = [part for part in body if part.get("type") != "markdown"]
    for part in fields:
        if part.get("type") not in ("input", "textarea", "dropdown", "checkboxes"):
            wrong.append(f"a part of the type {part.get('type')}")
        elif "label" not in (part.get("attributes") or {}):
            wrong.append(f"the part {part.get('id')} has no label")
    ids = [part.get("id") for part in fields]
    return wrong + (["two parts with one id"] if len(set(ids)) != len(ids) else [])


def order(packages):
    """A package that is published before another one of the project that it needs.

    >>> order([("a", []), ("b", ["a"])])
    []
    >>> order([("b", ["a"]), ("a", [])])
    ['b needs a, which comes later']
    """
    wrong, before = [], set()
    for name, needs in packages:
        wrong += [f"{name} needs {need}, which comes later" for need in needs if need not in before]
        before.add(name)
    return wrong


def releasing(text):
    """The problems of the list of packages on the page about releases."""
    manifests = {}
    for path in [ROOT / "Cargo.toml", *sorted(ROOT.glob("supervise-*/Cargo.toml"))]:
        manifest = tomllib.loads(path.read_text())
        manifests[manifest["package"]["name"]] = manifest
    # A dependency for tests without a version is not published.
    sections = ("dependencies", "dev-dependencies", "build-dependencies")
    needs = {}
    for name, manifest in manifests.items():
        needs[name] = []
        for section in sections:
            for key, value in manifest.get(section, {}).items():
                package = value.get("package", key) if isinstance(value, dict) else key
                is_published = isinstance(value, dict) and (value.get("workspace") or "version" in value)
                if package in manifests and package != name and (section == "dependencies" or is_published):
                    needs[name].append(package)
    listed = re.findall(r"^\d+\. `(supervise-[a-z-]+)`", text, re.M)
    wrong = [f"{name} is not on the list of packages" for name in manifests if name not in listed]
    wrong += [f"{name} is no package" for name in listed if name not in manifests]
    return wrong + order([(name, needs.get(name, [])) for name in listed])


def cases(facts):
    """The workflows in `bad`: each has to be refused for the one reason that its first line names."""
    files = sorted((HERE / "bad").glob("*.yml"))
    wrong = [] if len(files) >= 20 else [f"only {len(files)} cases in bad"]
    for path in files:
        text = path.read_text()
        expected = text.splitlines()[0].removeprefix("# ")
        found = workflow(text, facts, Read())
        if found != ([] if path.stem == "good" else [expected]):
            wrong.append(f"bad/{path.name}: {found}")
    return wrong


def main():
    failed, run = doctest.testmod()
    assert run > 25
    if failed:
        return 1
    known = facts()

    def found(path, problems):
        return [f"{path.name}: {problem}" for problem in problems]

    wrong, read, texts = [], Read(), ""
    if len(sys.argv) > 1:
        for path in map(Path, sys.argv[1:]):
            wrong += found(path, workflow(path.read_text(), known, read))
    else:
        wrong += cases(Facts(["tests", "clippy"], ["fuzz", "msrv", "semver"], "1.95.0", "1.88", []))
        for path in sorted(WORKFLOWS.iterdir()):
            texts += path.read_text()
            wrong += found(path, workflow(path.read_text(), known, read))
        wrong += together(read, known)
        for version in (known.channel, known.oldest):
            if not re.search(rf"(?<![\w.]){re.escape(version)}(?![\w.])", texts):
                wrong.append(f"no workflow names Rust {version}")
        path = ROOT / ".github/dependabot.yml"
        wrong += found(path, dependabot(path.read_text(), known))
        for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").iterdir()):
            if path.name != "config.yml":
                wrong += found(path, form(path.read_text()))
        path = ROOT / "docs/releasing.md"
        wrong += found(path, releasing(path.read_text()))
        print(f"{len(read.gate)} parts of the gate and {len(read.long)} of long mode are run by workflows")
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
