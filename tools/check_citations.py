#!/usr/bin/env python3
"""Every label that a comment or a document cites is in docs/: errata, reference solutions, bibliography.

    tools/check_citations.py [FOLDER]     FOLDER: the repository, by default the one this file is in

    [ERRATA D4, cross-method 2], ERRATA D16-D18, [P10], "(D9 to D13)"   rows of docs/errata.md that begin with the label
    REFERENCES 1a, docs/references.md 1a-1c, REFERENCES case 7         headings of docs/references.md that begin with it
    [Bergou 2008, eq. (5)], Klenin & Langowski 2000                    entries of its bibliography

Prints a line `file:line: label is not in docs/errata.md` for every violation; exit code 1 when there is one. A list may go on in the
next line of a comment."""
import pathlib
import re
import sys

ERRATA, REFERENCES = "docs/errata.md", "docs/references.md"
FOLDERS = ("include", "src", "cli", "validation", "benchmarks", "testing", "docs")
GAP = r"(?:\s|//|#)+"  # between words, also over the end of a comment's line
ITEM = rf"(?:[DZSBP]\d+'?|cross-method{GAP}\d+)"
CASE = r"\d+[a-z]?\b"


def list_of(item):
    return rf"{item}(?:(?:\s*,|{GAP}and|{GAP}to|\s*-|,?{GAP}or)?(?:{GAP})?{item})*"


# Bare labels count in comments and documents only: in code they may be names.
BARE_LABEL = re.compile(rf"(?<![\w.-])(?:{list_of(ITEM)})(?!\w|\.\w)")
LABEL = re.compile(rf"ERRATA{GAP}({list_of(ITEM)})")
CASES = re.compile(rf"(?:REFERENCES|references|docs/references\.md){GAP}(?:cases?{GAP})?({list_of(CASE)})")
NAME = r"(?:van )?[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
WORK = re.compile(rf"(?<![\w-])({NAME}(?:(?:,|{GAP}&|{GAP}and){GAP}{NAME})*){GAP}((?:18|19|20)\d\d)(?![\w-])")
DEFINITION = re.compile(rf"^(?:\| {ITEM} \||\* \*\*\[[^\]]+\]\*\*)", re.MULTILINE)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def known(root, file, pattern):
    path = root / file
    return set(re.findall(pattern, path.read_text(), re.MULTILINE)) if path.exists() else set()


def expand(text, item):
    """The labels of a list; ranges such as D16-D18, "D9 to D13" or 1a-1c become all of their members."""
    labels, last = [], 0
    for match in re.finditer(item, text):
        label = re.sub(GAP, " ", match.group())
        between = re.sub(r"[\s/#]", "", text[last : match.start()])
        if labels and between in ("-", "to"):
            labels += members(labels[-1], label)
        labels.append(label)
        last = match.end()
    return labels


def members(first, last):
    """What lies between two labels that differ in their number (D16, D18) or in their letter (1a, 1c)."""
    a, b = re.fullmatch(r"([A-Z]?)(\d+)(.*)", first), re.fullmatch(r"([A-Z]?)(\d+)(.*)", last)
    if not a or not b:
        return []
    if a[1] and a[1] == b[1]:
        return [f"{a[1]}{n}" for n in range(int(a[2]) + 1, int(b[2]))]
    if a[2] == b[2] and a[3] and b[3]:
        return [f"{a[2]}{chr(c)}" for c in range(ord(a[3]) + 1, ord(b[3]))]
    return []


def comments_only(text):
    """The text with everything but comments blanked, line ends kept."""
    blank = re.sub(r"[^\n]", " ", text)
    kept = list(blank)
    for match in COMMENT.finditer(text):
        if match.group().startswith("/"):
            kept[match.start() : match.end()] = match.group()
    return "".join(kept)


def citations(path, text):
    """(place in the text, label, kind) of everything that is cited."""
    prose = text if path.endswith(".md") else comments_only(text)
    for match in BARE_LABEL.finditer(prose):
        yield from ((match.start(), label, "errata") for label in expand(match.group(), ITEM))
    if prose is not text:  # what a string literal cites; comments have been seen
        for match in LABEL.finditer(text):
            if prose[match.start()] == " ":
                yield from ((match.start(), label, "errata") for label in expand(match[1], ITEM))
    for match in CASES.finditer(text):
        yield from ((match.start(), label, "case") for label in expand(match[1], CASE))
    for match in WORK.finditer(text):
        yield match.start(), re.sub(GAP, " ", f"{match[1]} {match[2]}"), "work"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    places = {
        "errata": (ERRATA, known(root, ERRATA, rf"^\| ({ITEM}) \|")),
        "case": (REFERENCES, known(root, REFERENCES, r"^## (\d+[a-z]?)\b")),
        "work": (REFERENCES, known(root, REFERENCES, r"^\* \*\*\[([^\]]+)\]\*\*")),
    }
    violations, count = [], 0
    files = [file for top in FOLDERS for file in sorted((root / top).rglob("*"))] + sorted(root.glob("*.md"))
    for file in files:
        path = file.relative_to(root).as_posix()
        if file.suffix not in (".h", ".cpp", ".md"):
            continue
        text = file.read_text(errors="replace")
        if path in (ERRATA, REFERENCES):  # what defines a label does not cite it
            text = DEFINITION.sub(lambda match: " " * len(match.group()), text)
        for place, label, kind in sorted(citations(path, text)):
            count += 1
            home, labels = places[kind]
            if label not in labels:
                violations.append(f"{path}:{text.count(chr(10), 0, place) + 1}: {label} is not in {home}")
    for violation in violations:
        print(violation)
    print(f"{count} citations, {len(violations)} violations")
    sys.exit(1 if violations else 0)


main()
