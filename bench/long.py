#!/usr/bin/python3
"""How the cost of a row grows with the number of rows, on mapped data of 100 features, 15 labels.

usage: long.py <sieve> [--rows N] [--folder F]

Converts, trains one epoch, predicts and cleans out of fold at three sizes up to N, each in a process
of its own. The yardstick is the smallest size with the features in memory. Processor time counts
(user and system, all threads), because others may use the machine; elapsed time stands beside it.
A row takes about 1.2 kB of disk while this runs.
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


def run(command, feed=()):
    """Seconds of the processors, elapsed seconds, and the largest resident set in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    with process.stdin as given:
        for piece in feed:
            given.write(piece)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1000


def small_table(sieve, folder):
    """The lines of a CSV file."""
    path = os.path.join(folder, "small.csv")
    run([sieve, "synth", "--out", path, "--rows", str(SOURCE_ROWS), "--features", str(FEATURES),
         "--labels", str(LABELS)])
    with open(path, "rb") as given:
        return given.read().splitlines(keepends=True)


def long_table(lines, rows):
    """The text of so many rows: the same again and again."""
    yield lines[0]
    body = b"".join(lines[1:])
    for _ in range(rows // SOURCE_ROWS):
        yield body
    yield b"".join(lines[1:1 + rows % SOURCE_ROWS])


def contents(path):
    with open(path, "rb") as given:
        while piece := given.read(1 << 20):
            yield piece


def measure(sieve, folder, lines, rows, in_memory):
    """The cost of each verb, with mapped features or with features in memory."""
    data, model, out = (os.path.join(folder, name) for name in ("set.sieve", "m.model", "out."))
    source = "-" if in_memory else data
    at_once = ["--keep-labels", str(LABELS)] if in_memory else []

    def feed():
        return contents(data) if in_memory else ()

    return {
        "convert": run([sieve, "convert", "-", data, "--format", "csv", "--force", *at_once],
                       long_table(lines, rows)),
        "train": run([sieve, "train", source, "--out", model, "--force", *NETWORK], feed()),
        "predict": run([sieve, "predict", model, source, "--out", out + "csv", "--force",
                        "--quiet"], feed()),
        "clean": run([sieve, "clean", source, "--folds", "2", "--out", out + "sieve", "--force",
                      *NETWORK], feed()),
    }


def best(rounds):
    return {verb: min(taken[verb] for taken in rounds) for verb in rounds[0]}


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
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        lines = small_table(options.sieve, folder)

        def cost(rows, in_memory, rounds):
            return best([measure(options.sieve, folder, lines, rows, in_memory)
                         for _ in range(rounds)])

        memory = cost(least, True, 3)
        base = {verb: taken[0] / least for verb, taken in memory.items()}
        for verb, taken in memory.items():
            print_row(least, "in memory", verb, taken, base[verb])
        costs = []
        for rows, rounds in zip(sizes, (3, 1, 1)):
            costs.append(cost(rows, False, rounds))
            for verb, taken in costs[-1].items():
                print_row(rows, "mapped", verb, taken, base[verb])
    for verb in base:
        by_verb = [cost[verb] for cost in costs]
        print(f"{verb}: time grows as rows ^ {exponent(sizes, [c[0] for c in by_verb]):.3f}"
              f" (elapsed: {exponent(sizes, [c[1] for c in by_verb]):.3f})")


main()
