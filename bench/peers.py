#!/usr/bin/python3
"""Our default beside what users of scikit-learn and XGBoost would pick, on the same splits of real
data sets.

usage: peers.py <folder with the bench programs> <folder of data sets>
                [--sets yeast,scene/rows=593] [--noise none,fill,rates,features] [--seeds 30-39]
                [--methods blend,ExtraTrees,ExtraTrees:fixed] [--results FILE] [--table] [--cells]

Every peer is fitted on the candidates as they are, one thread, in a process of its own. Its
settings are chosen by the likelihood of the candidates of a held-out fifth; of a peer with ":fixed"
they are the ones that many would take. Each is judged twice: as it is, and with its probability P
corrected to (P - r) / (1 - r), where there is noise, with r the rate that `mlp-noise` starts from.
Our methods are not told whether there is noise. Results are added to FILE, one JSON line each; what
is there is not done again. --table prints them, corrected. --cells compares `blend` with the best
peer of each cell (set and noise), corrected or not, on the splits that both ran on.
"""
import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

SETS = ("yeast", "scene", "image", "enron", "corel5k", "delicious", "tmc2007-500", "mirflickr")
OURS = ("blend", "blend:normal", "mlp", "mlp-noise", "forest")
KINDS = ("ExtraTrees", "RandomForest", "LogisticRegression", "MLP", "XGBoost", "XGBoostAll",
         "HistGradientBoosting")
PEERS = tuple(kind + how for kind in KINDS for how in ("", ":fixed"))
NOISES = ("none", "fill", "rates", "features")
HIGH = ("average-precision", "micro-f1", "macro-auc")  # where more is better
MEASURES = ("hamming-loss", "ranking-loss", "one-error") + HIGH
# What the search chooses from; the last is taken without one.
LEAVES, STRENGTHS, RATES, DECAYS = (1, 3, 8, 2), (.01, .1, 10, 1), (.03, .1), (1e-2, 1e-4)


def load(folder):
    import numpy as np
    with open(os.path.join(folder, "shape"), encoding="ascii") as shape:
        rows, tested, features, labels = map(int, shape.read().split())
    def part(name, kind, *size):
        return np.fromfile(os.path.join(folder, name), kind).reshape(size)
    return (part("x", np.float32, rows, features), part("y", np.uint8, rows, labels),
            part("x-test", np.float32, tested, features), part("truth", np.uint8, tested, labels))


def learners(peer):
    """Makers of the peer, one for each of its settings; each gives P for all labels at once."""
    from sklearn.ensemble import (ExtraTreesClassifier, HistGradientBoostingClassifier,
                                  RandomForestClassifier)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler
    if peer in ("ExtraTrees", "RandomForest"):
        kind = ExtraTreesClassifier if peer == "ExtraTrees" else RandomForestClassifier
        return [lambda leaf=leaf: AllLabels(kind(300, min_samples_leaf=leaf, random_state=1))
                for leaf in LEAVES]
    if peer == "MLP":
        from sklearn.neural_network import MLPClassifier
        return [lambda alpha=alpha: OneNetwork(make_pipeline(MaxAbsScaler(), MLPClassifier(
            (100,), alpha=alpha, early_stopping=True, random_state=1))) for alpha in DECAYS]
    if peer.startswith("XGBoost"):
        from xgboost import XGBClassifier
        def boost(rate):
            return XGBClassifier(n_estimators=150, learning_rate=rate, tree_method="hist",
                                 n_jobs=1, random_state=1)
        if peer == "XGBoostAll":
            return [lambda rate=rate: OneNetwork(boost(rate)) for rate in RATES]
        return [lambda rate=rate: OneByOne(lambda: boost(rate)) for rate in RATES]
    if peer == "HistGradientBoosting":
        return [lambda rate=rate: OneByOne(lambda: HistGradientBoostingClassifier(
            learning_rate=rate, max_iter=100, random_state=1)) for rate in RATES]
    return [lambda c=c: OneByOne(lambda: make_pipeline(
        MaxAbsScaler(), LogisticRegression(C=c, max_iter=300))) for c in STRENGTHS]


class AllLabels:
    """One model that takes all labels."""
    def __init__(self, model):
        self.model = model

    def fit(self, x, y):
        self.model.fit(x, y)
        return self

    def chance(self, x):
        import numpy as np
        return np.stack([share[:, list(known).index(1)] if 1 in known else 0 * share[:, 0]
                         for share, known in zip(self.model.predict_proba(x),
                                                 self.model.classes_)], axis=1)


class OneNetwork(AllLabels):
    """One model that gives P of all labels as one array."""
    def chance(self, x):
        return self.model.predict_proba(x)


class OneByOne:
    """One model per label."""
    def __init__(self, make):
        self.make = make

    def fit(self, x, y):
        self.models = [self.make().fit(x, on) if 0 < on.mean() < 1 else on.mean() for on in y.T]
        return self

    def chance(self, x):
        import numpy as np
        return np.stack([np.full(len(x), m) if np.isscalar(m) else m.predict_proba(x)[:, 1]
                         for m in self.models], axis=1)


def run_peer(peer, folder, noise):
    """What the child process does: fits, predicts, prints JSON."""
    import numpy as np
    x, y, tested, truth = load(folder)
    start = time.process_time()
    kind, _, fixed = peer.partition(":")
    held = np.random.default_rng(1).permutation(len(x)) < len(x) // 5
    def likelihood(make):
        p = np.clip(make().fit(x[~held], y[~held]).chance(x[held]), 1e-3, 1 - 1e-3)
        return np.log(np.where(y[held] > 0, p, 1 - p)).mean()
    makers = learners(kind)
    best = makers[-1] if fixed else max(makers, key=likelihood)
    searched = time.process_time() - start
    model = best().fit(x, y)
    seconds = time.process_time() - start
    frequency = y.mean(axis=0)
    rate = np.minimum(.85 * frequency.mean(), .9 * frequency) * (noise != "none")
    scores = model.chance(tested)
    print(json.dumps({"seconds": seconds, "search": searched,
                      **measures((scores - rate) / (1 - rate), truth > 0),
                      "raw": measures(scores, truth > 0)}))


def measures(scores, truth):
    """As ours: equal scores count as errors, rows with no or all labels do not count."""
    import numpy as np
    some = truth.any(axis=1) & ~truth.all(axis=1)
    ranking, first, precision = [], [], []
    for s, right in zip(scores[some], truth[some]):
        wrong_pairs = s[right][:, None] <= s[~right][None]
        ranking.append(wrong_pairs.mean())
        first.append(float(not (s[right].max() > s[~right].max())))
        above = (s[None] >= s[right][:, None])
        precision.append((above[:, right].sum(axis=1) / above.sum(axis=1)).mean())
    from sklearn.metrics import roc_auc_score
    on = scores >= .5
    mixed = truth.any(axis=0) & ~truth.all(axis=0)
    return {"hamming-loss": (on != truth).mean(), "ranking-loss": np.mean(ranking),
            "one-error": np.mean(first), "average-precision": np.mean(precision),
            "micro-f1": 2 * (on & truth).sum() / max(1, on.sum() + truth.sum()),
            "macro-auc": roc_auc_score(truth[:, mixed], scores[:, mixed], average="macro")}


def child(command):
    """The output of a command, and the most memory it took in MB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{command} failed")
    return text, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def run_ours(method, programs, data, name, noise, seed):
    method, _, budget = method.partition(":")
    text, memory, seconds = child(
        [os.path.join(programs, "accuracy_bench"), data, name, method, str(seed), str(seed),
         f"noise={noise}"] + ([f"budget={budget}"] if budget else []))
    words = text.split()
    named = dict(word.split("=", 1) for word in words[9:])
    values = words[3:7] + [named["f1"], named["auc"]]
    return {"seconds": float(words[8]), "whole": seconds, "memory": memory,
            "sum": float(named["sum"]), "chosen": named.get("parts", ""),
            **dict(zip(MEASURES, map(float, values)))}


def run(arguments):
    done = {(r["set"], r["noise"], r["seed"], r["method"]) for r in results(arguments.results)}
    first, _, last = arguments.seeds.partition("-")
    cells = itertools.product(range(int(first), int(last or first) + 1),
                              arguments.sets.split(","), arguments.noise.split(","))
    for seed, name, noise in cells:
        todo = [m for m in arguments.methods.split(",") if (name, noise, seed, m) not in done]
        if todo:
            run_cell(arguments, todo, seed, name, noise)


def run_cell(arguments, methods, seed, name, noise):
    with tempfile.TemporaryDirectory() as folder:
        if set(methods) & set(PEERS):
            subprocess.run([os.path.join(arguments.programs, "splits_bench"), arguments.data, name,
                            str(seed), folder, noise], check=True)
        for method in methods:
            if method in PEERS:
                text, memory, _ = child([sys.executable, __file__, "--peer", method, folder, noise])
                found = {"memory": memory, **json.loads(text)}
            else:
                found = run_ours(method, arguments.programs, arguments.data, name, noise, seed)
            line = json.dumps({"set": name, "noise": noise, "seed": seed, "method": method,
                               **found})
            with open(arguments.results, "a", encoding="ascii") as out:
                out.write(line + "\n")
            print(f"{name} {noise} {seed} {method}: {found['average-precision']:.4f}, "
                  f"{found['seconds']:.1f} s", file=sys.stderr)


def results(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def table(found):
    """Mean and standard deviation of each measure; the best of a row is bold. A peer is compared on
    the splits that it ran on, which the number behind it counts where they are fewer than ours."""
    import numpy as np
    methods = [m for m in OURS + PEERS if any(r["method"] == m for r in found)]
    sets = SETS + tuple(dict.fromkeys(r["set"] for r in found if r["set"] not in SETS))
    for measure, noise in itertools.product(MEASURES + ("seconds", "memory"), NOISES):
        rows = [row for row in (row_of(found, methods, measure, noise, name, np) for name in sets)
                if row]
        if rows:
            print(f"\n| {measure}, {noise} | splits | " + " | ".join(methods) + " |\n|---|---"
                  + "|---" * len(methods) + "|\n" + "\n".join(rows))


def row_of(found, methods, measure, noise, name, np):
    values = {m: [r[measure] for r in found
                  if (r["set"], r["noise"], r["method"]) == (name, noise, m)] for m in methods}
    means = {m: np.mean(v) for m, v in values.items() if v}
    if not means:
        return ""
    most = max(map(len, values.values()))
    best = (max if measure in HIGH else min)(means.values())
    cells = []
    for m in methods:
        if m not in means:
            cells.append("-")
            continue
        text = (f"{means[m]:.1f}" if measure == "seconds" else
                f"{means[m]:.0f} MB" if measure == "memory" else
                f"{means[m]:.3f}"[1:] + f" ± {np.std(values[m]):.3f}"[:8])
        bold = measure in MEASURES and means[m] == best
        fewer = f" ({len(values[m])})" if len(values[m]) < most else ""
        cells.append((f"**{text}**" if bold else text) + fewer)
    return f"| {name} | {most} | " + " | ".join(cells) + " |"


def compared(found, name, noise):
    """For each measure, how much better `blend` is than the best peer of a cell: the mean over the
    splits that both ran on and its standard error, and the peer's name."""
    import numpy as np
    ours = {r["seed"]: r for r in found
            if (r["set"], r["noise"], r["method"]) == (name, noise, "blend")}
    for measure in ("average-precision", "micro-f1", "hamming-loss", "macro-auc"):
        worst = None
        sign = 1 if measure in HIGH else -1
        for peer, raw in itertools.product(PEERS, (False, True)):
            theirs = {r["seed"]: (r["raw"] if raw else r)[measure] for r in found
                      if (r["set"], r["noise"], r["method"]) == (name, noise, peer)
                      and r["seed"] in ours}
            if not theirs:
                continue
            gains = [sign * (ours[seed][measure] - value) for seed, value in theirs.items()]
            error = np.std(gains, ddof=1) / len(gains) ** .5 if len(gains) > 1 else 0
            if worst is None or np.mean(gains) < worst[0]:
                worst = (np.mean(gains), error, peer + (" as it is" if raw else ""), len(gains))
        if worst is not None:
            yield measure, worst


def cells(found):
    """Prints how `blend` stands against the best peer, and in how many cells it is at least as good
    within one standard error."""
    held, seen = {}, {}
    named = list(dict.fromkeys((r["set"], r["noise"]) for r in found))
    for name, noise in sorted(named, key=lambda cell: (NOISES.index(cell[1]), cell[0])):
        texts = []
        for measure, (gain, error, peer, splits) in compared(found, name, noise):
            good = gain >= -error
            key = ("features" if noise == "features" else "others", measure)
            held[key], seen[key] = held.get(key, 0) + good, seen.get(key, 0) + 1
            text = f"{gain:+.4f} ± {error:.4f} ({peer}, {splits})"
            texts.append(text if good else f"**{text}**")
        print(f"| {name}, {noise} | " + " | ".join(texts) + " |")
    for (kind, measure), count in seen.items():
        print(f"{kind}, {measure}: {held[kind, measure]} of {count}")


def main():
    if sys.argv[1:2] == ["--peer"]:
        return run_peer(sys.argv[2], sys.argv[3], sys.argv[4])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs")
    parser.add_argument("data")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--noise", default="fill")
    parser.add_argument("--methods", default=",".join(OURS + PEERS))
    parser.add_argument("--seeds", default="30-39")
    parser.add_argument("--results", default="peers.jsonl")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--cells", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table and not arguments.cells:
        run(arguments)
    (cells if arguments.cells else table)(results(arguments.results))


if __name__ == "__main__":
    main()
