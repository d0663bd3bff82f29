#!/usr/bin/env python3
"""A preprocessor of mdbook: links of a page that lead out of `docs` lead to the repository on the web.

mdbook makes `index.html` of a README.md and does not change the links to it, so this does. Blocks of code stay as they
are.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(\s*```.*?^\s*```[ ]*$)", re.MULTILINE | re.DOTALL)
# A link or a picture in the text, and a definition below it.
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: )([^)\s]+)", re.MULTILINE)


def target(page, link, repository):
    """The link as it has to be in the book, for a page with this path below `docs`."""
    path, mark, fragment = link.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return link
    full = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    if not full.startswith("docs/"):
        kind = "tree" if (ROOT / full).is_dir() else "blob"
        return f"{repository}/{kind}/main/{full}{mark}{fragment}"
    if posixpath.basename(path) == "README.md":
        path = posixpath.join(posixpath.dirname(path), "index.md")
    return path + mark + fragment


def rewritten(page, text, repository):
    def replaced(found):
        return found[1] + target(page, found[2], repository)

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(replaced, part) for part in parts[::2]]
    return "".join(parts)


def chapters(node):
    """The chapters of a book, of a part of it or of a chapter."""
    if isinstance(node, list):
        for item in node:
            yield from chapters(item)
    elif isinstance(node, dict) and "Chapter" in node:
        yield node["Chapter"]
        yield from chapters(node["Chapter"]["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    repository = context["config"]["output"]["html"]["git-repository-url"]
    for chapter in chapters(book.get("sections", book.get("items"))):
        # The name that the file has in the repository, and not that of the built page.
        chapter["content"] = rewritten(chapter["source_path"], chapter["content"], repository)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
