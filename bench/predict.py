#!/usr/bin/python3
"""`sieve predict` from a file to a file of scores, beside the matrix products alone.

usage: predict.py <sieve> <predict_bench> [--rows N] [--rounds N]

The model is the default one (three members, two hidden layers of 256 units). The products alone
are its forward passes over rows that are ready in memory, with the same threads. All take turns,
the best time of each counts; the files are in the page cache by then.
"""
import argparse
import os
import subprocess
import tempfile
import time

FEATURES = 100
FORMATS = ("csv", "svm", "mat")


def timed(command, out):
    """Seconds and peak memory in MB."""
    start = time.perf_counter()
    with open(out, "wb") as file:
        process = subprocess.Popen(command, stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def make_files(sieve, folder, rows):
    def run(*words):
        subprocess.run([sieve, *words, "--force"], check=True, stdout=subprocess.DEVNULL)
    def made(name, count):
        path = os.path.join(folder, name)
        run("synth", "--rows", str(count), "--features", str(FEATURES), "--out", path)
        return path
    model = os.path.join(folder, "model")
    run("train", made("small.csv", 2000), "--out", model, "--quiet",
        "--set", "depth=2,epochs=2,noise-share=0.85")
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
    args = parser.parse_args()
    threads = str(len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        model, files = make_files(args.sieve, folder, args.rows)
        out = os.path.join(folder, "scores.csv")
        products, best, peak = float("inf"), dict.fromkeys(files, float("inf")), {}
        for _ in range(args.rounds):
            command = [args.products, model, str(args.rows), threads]
            products = min(products, float(subprocess.run(command, check=True, capture_output=True,
                                                          text=True).stdout))
            for kind, path in files.items():
                seconds, peak[kind] = timed([args.sieve, "predict", model, path, "--quiet",
                                             "--threads", threads], out)
                best[kind] = min(best[kind], seconds)
        sizes = {kind: os.path.getsize(path) / 1e6 for kind, path in files.items()}
    print(f"predict, {args.rows} rows x {FEATURES} features, {threads} threads")
    print(f"{'from':24} | {'seconds':>8} | {'rows/s':>9} | of products | peak memory")
    print(f"{'matrix products alone':24} | {products:8.2f} | {args.rows / products:9.0f} |")
    for kind, seconds in best.items():
        print(f"{kind:3} {f'({sizes[kind]:.0f} MB)':20} | {seconds:8.2f} |"
              f" {args.rows / seconds:9.0f} | {100 * products / seconds:9.0f} % |"
              f" {peak[kind]:7.0f} MB", flush=True)


main()
