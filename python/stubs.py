#!/usr/bin/env python3
"""What the package has from the tables of the library: types of the options of read() and
make_crowd() for editors and type checkers, and a classifier for each of the main methods.

    stubs.py            prints how the files (_options.pyi, estimators.py) differ from what the
                        library has, and ends with 1 if they do
    stubs.py --write    makes them what the library has

LABELSIEVE_LIBRARY names the library.
"""
import difflib
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
PACKAGE = HERE / "labelsieve"
TYPES = {"integer": "int", "number": "float", "flag": "bool", "text": "str",
         "path": "Path", "list": "Union[str, Sequence[str]]"}
HEAD = '''"""Made by python/stubs.py from the table of settings of the library."""
import os
from typing import Literal, Sequence, TypedDict, Union

Path = Union[str, os.PathLike[str]]
'''


FILES = {"annotations", "program_scores"}  # lists of files


def kind_of(row):
    if row["name"] in FILES:
        return "Union[Path, Sequence[Path]]"
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
    from labelsieve import _library, methods  # need the library
    crowd = [row for name, row in _library.CROWD_SETTINGS.items() if name != "rows"]
    names = ", ".join(repr(name) for name in methods())
    literal = "\n".join(textwrap.wrap(f"Method = Literal[{names}]", 96, subsequent_indent=" " * 17,
                                      break_on_hyphens=False)) + "\n"
    return "\n\n".join((HEAD, literal, of_table("ReadOptions", _library.READ_SETTINGS.values()),
                        of_table("CrowdOptions", crowd)))


# ---- estimators.py ------------------------------------------------------------------------------

# The main methods, and what makes an example of each quick.
MAIN_METHODS = {"blend": "trees=10, epochs=2", "forest": "trees=10", "mlp-noise": "epochs=2",
                "mlp": "epochs=2", "pml-gan": "epochs=2"}
ESTIMATORS_HEAD = '''"""Made by python/stubs.py from the table of methods of the library: classifiers whose parameters are
the options of one method."""
from __future__ import annotations

from typing import Literal, Optional, Union

from ._watch import Verbose
from ._work import RandomState
from .classifier import MethodClassifier
'''
PARAMETERS_OF_WORK = (
    ("random_state", "RandomState", "1"), ("n_jobs", "Optional[int]", "None"),
    ("verbose", "Verbose", "0"))


def default_of(option):
    value, kind = option["default"], option["type"]
    if kind in ("integer", "number") and value not in ("", "auto"):
        return repr(int(value) if kind == "integer" else float(value))
    return repr(value == "true") if kind == "flag" and value in ("true", "false") else repr(value)


def type_of(option):
    if "choices" in option:
        return f"Literal[{', '.join(repr(one) for one in option['choices'])}]"
    kind = TYPES.get(option["type"], "str")
    return f'Union[{kind}, Literal["auto"]]' if option.get("can_be_auto") else kind


def described(name, kind, help_):
    return [f"    {name} : {kind}", *textwrap.wrap(help_, 92, initial_indent=" " * 8,
                                                   subsequent_indent=" " * 8)]


def doc_type(option):
    kind = "{" + ", ".join(f'"{one}"' for one in option["choices"]) + "}" \
        if "choices" in option else TYPES.get(option["type"], "str")
    more = ' or "auto"' if option.get("can_be_auto") else ""
    return f"{kind}{more}, default={default_of(option)}".replace("'", '"')


def of_method(method):
    title = "".join(part.capitalize() for part in method["name"].split("-")) + "Classifier"
    options = [(one["key"].replace("-", "_"), one) for one in method["options"]]
    parameters = [*((name, type_of(one), default_of(one)) for name, one in options),
                  *PARAMETERS_OF_WORK]
    doc = [*textwrap.wrap(f'"""{method["title"]}: {method["summary"]}.', 96, initial_indent=" " * 4,
                          subsequent_indent=" " * 4),
           "", "    Takes, learns and gives what `LabelSieveClassifier` does.", "", "    Parameters",
           "    ----------"]
    for name, one in options:
        doc += described(name, doc_type(one), one["help"])
    doc += ["    random_state, n_jobs, verbose", "        As for `LabelSieveClassifier`.", "",
            "    Examples", "    --------", f"    >>> from labelsieve import {title}, make_crowd",
            "    >>> crowd = make_crowd(rows=100, seed=1)",
            f"    >>> classifier = {title}({MAIN_METHODS[method['name']]})",
            "    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape", "    (100, 12)", '    """']
    signature = textwrap.wrap(", ".join(f"{name}:\0{kind}\0=\0{default}".replace(", ", ",\0")
                                        for name, kind, default in parameters), 76,
                              initial_indent=" " * 17, subsequent_indent=" " * 17,
                              break_long_words=False, break_on_hyphens=False)
    signature[0] = "    def __init__(self, *, " + signature[0].strip()
    return "\n".join([f"class {title}(MethodClassifier):", *doc, "", f'    _name = "{method["name"]}"',
                      "", *(line.replace("\0", " ") for line in signature[:-1]),
                      signature[-1].replace("\0", " ") + "):",
                      *(f"        self.{name} = {name}" for name, _, _ in parameters)]) + "\n"


def estimators():
    from labelsieve import methods
    known = methods()
    return "\n\n".join((ESTIMATORS_HEAD, *(of_method(known[name]) for name in MAIN_METHODS)))


def main():
    differ = False
    for name, made in (("_options.pyi", stubs()), ("estimators.py", estimators())):
        file = PACKAGE / name
        there = file.read_text(encoding="utf-8") if file.exists() else ""
        if "--write" in sys.argv[1:]:
            file.write_text(made, encoding="utf-8")
            continue
        print("".join(difflib.unified_diff(there.splitlines(True), made.splitlines(True), str(file),
                                           "of the library")))
        differ |= there != made
    if differ:
        print("If that is meant, run `make snapshots`.")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
