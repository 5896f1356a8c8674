#!/usr/bin/python3
"""One PML-GAN iteration on features too many to write out (49060, 100 of them not 0 in a row; m = 64,
n = 1024, h = 256, k = 1): milliseconds, share of the FMA peak measured in the same run and peak
memory, beside PyTorch's dense step where it is installed.

usage: bench/wide.py path/to/wide_bench [--threads 1 2] [--rounds 5] [--seconds 3]

The two sides take turns, `rounds` times for `seconds` each, and the fastest iteration of each
counts. With one thread processor time is compared, with more elapsed time.
"""
import argparse
import importlib.util
import subprocess
import sys

import iteration

FEATURES, ENTRIES, LABELS, WIDTH, DATA = 49060, 100, 15, 256, 256


def sparse_rows(torch):
    rows = torch.zeros(DATA, FEATURES)
    rows.scatter_(1, torch.randint(0, FEATURES, (DATA, ENTRIES)), torch.rand(DATA, ENTRIES))
    return rows - rows.mean(0)  # ours takes the mean off too


def serve(threads):
    iteration.serve(iteration.TorchIteration(FEATURES, LABELS, WIDTH, threads, sparse_rows), threads,
                    warm_up=1)


def ours(program, threads, seconds):
    """Milliseconds, 10^9 operations an iteration, FMA peak in 10^9 a second, peak MB."""
    command = [program, *map(str, (FEATURES, ENTRIES, LABELS, WIDTH, threads, seconds))]
    return map(float, subprocess.run(command, check=True, capture_output=True,
                                     text=True).stdout.split())


def measure(args, with_torch, threads):
    other = iteration.TorchProcess(__file__, threads=threads) if with_torch else None
    best, torch_best, fma_peak, torch_memory = float("inf"), float("inf"), 0.0, 0.0
    for _ in range(args.rounds):
        milliseconds, operations, peak, memory = ours(args.program, threads, args.seconds)
        best, fma_peak = min(best, milliseconds), max(fma_peak, peak)
        if other:
            milliseconds, torch_memory = other.fastest(args.seconds)
            torch_best = min(torch_best, milliseconds)
    if other:
        other.close()
    share = operations / (best * 1e-3) / fma_peak
    line = f"{threads:7d} {best:8.0f} {100 * share:7.0f} % {memory:8.0f}"
    return line + (f" {torch_best:9.0f} {torch_memory:8.0f} {torch_best / best:6.2f}x" if other else "")


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(int(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()
    torch = importlib.util.find_spec("torch") is not None
    print(f"PML-GAN on {FEATURES} sparse features, one iteration")
    print("threads     ours   of peak  peak MB" + ("   PyTorch  peak MB   ratio" if torch else ""))
    for threads in args.threads:
        print(measure(args, torch, threads), flush=True)


if __name__ == "__main__":
    main()
