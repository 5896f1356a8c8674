#!/usr/bin/env python3
"""What the Python package costs beside the command: fit and predict on the same rows, peak memory, the
latency of one row, the time of an import, the size of the wheel. Prints a Markdown table.

Command and package take turns, each in a process of its own on one thread; the least of the rounds
counts. Processor time is compared, which other work on the machine disturbs less than a clock.
The package must be importable: installed, or found by PYTHONPATH and LABELSIEVE_LIBRARY.

usage: bench/python.py [--sieve build/sieve] [--rows 20000] [--features 200] [--labels 30] [--rounds 3]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

METHODS = {"mlp-noise": {"members": 1, "epochs": 10, "depth": 2}, "forest": {"trees": 50}}

WORK = """
import json, sys, time
import numpy as np
import labelsieve
method, options, file, stage = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
data = labelsieve.read(file)
X, y = np.array(data.X), data.y.copy()
del data
def memory(which):
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(which)).split()[1])
open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
before, held = time.process_time(), memory("VmRSS")
if stage == "fit":
    model = labelsieve.train(X, y, method=method, options=options, threads=1)
    seconds = time.process_time() - before
    model.save(file + ".model", force=True)
else:
    model = labelsieve.Model.load(file + ".model")
    before = time.process_time()
    model.scores(X, threads=1)
    seconds = time.process_time() - before
print(json.dumps({"seconds": seconds, "grown": memory("VmHWM") - held, "X": X.nbytes}))
"""

LATENCY = """
import sys, time
import numpy as np
import labelsieve
model = labelsieve.Model.load(sys.argv[1])
row = np.random.default_rng(0).normal(size=(1, model.info["features"])).astype(np.float32)
times = []
for _ in range(2000):
    start = time.perf_counter()
    model.scores(row, threads=1)
    times.append(time.perf_counter() - start)
print(sorted(times)[len(times) // 2])
"""


def processor_time(command):
    """Of a process that is waited for."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise SystemExit(f"failed: {command}")
    return used.ru_utime + used.ru_stime


def told(code, *words):
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code), *words], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def import_time():
    """Processor time of an import, beside an interpreter that does nothing."""
    def least(code):
        return min(processor_time([sys.executable, "-c", code]) for _ in range(10))
    return least("import labelsieve; labelsieve.train") - least("pass"), \
        least("import labelsieve; labelsieve.__version__") - least("pass")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sieve", default="build/sieve")
    for name, default in (("rows", 20000), ("features", 200), ("labels", 30), ("rounds", 3)):
        parser.add_argument("--" + name, type=int, default=default)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "data.sieve")
        subprocess.run([wanted.sieve, "synth", "--out", file, *[
            word for name in ("rows", "features", "labels")
            for word in (f"--{name}", str(getattr(wanted, name)))]], check=True, capture_output=True)
        print("| | command | Python | |\n|---|---|---|---|")
        for method, options in METHODS.items():
            compare(method, options, file, wanted)
        small = str(pathlib.Path(folder) / "small.sieve")
        for words in (["synth", "--out", small], ["train", small, "--out", small + ".blend"]):
            subprocess.run([wanted.sieve, *words], check=True, capture_output=True)
        for name, model in (("mlp-noise", file + ".mlp-noise"), ("forest", file + ".forest"),
                            ("blend of 2,000 x 60 x 12", small + ".blend")):
            print(f"| one row, {name}, median of 2,000 | | {1e3 * told(LATENCY, model):.3f} ms | |")
    with_train, bare = import_time()
    print(f"| import labelsieve | | {1e3 * bare:.0f} ms | with NumPy {1e3 * with_train:.0f} ms |")


def compare(method, options, file, wanted):
    model = file + "." + method
    alike = ["--force", "--quiet", "--threads", "1"]
    train = [wanted.sieve, "train", file, "--method", method, "--out", model, *alike,
             *[word for item in options.items() for word in ("--set", "=".join(map(str, item)))]]
    predict = [wanted.sieve, "predict", model, file, "--out", model + ".csv", *alike]
    for stage, command in (("fit", train), ("predict", predict)):
        rounds = [(processor_time(command), told(WORK, method, json.dumps(options), file, stage))
                  for _ in range(wanted.rounds)]
        by_command = min(one[0] for one in rounds)
        by_python = min(one[1]["seconds"] for one in rounds)
        print(f"| {stage}, {method}, processor time | {by_command:.2f} s | {by_python:.2f} s | "
              f"{100 * (by_python / by_command - 1):+.1f} % |")
        grown = min(one[1]["grown"] for one in rounds)
        print(f"| {stage}, {method}, memory beside the features | | {grown / 1e6:.0f} MB | "
              f"features {rounds[0][1]['X'] / 1e6:.0f} MB |")


if __name__ == "__main__":
    main()
