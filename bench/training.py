#!/usr/bin/python3
"""Training PML-GAN end to end with the game always played, beside the same recipe in PyTorch.

usage: training.py <sieve>

Ours is timed whole: reading, choosing depth and noise share, training the members, writing the
model. For PyTorch some epochs are timed and multiplied by the number of epochs that ours really
ran, as its log tells: of the predictor alone while choosing (the mean over the depths), of all four
networks after that. PyTorch trains one member after another, at the better of one and of all
threads. The yeast set is used where LABELSIEVE_DATA names the folder of data sets, else a made-up
one of its shape.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from iteration import best_setting

WIDTH, BATCH, BETA, SHARE, EPOCHS_TIMED = 256, 64, 0.1, 0.5, 3


class TorchRecipe:
    """Batches of the same mathematics in eager PyTorch: docs/methods/pml-gan.md, calibrated."""

    def __init__(self, rows, features, labels):
        import torch
        torch.set_flush_denormal(True)
        torch.manual_seed(0)
        self.torch, self.rows = torch, rows
        self.sizes = features, labels
        self.held = rows // 5
        self.x = torch.rand(rows, features) * 2 - 1
        self.y = (torch.rand(rows, labels) < 0.3).float()
        self.centre = self.x.mean(0)
        self.log_rate = torch.full((labels,), -1.5)
        self.variance = self.x.var(0).sum()

    def labeller(self, depth):
        nn, (features, labels) = self.torch.nn, self.sizes
        width, layers, inputs = WIDTH * (2 if depth == 1 else 1), [], features
        for _ in range(depth):
            layers += [nn.Linear(inputs, width), nn.LeakyReLU(0.2, inplace=True), nn.Dropout(0.5)]
            inputs = width
        return nn.Sequential(*layers, nn.Linear(inputs, labels))

    def adversaries(self):
        nn, (features, labels) = self.torch.nn, self.sizes
        slope, layers, inputs = nn.LeakyReLU(0.2, inplace=True), [nn.Linear(labels, 128)], 128
        layers += [slope]
        for _ in range(3):
            layers += [nn.Linear(inputs, WIDTH), nn.BatchNorm1d(WIDTH), slope]
            inputs = WIDTH
        generator = nn.Sequential(*layers, nn.Linear(WIDTH, features), nn.Tanh())
        discriminator = nn.Sequential(nn.Linear(features, WIDTH), slope, nn.Linear(WIDTH, WIDTH),
                                      slope, nn.Linear(WIDTH, 1))
        return generator, discriminator

    def start(self, depth, whole):
        adam = self.torch.optim.Adam
        self.f = self.labeller(depth)
        self.average = [p.detach().clone() for p in self.f.parameters()]
        parameters = list(self.f.parameters())
        if whole:
            self.noise = self.labeller(2)
            self.g, self.d = self.adversaries()
            parameters += [*self.noise.parameters(), *self.g.parameters()]
            self.d_adam = adam(self.d.parameters(), lr=1e-3, betas=(0.5, 0.999))
        self.adam = adam(parameters, lr=1e-3)
        self.step = self.whole_step if whole else self.plain_step

    def cross_entropy(self, logits, target):
        return self.torch.nn.functional.binary_cross_entropy_with_logits(logits, target,
                                                                         reduction="none")

    def update(self, adam, loss):
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()

    def plain_step(self, x, y):
        f = self.f(x - self.centre)
        target = y * (1 - self.torch.sigmoid(self.log_rate - f.detach()))
        self.update(self.adam, self.cross_entropy(f, target).sum(1).mean())

    def whole_step(self, x, y):
        torch, softplus = self.torch, self.torch.nn.functional.softplus
        f, a = self.f(x - self.centre), self.noise(x - self.centre)
        z = y * torch.sigmoid(-a)
        belief = torch.sigmoid(self.log_rate - f.detach())
        target = y * (1 - SHARE * torch.sigmoid(a.detach()) - (1 - SHARE) * belief)
        self.d.requires_grad_(False)
        prior = torch.bernoulli(z.detach()[torch.randint(0, len(x), (BATCH,))])
        loss = (self.cross_entropy(f, target).sum(1).mean()
                + 3 * (y * self.cross_entropy(a, belief)).sum(1).mean()
                + 0.5 * ((self.g(z) - x) ** 2).sum(1).mean() / self.variance
                + BETA * softplus(-self.d(self.g(prior) - self.centre)).mean())
        self.update(self.adam, loss)
        self.d.requires_grad_(True)
        prior = torch.bernoulli(z.detach()[torch.randint(0, len(x), (BATCH,))])
        with torch.no_grad():
            made = self.g(prior) - self.centre
        self.update(self.d_adam, softplus(-self.d(x - self.centre)).mean()
                    + softplus(self.d(made)).mean())

    def epoch(self):
        torch = self.torch
        self.f.train()
        for rows in (torch.randperm(self.rows - self.held) + self.held).split(BATCH):
            self.step(self.x[rows], self.y[rows])
            with torch.no_grad():
                for mean, now in zip(self.average, self.f.parameters()):
                    mean.lerp_(now, 0.01)
        self.f.eval()
        with torch.no_grad():
            self.cross_entropy(self.f(self.x[:self.held] - self.centre), self.y[:self.held]).mean()

    def seconds_an_epoch(self, depth, whole):
        self.start(depth, whole)
        self.epoch()
        times = []
        for _ in range(EPOCHS_TIMED):
            before = time.perf_counter()
            self.epoch()
            times.append(time.perf_counter() - before)
        return min(times)


def serve(rows, features, labels, depth):
    """The PyTorch side: seconds of an epoch of the predictor alone (mean) and of all networks."""
    recipe = TorchRecipe(rows, features, labels)
    plain = [recipe.seconds_an_epoch(d, whole=False) for d in range(3)]
    print(sum(plain) / len(plain), recipe.seconds_an_epoch(depth, whole=True))


def torch_seconds(shape, depth, plain_epochs, whole_epochs):
    command = [sys.executable, __file__, "--serve", *map(str, (*shape, depth))]
    totals = {}
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        plain, whole = map(float, subprocess.run(command, check=True, capture_output=True, text=True,
                                                 env=best_setting(threads)).stdout.split())
        totals[threads] = plain * plain_epochs + whole * whole_epochs
    return min(totals.items(), key=lambda entry: entry[1])


def ours(sieve, data, folder):
    """Seconds of the best of two runs, what the model says of itself, and the log."""
    model, log = os.path.join(folder, "model"), os.path.join(folder, "log.jsonl")
    command = [sieve, "train", data, "--out", model, "--log", log, "--quiet", "--json", "--force",
               "--method", "pml-gan", "--set", f"share={SHARE}"]
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        best = min(best, time.perf_counter() - start)
    with open(log, encoding="utf-8") as lines:
        return best, json.loads(told), [json.loads(line) for line in lines]


def data_file(sieve, folder):
    real = os.environ.get("LABELSIEVE_DATA")
    if real:
        return os.path.join(real, "yeast"), "yeast"
    path = os.path.join(folder, "like-yeast.csv")
    subprocess.run([sieve, "synth", "--rows", "2417", "--features", "103", "--labels", "14", "--out",
                    path], check=True, stdout=subprocess.DEVNULL)
    return path, "a set like yeast"


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(*map(int, sys.argv[2:]))
    sieve = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        data, name = data_file(sieve, folder)
        seconds, told, log = ours(sieve, data, folder)
    shape = told["rows"], told["features"], told["labels"]
    plain = sum(line["members"] for line in log if "L_g" not in line)
    whole = sum(line["members"] for line in log if "L_g" in line)
    depth = told["notes"]["depth"]
    print(f"training PML-GAN on {name}: {shape[0]} rows, {shape[1]} features, {shape[2]} labels,"
          f" depth {depth}")
    print(f"epochs: {plain:.0f} of the predictor alone, {whole:.0f} of all networks")
    print(f"ours     {seconds:8.2f} s")
    try:
        threads, total = torch_seconds(shape, depth, plain, whole)
    except subprocess.CalledProcessError as error:
        print(f"PyTorch could not be timed: {error.stderr.strip().splitlines()[-1]}")
        return
    print(f"PyTorch  {total:8.2f} s, {EPOCHS_TIMED} epochs of each kind timed and scaled,"
          f" {threads} threads")
    print(f"ours takes {seconds / total:.3f} of PyTorch's time ({total / seconds:.1f}x)")


if __name__ == "__main__":
    main()
