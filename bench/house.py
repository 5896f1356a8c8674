#!/usr/bin/env python3
"""The house in figures (docs/results/house.md): how large the source is, and hot paths of two
builds of the command side by side.

usage: bench/house.py size OLD_REVISION [NEW_REVISION]
       bench/house.py hot OLD_SIEVE NEW_SIEVE

`hot` runs each path three times with each command in turn, on one thread, and prints the least time of
the processor (user and system) and the largest memory. Files are made by OLD_SIEVE in a folder that goes.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

PRODUCT = ("src/", "include/", "apps/", "python/labelsieve/")
CODE = (".cpp", ".h", ".py", ".js", ".css", ".html", ".c")


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True).stdout


def module_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


def size_of(revision):
    """Files, lines and headers of each module."""
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for path in git("ls-tree", "-r", "--name-only", revision).decode().split("\n"):
        if not path.startswith(PRODUCT) or not path.endswith(CODE):
            continue
        lines = git("show", f"{revision}:{path}").count(b"\n")
        for one in (module_of(path), "all"):
            counts[one][0] += 1
            counts[one][1] += lines
            counts[one][2] += path.endswith(".h")
    return counts


def print_sizes(old, new):
    before, after = size_of(old), size_of(new)
    print(f"| module | files, {old} | lines | headers | files, {new} | lines | headers |\n|---|---|---|---|---|---|---|")
    for module in sorted(set(before) | set(after), key=lambda name: (name == "all", name)):
        b, a = before[module], after[module]
        print(f"| {module} | " + " | ".join(f"{n:,}" for n in (*b, *a)) + " |")


QUICK = "epochs=3,members=1,depth=1"
# What is timed, after the files are made: the words of a command, with {out} for a file that goes.
PATHS = {
    "read a dense CSV file": "inspect rows.csv",
    "read ARFF": "inspect rows.arff",
    "read annotations and compare annotators": "people --ticks ticks.csv",
    "make words of a text column": "convert texts.csv {out}.sieve --text-column words",
    "train a forest": "train rows.csv --method forest --set trees=100 --out {out}",
    "the same with leaves of 5 rows": "train rows.csv --method forest --set trees=100,leaf=5 --out {out}",
    "train an mlp": f"train rows.csv --method mlp --set {QUICK} --out {{out}}",
    "train pml-gan": f"train rows.csv --method pml-gan --set {QUICK} --out {{out}}",
    "clean with votes": "clean rows.csv --ticks ticks.csv --method forest --set trees=100 --out {out}.csv",
    "predict with a forest": "predict forest.model rows.csv --out {out}.csv",
    "train pml-ni": "train rows.csv --method pml-ni --out {out}",
}


def run(command, words, folder):
    """Seconds of the processor, and bytes at the peak."""
    child = subprocess.Popen([command, *words, "--threads", "1", "--quiet"], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command} {' '.join(words)}: {said.decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def make_files(sieve, folder):
    rows = "--rows 6000 --features 100 --labels 14 --seed 3".split()
    run(sieve, ["synth", *rows, "--out", "rows.csv", "--ticks", "ticks.csv"], folder)
    # Items are row numbers, which later versions take from this name alone.
    ticks = pathlib.Path(folder, "ticks.csv")
    ticks.write_text(ticks.read_text().replace("id,", "row,", 1))
    run(sieve, ["synth", *rows, "--out", "rows.arff"], folder)
    run(sieve, ["train", "rows.csv", "--method", "forest", "--set", "trees=100", "--out", "forest.model"], folder)
    words = [f"word{k * k % 977}" for k in range(5000)]
    with open(os.path.join(folder, "texts.csv"), "w") as file:
        file.write("words,label:a\n")
        for i in range(20000):
            file.write(" ".join(words[(i * 31 + 7 * k) % 5000] for k in range(40)) + f",{i % 2}\n")


def print_hot_paths(old, new):
    old, new = os.path.abspath(old), os.path.abspath(new)
    with tempfile.TemporaryDirectory() as folder:
        make_files(old, folder)
        print("| path | old | new | ratio | peak, old | peak, new |\n|---|---|---|---|---|---|")
        for name, words in PATHS.items():
            best = {old: (1e9, 0), new: (1e9, 0)}
            for turn in range(3):
                for command in (old, new):
                    out = os.path.join(folder, f"out{turn}{command == new}")
                    seconds, peak = run(command, words.format(out=out).split(), folder)
                    best[command] = min(best[command][0], seconds), max(best[command][1], peak)
                    for left in pathlib.Path(folder).glob("out*"):
                        left.unlink()
            (a, p), (b, q) = best[old], best[new]
            print(f"| {name} | {a:.2f} s | {b:.2f} s | {b / a:.2f} | {p / 1e6:.0f} MB | {q / 1e6:.0f} MB |",
                  flush=True)


def main():
    verb, *words = sys.argv[1:] or [""]
    if verb == "size" and len(words) in (1, 2):
        print_sizes(words[0], (words + ["HEAD"])[1])
    elif verb == "hot" and len(words) == 2:
        print_hot_paths(*words)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
