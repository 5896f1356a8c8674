#!/usr/bin/python3
"""How the cost of a row grows with the number of rows, on mapped data of 100 features, 15 labels.

usage: long.py <sieve> [--rows N] [--folder F]

Converts, trains one epoch, predicts and cleans out of fold at three sizes up to N, each in a process
of its own. The yardstick is the smallest size with the features in memory. Processor time counts
(user and system, all threads), because others may use the machine; elapsed time stands beside it.
N rows take about 2.5 kB each on the disk while this runs.
"""
import argparse
import math
import os
import subprocess
import tempfile
import time

FEATURES, LABELS, SOURCE_ROWS = 100, 15, 20000
NETWORK = ["--method", "mlp-noise", "--quiet"]
for setting in ("members=1", "depth=0", "noise-share=0.85", "epochs=1"):
    NETWORK += ["--set", setting]


def run(command, source=None):
    """Seconds of the processors, elapsed seconds, and the largest resident set in MB."""
    start = time.perf_counter()
    with open(source or os.devnull, "rb") as given:
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1000


def make_table(sieve, path, rows):
    """A CSV file of so many rows: a small set again and again."""
    small = path + ".small.csv"
    run([sieve, "synth", "--out", small, "--rows", str(SOURCE_ROWS), "--features", str(FEATURES),
         "--labels", str(LABELS), "--force"])
    with open(small, "rb") as given, open(path, "wb") as out:
        head = given.readline()
        lines = given.read().splitlines(keepends=True)
        out.write(head)
        body = b"".join(lines)
        for _ in range(rows // SOURCE_ROWS):
            out.write(body)
        out.writelines(lines[:rows % SOURCE_ROWS])
    os.remove(small)


def work(sieve, folder, data, table):
    """The commands of each verb on the file `data` ("-" is standard input)."""
    model, out = os.path.join(folder, "m.model"), os.path.join(folder, "out.")
    return {
        "convert": [sieve, "convert", table, out + "sieve", "--force"],
        "train": [sieve, "train", data, "--out", model, "--force", *NETWORK],
        "predict": [sieve, "predict", model, data, "--out", out + "csv", "--force", "--quiet"],
        "clean": [sieve, "clean", data, "--folds", "2", "--out", out + "sieve", "--force",
                  *NETWORK],
    }


def measure(sieve, folder, rows, rounds):
    """The cost of each verb with mapped data; and in memory, where `rounds` is more than one."""
    table, data = os.path.join(folder, "set.csv"), os.path.join(folder, "set.sieve")
    make_table(sieve, table, rows)
    run([sieve, "convert", table, data, "--force"])
    mapped, memory = {}, {}
    for _ in range(rounds):
        for verb, command in work(sieve, folder, data, table).items():
            mapped.setdefault(verb, []).append(run(command))
        if rounds > 1:
            for verb, command in work(sieve, folder, "-", table).items():
                all_at_once = ["--keep-labels", str(LABELS)] if verb == "convert" else []
                memory.setdefault(verb, []).append(run(command + all_at_once, data))
    os.remove(table)
    return ({verb: min(taken) for verb, taken in mapped.items()},
            {verb: min(taken) for verb, taken in memory.items()})


def exponent(sizes, costs):
    """The slope of the line through the logarithms."""
    x, y = [math.log(s) for s in sizes], [math.log(c) for c in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def print_row(rows, how, verb, cost, base):
    processor, elapsed, peak = cost
    ratio = processor / rows / base
    print(f"{rows:>10,} | {how:9} | {verb:8} | {processor / rows * 1e6:8.2f} us |"
          f" {elapsed / rows * 1e6:8.2f} us | {ratio:5.2f}x | {peak:7.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sieve")
    parser.add_argument("--rows", type=int, default=400000)
    parser.add_argument("--folder", help="where to keep the files meanwhile")
    options = parser.parse_args()
    least = max(options.rows // 100, 100000)
    middle = round(math.sqrt(least * options.rows))
    sizes = [least, middle, options.rows]
    print(f"{'rows':>10} | {'features':9} | {'verb':8} | {'processor':>11} | {'elapsed':>11} |"
          f" {'ratio':>6} | {'resident':>10}")
    costs, base = [], {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for rows, rounds in zip(sizes, (3, 1, 1)):
            mapped, memory = measure(options.sieve, folder, rows, rounds)
            for verb, cost in memory.items():
                base[verb] = cost[0] / rows
                print_row(rows, "in memory", verb, cost, base[verb])
            for verb, cost in mapped.items():
                print_row(rows, "mapped", verb, cost, base[verb])
            costs.append(mapped)
    for verb in base:
        by_verb = [cost[verb] for cost in costs]
        print(f"{verb}: time grows as rows ^ {exponent(sizes, [c[0] for c in by_verb]):.3f}"
              f" (elapsed: {exponent(sizes, [c[1] for c in by_verb]):.3f})")


main()
