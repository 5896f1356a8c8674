#!/usr/bin/env python3
"""The library names its own terms (include/labelsieve/options.h), not the command's: no string in
src/ has a flag or a verb of the command in it. Prints those that do and ends with 1 if there is any.

usage: tests/words_test.py PROJECT
"""
import pathlib
import re
import sys

# What can hold a quote comes first. Raw strings are style sheets and scripts.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|\'(?:\\.|[^\'\\\n])+\'|'
                   r'(?P<text>"(?:\\.|[^"\\\n])*")', re.S)
FLAG = re.compile(r"(?<![\w(-])--[a-z][\w-]*(?!:\S)(?![\w-])")  # "--share:0.3" is CSS


def literals(path):
    source = path.read_text(encoding="utf-8")
    for token in TOKEN.finditer(source):
        if token["text"]:
            yield source.count("\n", 0, token.start()) + 1, token["text"]


def faults(project):
    verbs = [path.stem[len("cmd_"):] for path in (project / "apps/sieve").glob("cmd_*.cpp")]
    verb = re.compile(rf"\bsieve ({'|'.join(sorted(verbs))})\b")
    source = project / "src"
    for path in sorted(source.rglob("*.h")) + sorted(source.rglob("*.cpp")):
        for line, text in literals(path):
            for found in (FLAG.search(text), verb.search(text)):
                if found:
                    yield f"{path}:{line}: say term(...) instead of '{found[0]}'"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "no string of the library names a flag or a verb")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
