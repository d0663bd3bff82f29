#!/usr/bin/env python3
"""Reads the built book, and fails if a page is missing, or if a link, an anchor or a picture leads nowhere.

    verify/book/check.py target/book
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PICTURE = re.compile(r"!\[[^\]]*\][(\[]|<img ")


class Page(HTMLParser):
    """The anchors, the links and the pictures of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.pictures = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag in ("a", "link") and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in ("img", "script", "source") and attributes.get("src"):
            self.links.append(attributes["src"])
        if tag == "img":
            self.pictures.append(attributes.get("src"))


def pictures(page):
    """The number of pictures in the text of a page."""
    return sum(len(PICTURE.findall(part)) for part in page.read_text().split("```")[::2])


def main():
    book = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in book.rglob("*.html")}
    wrong, links = [], 0
    for path in DOCS.rglob("*.md"):
        name = path.relative_to(DOCS)
        if name == Path("SUMMARY.md"):
            continue
        built = book / name.parent / ("index.html" if name.name == "README.md" else f"{name.stem}.html")
        if built not in pages:
            wrong.append(f"{name} is not in the book")
        elif len(pages[built].pictures) != pictures(path):
            wrong.append(f"{name} has {pictures(path)} pictures, and {len(pages[built].pictures)} in the book")
    for path, page in pages.items():
        # The page for unknown addresses begins its links at the root of a site.
        if path.name == "404.html":
            continue
        for link in page.links:
            if "://" in link or link.startswith(("mailto:", "data:", "javascript:")):
                continue
            links += 1
            place, _, fragment = link.partition("#")
            target = (path.parent / unquote(place)).resolve() if place else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                wrong.append(f"{path.relative_to(book)}: {link}")
            elif fragment and target in pages and unquote(fragment) not in pages[target].anchors:
                wrong.append(f"{path.relative_to(book)}: no heading for {link}")
    if wrong:
        sys.exit("\n".join(sorted(set(wrong))))
    if len(pages) < 50 or links < 1000:
        sys.exit(f"only {len(pages)} pages and {links} links were found")
    print(f"{len(pages)} pages, {links} links, {sum(len(page.pictures) for page in pages.values())} pictures")


main()
