#!/usr/bin/python3
"""The collapse of PML-GAN's objective, taken to the letter, on a built-in crowd: a plot.

Usage: bench/collapse.py SIEVE OUT.svg

Trains with the paper's objective for several weights of its adversarial loss and with the calibrated
one, and draws after every epoch which share of the candidates the disambiguator leaves (mean z)."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROWS, EPOCHS, SEED = 500, 20, 1
BETAS = (0.001, 0.1, 10)
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 52, 150, 34, 44
STYLE = """
  text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 13px }
  .grid { stroke: #ccc } .line { fill: none; stroke-width: 2 }
  .truth { stroke: #888; stroke-dasharray: 2 4; fill: none; stroke-width: 2 }
  .s0 { stroke: #0b62a4 } .s1 { stroke: #b3560b; stroke-dasharray: 6 3 }
  .s2 { stroke: #7a1fa2; stroke-dasharray: 2 3 } .s3 { stroke: #1b7f3b }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .grid { stroke: #444 }
    .s0 { stroke: #6db3f2 } .s1 { stroke: #f2a65a } .s2 { stroke: #d59bf0 } .s3 { stroke: #7fd99a }
  }
"""


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def shares(sieve, folder, settings):
    """Mean z after each epoch."""
    log = folder / "log.jsonl"
    log.unlink(missing_ok=True)
    options = [word for setting in settings for word in ("--set", setting)]
    run(sieve, "train", folder / "crowd.arff", "--method", "pml-gan", "--seed", SEED, "--log", log,
        "--set", f"epochs={EPOCHS}", "--set", "members=1", *options, "--threads", 1, "--force",
        "--quiet", "--out", folder / "gan.model")
    epochs = [json.loads(line) for line in log.read_text().splitlines()]
    return [epoch["mean_z"] for epoch in epochs if "mean_z" in epoch]  # of the game alone


def right_share(sieve, folder):
    """Which share of the candidates is right."""
    told = json.loads(run(sieve, "inspect", folder / "crowd.arff", "--json").stdout)
    return 1 - told["noise"]["noise_share"]


def x_of(epoch):
    return LEFT + (epoch - 1) / (EPOCHS - 1) * (WIDTH - LEFT - RIGHT)


def y_of(share):
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def drawn(lines, truth):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
           f' aria-label="share of candidates left, by epoch"><style>{STYLE}</style>'
           f'<text class="title" x="{LEFT}" y="18">share of candidates that D~ leaves (mean z)</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield (f'<path class="grid" d="M{LEFT} {y_of(share):.1f}H{right}"/>'
               f'<text x="{LEFT - 6}" y="{y_of(share) + 4:.1f}" text-anchor="end">{share:g}</text>')
    for epoch in (1, *range(5, EPOCHS + 1, 5)):
        yield (f'<text x="{x_of(epoch):.1f}" y="{bottom + 18}" text-anchor="middle">{epoch}</text>')
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">epoch</text>'
    yield (f'<path class="truth" d="M{LEFT} {y_of(truth):.1f}H{right}"/>'
           f'<text x="{right + 10}" y="{y_of(truth) + 4:.1f}">right: {truth:.2f}</text>')
    for i, (name, values) in enumerate(lines.items()):
        path = "L".join(f"{x_of(e):.1f} {y_of(v):.1f}" for e, v in enumerate(values, start=1))
        y = TOP + 26 + 18 * i
        yield (f'<path class="line s{i}" d="M{path}"/>'
               f'<path class="line s{i}" d="M{right + 10} {y - 4}h20"/>'
               f'<text x="{right + 36}" y="{y}">{name}</text>')
    yield "</svg>\n"


def main(sieve, out):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run(sieve, "synth", "--rows", ROWS, "--seed", SEED, "--out", folder / "crowd.arff")
        lines = {"calibrated": shares(sieve, folder, ["share=0.5", f"patience={EPOCHS}"])}
        for beta in BETAS:
            lines[f"paper, beta {beta:g}"] = shares(
                sieve, folder, ["objective=paper", "on-collapse=continue", f"beta={beta:g}"])
        truth = right_share(sieve, folder)
    for name, values in lines.items():
        print(f"{name}: " + " ".join(f"{value:.3f}" for value in values))
    print(f"right candidates: {truth:.3f}")
    pathlib.Path(out).write_text("\n".join(drawn(lines, truth)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
