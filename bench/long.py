#!/usr/bin/python3
"""How the cost of a row grows with the number of rows, on mapped data of 100 features, 15 labels.

usage: long.py <sieve> [--rows N] [--folder F]

Converts a table, trains one epoch on it, predicts and cleans out of fold at three sizes up to N, each
in a process of its own. The yardstick is 100,000 rows that are in memory. Processor time counts, user
and system, because others may use the machine; of one thread, because several that wait for each
other would add to it. A mapped file is read once before a verb works on it: on a virtual machine
pages that are new in the page cache cost processor time, up to half as much as a training, whoever
reads them first. A row takes about 1.2 kB of disk while this runs.
"""
import argparse
import math
import os
import sys
import tempfile

from costs import Cost, exponent, run

FEATURES, LABELS, SOURCE_ROWS, YARDSTICK = 100, 15, 20000, 100000
NETWORK = ["--method", "mlp-noise"]
for setting in ("members=1", "depth=0", "noise-share=0.85", "epochs=1"):
    NETWORK += ["--set", setting]
END = ["--threads", "1", "--force", "--quiet"]


def small_table(sieve, folder):
    """The lines of a CSV file."""
    path = os.path.join(folder, "small.csv")
    run([sieve, "synth", "--out", path, "--rows", str(SOURCE_ROWS), "--features", str(FEATURES),
         "--labels", str(LABELS)])
    with open(path, "rb") as given:
        return given.read().splitlines(keepends=True)


def long_table(lines, rows):
    """The text of `rows` rows: the same again and again."""
    yield lines[0]
    body = b"".join(lines[1:])
    for _ in range(rows // SOURCE_ROWS):
        yield body
    yield b"".join(lines[1:1 + rows % SOURCE_ROWS])


def contents(path):
    with open(path, "rb") as given:
        while piece := given.read(1 << 20):
            yield piece


def read_once(path):
    """Nothing, once the file is in the page cache, as far as it fits there."""
    for _ in contents(path):
        pass
    return ()


def measure(sieve, folder, lines, rows, in_memory):
    """The cost of each verb, with mapped features or with features in memory."""
    data, model, out = (os.path.join(folder, name) for name in ("set.sieve", "m.model", "out."))
    source = "-" if in_memory else data
    at_once = ["--keep-labels", str(LABELS)] if in_memory else []
    commands = {
        "convert": [sieve, "convert", "-", data, "--format", "csv", *at_once, *END],
        "train": [sieve, "train", source, "--out", model, *NETWORK, *END],
        "predict": [sieve, "predict", model, source, "--out", out + "csv", *END],
        "clean": [sieve, "clean", source, "--folds", "2", "--out", out + "sieve", *NETWORK, *END],
    }

    def feed(verb):
        if verb == "convert":
            return long_table(lines, rows)
        return contents(data) if in_memory else read_once(data)

    return {verb: run(command, feed(verb)) for verb, command in commands.items()}


def mean(costs):
    processor, elapsed, resident = zip(*costs)
    return Cost(sum(processor) / len(costs), sum(elapsed) / len(costs), max(resident))


def measure_all(sieve, folder, sizes):
    """The mean cost of each (rows, how, verb). Small runs lie between the large ones, so that hours
    in which the machine is slow count for both."""
    lines = small_table(sieve, folder)
    small = [(sizes[0], "in memory"), (sizes[0], "mapped")]
    taken = {}
    for rows, how in small * 2 + [step for size in sizes[1:] for step in
                                  [(size, "mapped"), *small * 2]]:
        for verb, cost in measure(sieve, folder, lines, rows, how == "in memory").items():
            taken.setdefault((rows, how, verb), []).append(cost)
            print(f"{rows:,} rows {how}, {verb}: {cost.processor:.2f} s, {cost.resident:.0f} MB",
                  file=sys.stderr, flush=True)
    return {key: mean(costs) for key, costs in taken.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sieve")
    parser.add_argument("--rows", type=int, default=400000)
    parser.add_argument("--folder", help="where to keep the files meanwhile")
    options = parser.parse_args()
    sizes = [YARDSTICK, round(math.sqrt(YARDSTICK * options.rows)), options.rows]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        costs = measure_all(options.sieve, folder, sizes)
    print(f"{'rows':>10} | {'features':9} | {'verb':8} | {'processor':>11} | {'elapsed':>11} |"
          f" {'ratio':>6} | {'resident':>10}")
    for (rows, how, verb), cost in costs.items():
        base = costs[YARDSTICK, "in memory", verb].processor / YARDSTICK
        print(f"{rows:>10,} | {how:9} | {verb:8} | {cost.processor / rows * 1e6:8.2f} us |"
              f" {cost.elapsed / rows * 1e6:8.2f} us | {cost.processor / rows / base:5.2f}x |"
              f" {cost.resident:7.0f} MB")
    for verb in ("convert", "train", "predict", "clean"):
        line = [costs[rows, "mapped", verb] for rows in sizes]
        print(f"{verb}: time grows as rows ^ {exponent(sizes, [c.processor for c in line]):.3f}"
              f" (elapsed: {exponent(sizes, [c.elapsed for c in line]):.3f})")


main()
