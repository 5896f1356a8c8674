#!/usr/bin/python3
"""One PML-GAN iteration (m = 64, n = 1024, k = 1): milliseconds, share of the FMA peak measured in
the same run, and the ratio to PyTorch where it is installed.

usage: bench/iteration.py path/to/iteration_bench [--shapes a b c] [--widths 128 256 512]
                          [--threads 1 2] [--rounds 5] [--seconds 1]

The two sides take turns, `rounds` times for `seconds` each, and the fastest iteration of each
counts. With one thread processor time is compared, with more elapsed time.
"""
import argparse
import importlib.util
import os
import resource
import subprocess
import sys
import time

SHAPES = {"a": (98, 11), "b": (500, 15), "c": (1001, 15)}
ROWS, PRIOR, DATA, BETA = 64, 1024, 2048, 0.1

class TorchIteration:
    """The same mathematics in eager PyTorch. `rows` makes other data than dense random rows."""

    def __init__(self, features, labels, width, threads, rows=None):
        import torch
        torch.set_num_threads(threads)
        torch.set_flush_denormal(True)
        torch.manual_seed(0)
        self.torch = torch
        nn = torch.nn

        def slope():
            return nn.LeakyReLU(0.01, inplace=True)

        def three_layers(outputs):
            return nn.Sequential(nn.Linear(features, width), slope(),
                                 nn.Linear(width, width), slope(), nn.Linear(width, outputs))

        middle = []
        for _ in range(3):
            middle += [nn.Linear(width, width), nn.BatchNorm1d(width), slope()]
        self.predictor, self.disambiguator = three_layers(labels), three_layers(labels)
        self.discriminator = three_layers(1)
        self.generator = nn.Sequential(nn.Linear(labels, width), slope(), *middle,
                                       nn.Linear(width, features), nn.Tanh())
        main = [p for net in (self.generator, self.disambiguator, self.predictor)
                for p in net.parameters()]
        self.main_adam = torch.optim.Adam(main, lr=1e-3)
        self.critic_adam = torch.optim.Adam(self.discriminator.parameters(), lr=1e-3)
        self.features = rows(torch) if rows else torch.rand(DATA, features) * 2 - 1
        self.candidates = (torch.rand(len(self.features), labels) < 0.3).float()
        self.labels = labels

    def run(self):
        torch, functional = self.torch, self.torch.nn.functional
        rows = torch.randint(0, len(self.features), (ROWS,))
        x, y = self.features[rows], self.candidates[rows]

        self.discriminator.requires_grad_(False)
        confidence = torch.relu(y - torch.sigmoid(self.disambiguator(x)))
        fake = self.discriminator(self.generator(torch.rand(PRIOR, self.labels)))
        loss = (functional.binary_cross_entropy_with_logits(
                    self.predictor(x), confidence, reduction="sum") / ROWS
                + ((self.generator(confidence) - x) ** 2).sum() / ROWS
                - BETA * functional.softplus(fake).mean())
        self.main_adam.zero_grad(set_to_none=True)
        loss.backward()
        self.main_adam.step()

        self.discriminator.requires_grad_(True)
        with torch.no_grad():
            generated = self.generator(torch.rand(PRIOR, self.labels))
        loss = (functional.softplus(-self.discriminator(x)).mean()
                + functional.softplus(self.discriminator(generated)).mean())
        self.critic_adam.zero_grad(set_to_none=True)
        loss.backward()
        self.critic_adam.step()


def serve(iteration, threads, warm_up=3):
    """The PyTorch side, a process of its own: for each line of seconds, the milliseconds of the
    fastest iteration and the peak memory so far in MB."""
    clock = time.process_time if threads == 1 else time.perf_counter
    for _ in range(warm_up):
        iteration.run()
    for line in sys.stdin:
        best, end = float("inf"), time.perf_counter() + float(line)
        while best == float("inf") or time.perf_counter() < end:
            before = clock()
            iteration.run()
            best = min(best, clock() - before)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024e-6
        print(best * 1e3, peak, flush=True)


def best_setting(threads):
    """Threads fixed before PyTorch starts and, where the processor has it, AVX-512: PyTorch does not
    use it unasked, and OpenBLAS falls back to SSE on processors younger than itself. With
    SIEVE_TARGET=avx2 both sides have AVX2."""
    with open("/proc/cpuinfo", encoding="ascii") as cpu:
        wide = " avx512f " in cpu.read() and os.environ.get("SIEVE_TARGET", "avx512") == "avx512"
    kernels = ({"ATEN_CPU_CAPABILITY": "avx512", "OPENBLAS_CORETYPE": "SKYLAKEX"} if wide else
               {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "HASWELL"})
    return {**os.environ, **kernels, "OMP_NUM_THREADS": str(threads)}


class TorchProcess:
    """PyTorch at its best setting: a script that calls serve()."""

    def __init__(self, script, *numbers, threads):
        command = [sys.executable, script, "--serve", *map(str, (*numbers, threads))]
        self.process = subprocess.Popen(command, env=best_setting(threads), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def fastest(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return map(float, self.process.stdout.readline().split())

    def close(self):
        self.process.communicate()


def ours(program, shape, width, threads, seconds):
    """Milliseconds, 10^9 operations an iteration, FMA peak in 10^9 a second."""
    command = [program, *map(str, (*shape, width, threads, seconds))]
    return map(float, subprocess.run(command, check=True, capture_output=True,
                                     text=True).stdout.split())


def measure(args, with_torch, shape, width, threads, peaks):
    """`peaks` keeps the largest FMA peak seen so far for each number of threads."""
    other = TorchProcess(__file__, *shape, width, threads=threads) if with_torch else None
    our_best, torch_best = float("inf"), float("inf")
    for _ in range(args.rounds):
        milliseconds, operations, peak = ours(args.program, shape, width, threads, args.seconds)
        our_best = min(our_best, milliseconds)
        peaks[threads] = max(peaks.get(threads, 0.0), peak)
        if other:
            milliseconds, _ = other.fastest(args.seconds)
            torch_best = min(torch_best, milliseconds)
    if other:
        other.close()
    share = operations / (our_best * 1e-3) / peaks[threads]
    line = f"{width:5d} {threads:7d} {our_best:8.2f} {100 * share:9.0f} % {peaks[threads]:9.0f}"
    return line + (f" {torch_best:10.2f} {torch_best / our_best:6.2f}x" if other else "")


def main():
    if sys.argv[1:2] == ["--serve"]:
        numbers = [int(number) for number in sys.argv[2:]]
        return serve(TorchIteration(*numbers), numbers[-1])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--widths", nargs="+", type=int, default=[128, 256, 512])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    args = parser.parse_args()
    torch = importlib.util.find_spec("torch") is not None
    if not torch:
        print("python3-torch is not installed: no comparison")
    print("shape width threads     ours  of peak    peak GF/s" + ("    PyTorch   ratio" if torch else ""))
    peaks = {}
    for shape in args.shapes:
        for width in args.widths:
            for threads in args.threads:
                print(f"{shape:>5}", measure(args, torch, SHAPES[shape], width, threads, peaks),
                      flush=True)


if __name__ == "__main__":
    main()
