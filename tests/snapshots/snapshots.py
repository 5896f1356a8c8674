#!/usr/bin/env python3
"""What users and their programs see: help, JSON, functions of the C library.

    snapshots.py SIEVE LIBRARY            prints every difference, and ends with 1 if there is any
    snapshots.py SIEVE LIBRARY --write    makes tests/snapshots what it is now

Beside this file stand, as text: the help of every verb, the options of every method, the symbols of
the C library, and the keys and types of all that --json prints. No value is kept that depends on the
processor, the time or the folder.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
QUICK = ["--method", "mlp", "--set", "epochs=2,width=8,members=1,depth=1"]
PLAN = """repeats = 2
[[data]]
name = "crowd"
folder = "d.arff"
[[method]]
name = "pml-ni"
[[method]]
name = "capml"
"""

# What is run, in this order, in a folder of its own; outputs of one are inputs of another.
JSON_RUNS = {
    "synth": ["synth", "--rows", "80", "--features", "6", "--labels", "4", "--noise", "1",
              "--out", "d.csv", "--annotations", "t.csv"],
    "convert": ["convert", "d.csv", "d.arff"],
    "convert-ticks": ["convert", "d.csv", "v.sieve", "--annotations", "t.csv", "--annotations-out", "out.csv"],
    "inspect": ["inspect", "d.csv"],
    "inspect-data-and-ticks": ["inspect", "d.csv", "--annotations", "t.csv"],
    "inspect-ticks": ["inspect", "--annotations", "t.csv"],
    "inspect-table": ["inspect", "table.csv", "--text-column", "text"],
    "corrupt": ["corrupt", "d.csv", "c.csv", "--labels-are", "truth", "--protocol", "fill",
                "--average", "3"],
    "split": ["split", "d.csv", "--out", "p"],
    "train": ["train", "d.csv", "--out", "m", *QUICK, "--validate", "0.2", "--log", "log.jsonl"],
    "train-ticks": ["train", "d.csv", "--annotations", "t.csv", "--out", "mt", *QUICK],
    "train-table": ["train", "table.csv", "--text-column", "text", "--out", "mr", "--method",
                    "pml-ni"],
    "info": ["info", "m"],
    "info-table": ["info", "mr"],
    "predict": ["predict", "m", "d.csv", "--out", "scores.csv"],
    "export": ["export", "m", "m.onnx"],
    "evaluate": ["evaluate", "--truth", "d.csv", "--scores", "scores.csv", "--threshold", "0.5",
                 "--per-label"],
    "clean": ["clean", "d.csv", *QUICK, "--suspects", "suspects.csv", "--out", "cleaned.csv"],
    "clean-in-sample": ["clean", "d.csv", "--in-sample", "m"],
    "clean-ticks": ["clean", "d.csv", "--annotations", "t.csv", *QUICK, "--missing", "missing.csv"],
    "annotators": ["annotators", "--annotations", "t.csv"],
    "agree": ["agree", "--annotations", "t.csv", "--resamples", "50"],
    "ask": ["ask", "--annotations", "t.csv", "--budget", "9"],
    "ask-cells": ["ask", "--annotations", "t.csv", "--budget", "9", "--about", "cells"],
    "audit-plan": ["audit", "d.csv", "--annotations", "t.csv", "--plan"],
    "audit-list": ["audit", "d.csv", "--annotations", "t.csv", "--list", "cells.csv",
                   "--answer-from-truth"],
    "audit-answers": ["audit", "d.csv", "--annotations", "t.csv", "--answers", "cells.csv", "--accept",
                      "precision >= 0.01"],
    "audit-certificate": ["audit", "certificate", "d.csv", "--annotations", "t.csv", "--answers",
                          "cells.csv", "--out", "certificate.json", "--page", "c.html"],
    "audit-verify": ["audit", "verify", "certificate.json", "d.csv", "--annotations", "t.csv"],
    "aggregate": ["aggregate", "--annotations", "t.csv", "--out", "likely.csv"],
    "experiment": ["experiment", "plan.toml", "--data", ".", "--store", "s.db", "--jobs", "1"],
    "compare": ["compare", "s.db"],
    "report": ["report", "--model", "m", "--data", "d.csv", "--out", "page.html"],
    "report-experiment": ["report", "s.db", "--out", "study.html"],
    "methods": ["methods"],
    "methods-mlp": ["methods", "mlp"],
}
TABLE = """id,text,stars,label:food,label:sound
a,fresh soup,4,1,0
b,loud bass,,0,1
c,cold soup and bass,2,1,1
d,fresh bread,3,1,0
"""


def run(sieve, words, folder=None):
    ran = subprocess.run([sieve, *words], cwd=folder, capture_output=True, text=True, timeout=200,
                         check=False, env={"PATH": os.environ["PATH"], "HOME": "/"})
    if ran.returncode != 0:
        sys.exit(f"sieve {' '.join(words)} ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout


# ---- the shape of JSON ---------------------------------------------------------------------------

def kind(value):
    for name, kinds in (("null", type(None)), ("bool", bool), ("number", (int, float)),
                        ("text", str), ("list", list), ("object", dict)):
        if isinstance(value, kinds):
            return name
    raise TypeError(value)


def collect(value, path, types):
    types.setdefault(path, set()).add(kind(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            collect(inner, f"{path}.{key}" if path else key, types)
    elif isinstance(value, list):
        for inner in value:
            collect(inner, path + "[]", types)


# Keys that are names of the data, of measures or of options, not of the interface.
NAMED = re.compile(r"\b(measures|options|set|notes|scores)\.[^.\[\]]+")


def shape(text):
    """A line per key, with the types that were seen there."""
    types = {}
    collect(json.loads(text), "", types)
    types.pop("", None)
    merged = {}
    for path, kinds in types.items():
        merged.setdefault(NAMED.sub(r"\1.*", path), set()).update(kinds)
    return "".join(f"{path}: {' or '.join(sorted(kinds))}\n" for path, kinds in merged.items())


# ---- all snapshots -------------------------------------------------------------------------------

def verbs_of(sieve):
    listed = re.search(r"compgen -W '([^']+)'", run(sieve, ["completion", "bash"])).group(1)
    return [word for word in listed.split() if not word.startswith("-")]


def json_snapshots(sieve):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("table.csv", TABLE), ("plan.toml", PLAN)):
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        for name, words in JSON_RUNS.items():
            out = run(sieve, [*words, "--json"], folder)
            yield f"json/{name}.txt", f"# sieve {' '.join(words)} --json\n{shape(out)}"


def symbols(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    return "".join(sorted(line.split()[-1] + "\n" for line in out.splitlines()))


def snapshots(sieve, library):
    found = {"help/sieve.txt": run(sieve, ["--help"])}
    for verb in verbs_of(sieve):
        found[f"help/{verb}.txt"] = run(sieve, [verb, "--help"])
    for method in re.findall(r"^([a-z][a-z-]+)  +\S", run(sieve, ["methods"]), re.M)[1:]:
        found[f"methods/{method}.txt"] = run(sieve, ["methods", method])
    found["c_symbols.txt"] = symbols(library)
    found.update(json_snapshots(sieve))
    return found


def stored():
    return {str(path.relative_to(HERE)): path.read_text(encoding="utf-8")
            for path in sorted(HERE.rglob("*.txt"))}


def compare(found):
    before = stored()
    different = [name for name in sorted(before.keys() | found.keys())
                 if before.get(name) != found.get(name)]
    for name in different:
        print("".join(difflib.unified_diff(
            before.get(name, "").splitlines(True), found.get(name, "").splitlines(True),
            f"tests/snapshots/{name}", "now")))
    if different:
        print(f"{len(different)} of {len(found)} snapshots differ. If that is meant, run "
              "`make snapshots` and name the change in CHANGELOG.md.")
    return 1 if different else 0


def write(found):
    for name in stored().keys() - found.keys():
        (HERE / name).unlink()
    for name, text in found.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(text, encoding="utf-8")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sieve", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = snapshots(options.sieve, options.library)
    return write(found) if options.write else compare(found)


if __name__ == "__main__":
    sys.exit(main())
