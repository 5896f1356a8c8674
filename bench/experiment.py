#!/usr/bin/python3
"""How busy an experiment keeps the cores, and what the store and the dealing of tasks cost.

usage: experiment.py <path of sieve>

A plan on made-up data; wall time beside the sum of the times of its tasks.
"""
import json
import os
import subprocess
import sys
import tempfile

SIEVE = os.path.abspath(sys.argv[1])
PLAN = """
repeats = 20
[[data]]
name = "crowd"
folder = "crowd.arff"
[[method]]
name = "mlp"
set = { epochs = 10, members = 1, depth = 1 }
[[method]]
name = "mlp-noise"
set = { epochs = 10, members = 1, depth = 1 }
"""


def sieve(*words):
    return subprocess.run([SIEVE, *words], check=True, capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("plan.toml", "w") as plan:
        plan.write(PLAN)
    sieve("synth", "--out", "crowd.arff", "--rows", "2000")
    print("jobs    tasks  wall s  tasks s  wall / (tasks / jobs)")
    for jobs in (1, os.cpu_count()):
        ran = json.loads(sieve("experiment", "plan.toml", "--data", ".", "--jobs", str(jobs),
                               "--store", f"{jobs}.db", "--quiet", "--json"))
        wall, tasks = ran["wall_seconds"], ran["task_seconds"]
        print(f"{jobs:4} {ran['done']:8} {wall:7.2f} {tasks:8.2f} {wall / (tasks / jobs):22.4f}")
