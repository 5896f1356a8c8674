#!/usr/bin/env python3
"""Types of the options of read() and make_crowd(), for editors and type checkers.

    stubs.py            prints how python/labelsieve/_options.pyi differs from what the library has,
                        and ends with 1 if it does
    stubs.py --write    makes it what the library has

LABELSIEVE_LIBRARY names the library.
"""
import difflib
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
FILE = HERE / "labelsieve" / "_options.pyi"
TYPES = {"integer": "int", "number": "float", "flag": "bool", "text": "str",
         "path": "Path", "list": "Union[str, Sequence[str]]"}
HEAD = '''"""Made by python/stubs.py from the table of settings of the library."""
import os
from typing import Literal, Sequence, TypedDict, Union

Path = Union[str, os.PathLike[str]]
'''


def kind_of(row):
    if "choices" in row:
        return f"Literal[{', '.join(repr(one) for one in row['choices'])}]"
    return TYPES[row["kind"]]


def of_table(name, rows):
    lines = [f"class {name}(TypedDict, total=False):"]
    for row in rows:
        lines += textwrap.wrap(row["help"], 92, initial_indent="    # ", subsequent_indent="    # ")
        lines += textwrap.wrap(f"{row['name']}: {kind_of(row)}", 96, initial_indent="    ",
                               subsequent_indent="        ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def stubs():
    from labelsieve import _library  # needs the library
    crowd = [row for name, row in _library.CROWD_SETTINGS.items() if name != "rows"]
    return "\n\n".join((HEAD, of_table("ReadOptions", _library.READ_SETTINGS.values()),
                        of_table("CrowdOptions", crowd)))


def main():
    made = stubs()
    if "--write" in sys.argv[1:]:
        FILE.write_text(made, encoding="utf-8")
        return 0
    there = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    print("".join(difflib.unified_diff(there.splitlines(True), made.splitlines(True), str(FILE),
                                       "of the library")))
    if there != made:
        print("If that is meant, run `make snapshots`.")
    return 1 if there != made else 0


if __name__ == "__main__":
    sys.exit(main())
