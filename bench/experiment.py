#!/usr/bin/python3
"""How busy an experiment keeps the cores, and what the store and the dealing of tasks cost.

usage: experiment.py <path of sieve>

A plan on made-up data; wall time beside the sum of the times of its tasks.
"""
import os
import sys

from crowd_experiment import crowd, experiment

SIEVE = os.path.abspath(sys.argv[1])
METHODS = """
[[method]]
name = "mlp"
set = { epochs = 10, members = 1, depth = 1 }
[[method]]
name = "mlp-noise"
set = { epochs = 10, members = 1, depth = 1 }
"""

with crowd(SIEVE, rows=2000, repeats=20, methods=METHODS):
    print("jobs    tasks  wall s  tasks s  wall / (tasks / jobs)")
    for jobs in (1, os.cpu_count()):
        ran = experiment([SIEVE], jobs, f"{jobs}.db")
        wall, tasks = ran["wall_seconds"], ran["task_seconds"]
        print(f"{jobs:4} {ran['done']:8} {wall:7.2f} {tasks:8.2f} {wall / (tasks / jobs):22.4f}")
