#!/usr/bin/env python3
"""What weights of rows cost: processor time and memory of a fit without weights, with float weights, with
whole ones from 1 to 4, and of rows that are repeated that often. Prints a Markdown table. Each fit has a
process of its own and one thread.

usage: LABELSIEVE_LIBRARY=build-bench/liblabelsieve.so PYTHONPATH=python bench/weights.py [--rows 20000]
"""
import argparse
import json
import subprocess
import sys

METHODS = {"forest": {"trees": 50}, "mlp-noise": {"members": 1, "epochs": 5, "depth": 2},
           "blend": {"trees": 30, "epochs": 3, "width": 64}}

WORK = """
import json, sys, time
import numpy as np
from labelsieve import LabelSieveClassifier, make_crowd
method, options, how, rows = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4])
crowd = make_crowd(rows=rows, features=100, labels=20, seed=1)
X, y = np.array(crowd.X), crowd.y.copy()
del crowd
random = np.random.default_rng(1)
whole = random.integers(1, 5, rows)
def memory(which):
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith(which)).split()[1]) / 1024
open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
held, before = memory("VmRSS"), time.process_time()
if how == "repeated":
    X, y = np.repeat(X, whole, axis=0), y[np.repeat(np.arange(rows), whole)]
weight = {"float": random.uniform(0.1, 4, rows), "whole": whole}.get(how)
LabelSieveClassifier(method, options=options, n_jobs=1).fit(X, y, sample_weight=weight)
print(json.dumps([time.process_time() - before, memory("VmHWM") - held]))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--methods", default=",".join(METHODS))
    asked = parser.parse_args()
    print("| | no weights | float weights | whole weights, 1 to 4 | rows repeated |\n|---|---|---|---|---|")
    for method in asked.methods.split(","):
        cells = []
        for how in ("none", "float", "whole", "repeated"):
            ran = subprocess.run([sys.executable, "-c", WORK, method, json.dumps(METHODS[method]), how,
                                  str(asked.rows)], check=True, capture_output=True, text=True)
            seconds, memory = json.loads(ran.stdout)
            cells.append(f"{seconds:.1f} s, {memory:.0f} MB")
        print(f"| {method} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
