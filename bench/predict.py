#!/usr/bin/python3
"""`sieve predict` from a file to a file of scores, beside the matrix products alone.

usage: predict.py <sieve> <predict_bench> [--rows N] [--rounds N] [--threads N]

The model is the default one (three members, two hidden layers of 256 units). The products alone
are its forward passes over rows that are ready in memory, with the same threads. All take turns,
the best time of each counts; the files are in the page cache by then. Processor seconds are of all
threads together: where other programs want the machine too, their share is the one to look at.
"""
import argparse
import os
import subprocess
import tempfile
import time

FEATURES = 100
FORMATS = ("csv", "sieve", "svm", "mat")


class Cost:
    """The least seconds and processor seconds of some runs, and the most memory in MB."""
    def __init__(self):
        self.seconds = self.processor = float("inf")
        self.peak = 0

    def add(self, seconds, processor, peak):
        self.seconds = min(self.seconds, seconds)
        self.processor = min(self.processor, processor)
        self.peak = max(self.peak, peak)

    def run(self, command, out):
        start = time.perf_counter()
        with open(out, "wb") as file:
            process = subprocess.Popen(command, stdout=file)
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed")
        self.add(time.perf_counter() - start, usage.ru_utime + usage.ru_stime,
                 usage.ru_maxrss / 1024)


def make_files(sieve, folder, rows):
    def run(*words):
        subprocess.run([sieve, *words, "--force"], check=True, stdout=subprocess.DEVNULL)
    def made(name, count):
        path = os.path.join(folder, name)
        run("synth", "--rows", str(count), "--features", str(FEATURES), "--out", path)
        return path
    model = os.path.join(folder, "model")
    run("train", made("small.csv", 2000), "--out", model, "--quiet",
        "--method", "pml-gan", "--set", "depth=2,epochs=2,noise-share=0.85")
    files = {"csv": made("rows.csv", rows)}
    for kind in FORMATS[1:]:
        files[kind] = os.path.join(folder, "rows." + kind)
        run("convert", files["csv"], files[kind], "--labels", "candidates")
    return model, files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sieve")
    parser.add_argument("products")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    threads = str(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        model, files = make_files(args.sieve, folder, args.rows)
        out = os.path.join(folder, "scores.csv")
        products, costs = Cost(), {kind: Cost() for kind in files}
        for _ in range(args.rounds):
            told = subprocess.run([args.products, model, str(args.rows), threads], check=True,
                                  capture_output=True, text=True).stdout
            products.add(*map(float, told.split()), 0)
            for kind, path in files.items():
                costs[kind].run([args.sieve, "predict", model, path, "--quiet",
                                 "--threads", threads], out)
        sizes = {kind: os.path.getsize(path) / 1e6 for kind, path in files.items()}
    print(f"predict, {args.rows} rows x {FEATURES} features, {threads} threads")
    print(f"{'from':24} | {'seconds':>8} | of products | {'processor':>9} | of products | peak memory")
    print(f"{'matrix products alone':24} | {products.seconds:8.2f} | {'':11} |"
          f" {products.processor:9.2f} |")
    for kind, cost in costs.items():
        print(f"{kind:5} {f'({sizes[kind]:.0f} MB)':18} | {cost.seconds:8.2f} |"
              f" {100 * products.seconds / cost.seconds:9.0f} % | {cost.processor:9.2f} |"
              f" {100 * products.processor / cost.processor:9.0f} % | {cost.peak:8.0f} MB")


main()
