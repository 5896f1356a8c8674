#!/usr/bin/python3
"""Races of the model of a crowd: who tells right ticks from wrong ones best, and who claims what holds?

usage: crowd.py <crowd_bench> <sieve> [--sets A,B,...] [--seeds N] [--first-seed N]
                [--method NAME] [--racers A,B,...] [--write FOLDER]

Sets: relex (real votes and experts; needs LABELSIEVE_DATA and scikit-learn for its words), crowd
(made up, 5,000 x 384 x 30, 3 of 12 people per row), and yeast, scene, corel5k, tmc2007 with the same
kind of people (15 most frequent labels, at most 6,000 rows; LABELSIEVE_DATA); unions (no names: yeast,
scene and image with flips of one rate for each label, or for all; real noise of mirflickr; the
built-in crowd), with and without 30 gold cells per label; predictor (what a predictor gains that
learns from the posterior); brighter-2, brighter-3 (two or three looks, the majority of the others is
the truth), graded-2 and graded-3 (the same with intensities as grades), xray and relex-all (experts):
real people, per label; sim-independent, sim-shared,
sim-groups, sim-one, sim-programs (simulated_crowds.py) and sim-built-in (sieve synth): the same racers
where everything is known; sweep (0 to 100 % of the rows annotated twice: F1 before cleaning, of sieve
clean without the annotations, and with them); single (real people, one look per row: F1 of the
ticks, and after sieve clean without and with names); copies (votes alone, with copies of an annotator
and with random looks); scored-program (grades by the scores of a program). With --method ridge, the scores of ours are
those of a ridge regression on how likely the votes alone make each label. The racers:

  share, majority  of the people who looked
  dawid-skene      two coins, each label by itself, in NumPy below
  one-coin         each person is right with one rate, in NumPy below
  then logistic    Dawid and Skene's labels, then logistic regression, added as log-odds
  crowdlab         consensus by weighted votes of people and classifier, by its published formula
  mace             each person knows or guesses, each label by itself, in NumPy below
  cleanlab         self-confidence and prune_by_noise_rate by their formulas, on our out-of-fold
                   probabilities of the union
  union            ours without names: fit_union on the same probabilities
  default          sieve clean with a table and the annotations, and nothing set: the probabilities
                   and labels that it writes
  votes            ours, votes alone
  ours             votes and out-of-fold probabilities of a method (mlp-noise) trained on the
                   labels whose posterior by votes alone is above one half

Printed are the ROC-AUC among ticks, the calibration error (ten classes) and micro F1 of the cleaned
labels; for ours also the error of a label's share of noise and how often its interval holds. Means
over the seeds (30, 31, ... unless told otherwise), with standard deviations where there are several.
With --racers, real people and simulated kinds are raced by these alone.
With --write, the crowds are written instead, for others to race on: NAME-SEED.npz (features and
truth) and NAME-SEED-ticks.csv.
"""
import argparse
import csv
import functools
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import real_crowds
import simulated_crowds

# Real people; where looks are drawn, by the seed.
REAL = {"brighter-2": lambda seed: real_crowds.brighter(2, seed),
        "brighter-3": lambda seed: real_crowds.brighter(3, seed),
        "graded-2": lambda seed: real_crowds.brighter(2, seed, True),
        "graded-3": lambda seed: real_crowds.brighter(3, seed, True),
        "xray": lambda seed: real_crowds.xray(),
        "relex-all": lambda seed: real_crowds.relex()}


def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -35, 35)))


def area(score, right):
    """ROC-AUC, ties count half."""
    right = np.asarray(right, bool)
    _, group, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[group]
    yes, no = right.sum(), (~right).sum()
    return (rank[right].sum() - yes * (yes + 1) / 2) / (yes * no)


def calibration_error(claimed, right):
    group = np.minimum((claimed * 10).astype(int), 9)
    return sum(abs((claimed - right)[group == k].sum()) for k in range(10)) / len(claimed)


def f1(said, right):
    return 2 * (said & right).sum() / (said.sum() + right.sum())


# ---- crowds --------------------------------------------------------------------------------------

class Crowd:
    """Looks in the order of rows: row and person of each, votes (looks x labels)."""

    def __init__(self, row, person, votes, people, rows, grades=None):
        self.grades = grades  # looks x labels, or None
        self.row, self.person, self.votes, self.people, self.rows = row, person, votes, people, rows
        self.ticks = np.zeros((rows, votes.shape[1]))
        np.add.at(self.ticks, row, votes)
        self.looks = np.bincount(row, minlength=rows)[:, None]
        self.union = self.ticks > 0
        self.hidden = np.zeros((rows, votes.shape[1]), bool)  # right labels that nobody could see


def people_look(truth, random, people=12, looks=3):
    """People of differing skill, labels of differing difficulty; some right labels nobody sees."""
    rows, labels = truth.shape
    hidden = truth & (random.random(truth.shape) < .08)
    def rates(middle, person, label):
        return sigmoid(random.normal(middle, person, people)[:, None]
                       + random.normal(0, label, labels)[None] + random.normal(0, .3, (people, labels)))
    sensitivity, false_ticks = rates(1.1, .6, .4), rates(-4, .7, .9)
    row = np.repeat(np.arange(rows), looks)
    person = np.concatenate([np.sort(random.choice(people, looks, False)) for _ in range(rows)])
    seen = (truth & ~hidden)[row]
    votes = random.random(seen.shape) < np.where(seen, sensitivity[person], false_ticks[person])
    crowd = Crowd(row, person, votes, people, rows)
    crowd.hidden = hidden
    return crowd


def made_up(seed, rows=5000, features=384, labels=30, hidden=16):
    random = np.random.default_rng(seed)
    cause = random.standard_normal((rows, hidden))
    weights = random.standard_normal((hidden, labels)) * (random.random((hidden, labels)) < .4)
    weights /= np.linalg.norm(weights, axis=0) + 1e-9
    frequency = np.exp(random.uniform(np.log(.02), np.log(.25), labels))
    height = cause @ weights + .1 * random.standard_normal((rows, labels))
    truth = height > np.array([np.quantile(height[:, l], 1 - frequency[l]) for l in range(labels)])
    mixing = random.standard_normal((hidden, features)) / np.sqrt(hidden)
    x = np.tanh(cause @ mixing) + .6 * random.standard_normal((rows, features))
    return x, truth, people_look(truth, random)


def write_crowd(start, x, truth, crowd):
    """The set as start.npz, with the truth as its labels, and start-ticks.csv."""
    names = [f"label{l + 1}" for l in range(truth.shape[1])]
    np.savez(f"{start}.npz", X=x.astype(np.float32), truth=truth, label_names=np.array(names))
    with open(f"{start}-ticks.csv", "w", encoding="ascii") as file:
        file.write("row,person,label\n")
        for row, person, ticked in zip(crowd.row, crowd.person, crowd.votes):
            for label in np.flatnonzero(ticked) if ticked.any() else [None]:
                file.write(f"{row},person{person + 1},{'' if label is None else names[label]}\n")


# Files of a set in LABELSIEVE_DATA.
FILES = {"yeast": ["yeast/yeast.arff.gz", "yeast/yeast.xml"],
         "scene": ["scene/scene-train.arff.gz", "scene/scene-test.arff.gz", "scene/scene.xml"],
         "image": ["image/image-train.arff.gz", "image/image-test.arff.gz", "image/image.xml"],
         "corel5k": ["corel5k/Corel5k-sparse.arff.gz", "corel5k/Corel5k.xml"],
         "tmc2007": ["tmc2007-500/tmc2007-500.arff.gz", "tmc2007-500/tmc2007-500.xml"],
         "mirflickr": ["mirflickr/mirflickr_5000.mat"]}


def convert(sieve, files, *flags):
    """Features and labels of a set, as sieve convert writes them."""
    paths = [os.path.join(os.environ.get("LABELSIEVE_DATA", ""), file) for file in files]
    if paths[-1].endswith(".xml"):
        flags = [*flags, "--xml", paths.pop()]
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/set.svm"
        subprocess.run([sieve, "convert", *paths, out, *flags, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        return read_libsvm(out)


def real_set(sieve, name, seed, most=6000):
    x, truth = convert(sieve, FILES[name], "--keep-labels", "15", "--drop-unlabelled")
    random = np.random.default_rng(seed)
    chosen = np.sort(random.permutation(len(x))[:most])
    return x[chosen], truth[chosen], people_look(truth[chosen], random)


def read_libsvm(path):
    with open(path, encoding="ascii") as file:
        size = dict(word.split("=") for word in file.readline().split()[2:])
        lines = file.read().split("\n")[:-1]
    x = np.zeros((len(lines), int(size["features"])), np.float32)
    y = np.zeros((len(lines), int(size["labels"])), bool)
    for i, line in enumerate(lines):
        labels, _, features = line.partition(" ")
        y[i, [int(label) for label in labels.split(",") if label]] = True
        for word in features.split():
            index, value = word.split(":")
            x[i, int(index) - 1] = float(value)
    return x, y


def write_libsvm(path, x, y):
    from scipy import sparse
    x = sparse.csr_matrix(x)
    x.sort_indices()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# labelsieve features={x.shape[1]} labels={y.shape[1]}\n")
        for i in range(x.shape[0]):
            part = slice(x.indptr[i], x.indptr[i + 1])
            words = [f"{a + 1}:{b:.6g}" for a, b in zip(x.indices[part], x.data[part])]
            file.write(",".join(map(str, np.flatnonzero(y[i]))) + " "
                       + (" ".join(words) or "1:0") + "\n")


# ---- racers --------------------------------------------------------------------------------------

def by_person(crowd, values):
    out = np.zeros((crowd.people, values.shape[1]))
    np.add.at(out, crowd.person, values)
    return out


def posterior_of(crowd, s, f, before):
    """By people's rates (sensitivity and false ticks), and how frequent labels were before."""
    frequency = (before.sum(0) + 1) / (len(before) + 2)
    evidence = np.where(crowd.votes, np.log(s / f)[crowd.person],
                        np.log((1 - s) / (1 - f))[crowd.person])
    total = np.zeros_like(before)
    np.add.at(total, crowd.row, evidence)
    return sigmoid(np.log(frequency / (1 - frequency)) + total)


def dawid_skene(crowd, rounds=50):
    posterior = crowd.ticks / np.maximum(crowd.looks, 1)
    votes = crowd.votes
    for _ in range(rounds):
        q = posterior[crowd.row]
        s = (by_person(crowd, q * votes) + 1) / (by_person(crowd, q) + 2)
        f = (by_person(crowd, (1 - q) * votes) + 1) / (by_person(crowd, 1 - q) + 2)
        posterior = posterior_of(crowd, s, f, posterior)
    return posterior


def mace(crowd, rounds=50):
    """Hovy et al. (2013): a person knows the answer (theta), or ticks with a habit of their own (xi)."""
    posterior = crowd.ticks / np.maximum(crowd.looks, 1)
    votes = crowd.votes
    looks = by_person(crowd, np.ones(votes.shape))
    theta, xi = np.full(looks.shape, .7), np.full(looks.shape, .2)
    for _ in range(rounds):
        q = posterior[crowd.row]
        guess = np.where(votes, xi[crowd.person], 1 - xi[crowd.person])
        know = theta[crowd.person]
        knew = np.where(votes, q, 1 - q) * know / (know + (1 - know) * guess)
        theta = (by_person(crowd, knew) + 1) / (looks + 2)
        xi = (by_person(crowd, (1 - knew) * votes) + 1) / (by_person(crowd, 1 - knew) + 2)
        posterior = posterior_of(crowd, theta + (1 - theta) * xi, (1 - theta) * xi, posterior)
    return posterior


def one_coin(crowd, rounds=50):
    """Each person is right with one probability per label."""
    posterior = crowd.ticks / np.maximum(crowd.looks, 1)
    for _ in range(rounds):
        q = posterior[crowd.row]
        right = by_person(crowd, np.where(crowd.votes, q, 1 - q))
        s = (right + 1) / (by_person(crowd, np.ones(q.shape)) + 2)
        posterior = posterior_of(crowd, s, 1 - s, posterior)
    return posterior


def log_odds(p, least=1e-4):
    p = np.clip(p, least, 1 - least)
    return np.log(p / (1 - p))


def then_logistic(x, posterior):
    """Out-of-fold logistic regression on the labels of a model of votes, added as log-odds."""
    from sklearn.linear_model import LogisticRegression
    warnings.simplefilter("ignore")  # of regressions that take long to converge
    labels, fold = posterior > .5, np.random.default_rng(0).permutation(len(posterior)) % 5
    p = np.tile(labels.mean(0), (len(labels), 1))
    for l in range(labels.shape[1]):
        for k in range(5):
            learn, hold = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            if labels[learn, l].any() and not labels[learn, l].all():
                model = LogisticRegression(max_iter=300).fit(x[learn], labels[learn, l])
                p[hold, l] = model.predict_proba(x[hold])[:, 1]
    return p, sigmoid(log_odds(posterior, 1e-6) + log_odds(p) - log_odds(labels.mean(0)))


def by_ridge(x, posterior):
    """Out-of-fold ridge regression on the posterior of votes alone, bent into (0, 1)."""
    from sklearn.linear_model import Ridge
    fold, p = np.random.default_rng(0).permutation(len(posterior)) % 5, np.zeros(posterior.shape)
    for k in range(5):
        learn, hold = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        p[hold] = Ridge(alpha=1).fit(x[learn], posterior[learn]).predict(x[hold])
    return sigmoid(2 * (p - p.mean(0)) / np.maximum(p.std(0), 1e-9))


def crowdlab(crowd, p):
    """Goh, Tkachenko and Mueller (2022), label by label: a mean of the classifier's p and of the
    votes, weighted by how far each beats always saying the most frequent answer."""
    out = np.zeros(p.shape)
    several = np.flatnonzero(crowd.looks[:, 0] > 1)
    for l in range(p.shape[1]):
        share = crowd.ticks[:, l] / np.maximum(crowd.looks[:, 0], 1)
        consensus = np.where(share == .5, p[:, l] > .5, share > .5)
        vote = crowd.votes[:, l]
        sides = vote == consensus[crowd.row]
        counted = np.isin(crowd.row, several)
        trust = np.clip(sides[counted].mean() if counted.any() else .9, .5, 1)
        # Agreement of a person with the others of the row.
        others = crowd.looks[crowd.row, 0] - 1
        agreeing = np.where(vote, crowd.ticks[crowd.row, l] - 1, others - crowd.ticks[crowd.row, l])
        agree = np.bincount(crowd.person[counted], agreeing[counted], crowd.people) / np.maximum(
            np.bincount(crowd.person[counted], others[counted], crowd.people), 1)
        frequent = max(consensus[several].mean(), 1 - consensus[several].mean()) if len(several) else .5
        least = max(1 - frequent, 1e-3)
        weight = np.clip(1 - (1 - agree) / least, 1e-3, None)
        right = ((p[several, l] > .5) == consensus[several]).mean() if len(several) else .5
        of_model = max(1 - (1 - right) / least, 1e-3) * np.sqrt(crowd.looks.mean())
        said = np.where(vote, trust, 1 - trust) * weight[crowd.person]
        top = of_model * p[:, l] + np.bincount(crowd.row, said, crowd.rows)
        out[:, l] = top / (of_model + np.bincount(crowd.row, weight[crowd.person], crowd.rows))
    return out


def cleanlab_keeps(p, given):
    """prune_by_noise_rate, label by label: what is left of the given labels."""
    kept = given.copy()
    for l in range(p.shape[1]):
        on, q = given[:, l], np.stack([1 - p[:, l], p[:, l]], 1)
        if on.all() or not on.any():
            continue
        above = q >= [q[~on, 0].mean(), q[on, 1].mean()]
        guess = np.where(above.all(1), q.argmax(1), above[:, 1].astype(int))
        counted = above.any(1)
        joint = np.array([[(counted & (on == a) & (guess == b)).sum() for b in (0, 1)]
                          for a in (0, 1)], float)
        joint *= (np.array([(~on).sum(), on.sum()]) / np.maximum(joint.sum(1), 1))[:, None]
        rows = np.flatnonzero(on)
        worst = rows[np.argsort(q[rows, 1] - q[rows, 0], kind="stable")[:int(round(joint[1, 0]))]]
        kept[worst[q[worst, 1] < q[worst, 0]], l] = False
    return kept


def likely(posterior):
    """Labels taken for certain, as beliefs."""
    return (posterior >= .5).astype(np.float32)


class Ours:
    def __init__(self, bench):
        self.bench, self.people, self.confidence, self.racers = bench, None, None, ()

    def run(self, *words):
        done = subprocess.run([self.bench, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)

    def scores(self, x, labels, method, *settings):
        """Of a method that learns from labels (bool), or from how likely they are (float)."""
        with tempfile.TemporaryDirectory() as folder:
            write_libsvm(f"{folder}/set.svm", x, labels > .5)
            if labels.dtype != bool:
                labels.astype(np.float32).tofile(f"{folder}/beliefs")
            self.run("scores", f"{folder}/set.svm", method, folder, *settings)
            self.confidence = np.fromfile(f"{folder}/confidence", np.float32).reshape(labels.shape)
            return np.fromfile(f"{folder}/scores", np.float32).reshape(labels.shape)

    def fit(self, crowd, scores=None, gold=(), groups=None):
        labels = crowd.votes.shape[1]
        folder = tempfile.mkdtemp()
        if groups is not None:
            np.asarray(groups, np.uint32).tofile(f"{folder}/groups")
        crowd.row.astype(np.uint32).tofile(f"{folder}/row")
        crowd.person.astype(np.uint32).tofile(f"{folder}/person")
        grades = 0 if crowd.grades is None else crowd.grades
        (crowd.votes * (1 + grades)).astype(np.uint8).tofile(f"{folder}/votes")
        if scores is not None:
            scores.astype(np.float32).tofile(f"{folder}/scores")
        return self.outcome("fit", folder, crowd.rows, crowd.people, labels, gold)

    def union(self, candidates, scores, gold=(), missing=0.):
        folder = tempfile.mkdtemp()
        candidates.astype(np.uint8).tofile(f"{folder}/candidates")
        scores.astype(np.float32).tofile(f"{folder}/scores")
        np.array([missing]).tofile(f"{folder}/missing")
        return self.outcome("union", folder, *candidates.shape[:1], 1, candidates.shape[1], gold)

    def outcome(self, what, folder, rows, people, labels, gold):
        for k, cells in enumerate(gold):
            np.array(cells, np.uint32).tofile(f"{folder}/gold.{k}")
        self.run(what, folder, rows, people, labels)
        def posterior(name):
            return np.fromfile(f"{folder}/{name}", np.float32).reshape(rows, labels).astype(float)
        out = (posterior("posterior"), np.fromfile(f"{folder}/noise").reshape(labels, 3),
               [posterior(f"posterior.{k}") for k in range(len(gold))])
        if what == "fit":
            self.people = np.fromfile(f"{folder}/people").reshape(people, 8)
        shutil.rmtree(folder)
        return out


# ---- races ---------------------------------------------------------------------------------------

def race(x, truth, crowd, ours, method):
    """Rows of the table: name, AUC, calibration error, F1, and for ours noise error and coverage."""
    union = crowd.union
    noise = 1 - (truth & union).sum(0) / np.maximum(union.sum(0), 1)
    ticked = union.sum(0) > 0
    def row(q, said=None, interval=None):
        out = [area(q[union], truth[union]), calibration_error(q[union], truth[union]),
               f1(q > .5 if said is None else said, truth)]
        if interval is not None:
            held = (interval[:, 1] <= noise) & (noise <= interval[:, 2])
            out += [abs(interval[:, 0] - noise)[ticked].mean(), held[ticked].mean()]
        return out
    share = crowd.ticks / np.maximum(crowd.looks, 1)
    by_union = ours.scores(x, union, *method)
    by_votes, votes_noise, _ = ours.fit(crowd)
    by_likely = ours.scores(x, likely(by_votes), *method)
    without_names, union_noise, _ = ours.union(union, by_union)
    joint, joint_noise, _ = ours.fit(crowd, by_likely)
    return {"share": row(share, said=union), "majority": row((share > .5).astype(float)),
            "dawid-skene": row(dawid_skene(crowd)), "mace": row(mace(crowd)),
            "cleanlab": row(by_union * union, said=cleanlab_keeps(by_union, union)),
            "union": row(without_names, interval=union_noise),
            "votes": row(by_votes, interval=votes_noise), "ours": row(joint, interval=joint_noise)}


def relex(ours, method):
    """For each racer and label: AUC among ticks, among cells nobody ticked, calibration error."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    folder = os.path.join(os.environ["LABELSIEVE_DATA"], "relex")
    with gzip.open(f"{folder}/judgments.csv.gz", "rt") as file:
        said = list(csv.DictReader(file))
    with gzip.open(f"{folder}/texts.csv.gz", "rt") as file:
        texts = {line["task"]: f"{line['text']} {line['term1']} {line['term2']}"
                 for line in csv.DictReader(file)}
    def numbered(values):
        return {value: k for k, value in enumerate(sorted(values))}
    tasks = numbered({line["task"] for line in said})
    people = numbered({line["worker"] for line in said})
    labels = numbered({l for line in said for l in line["labels"].split("|") if l})
    looks = {}
    for line in said:
        ticks = looks.setdefault((tasks[line["task"]], people[line["worker"]]), set())
        ticks.update(labels[l] for l in line["labels"].split("|") if l)
    order = sorted(looks)
    votes = np.zeros((len(order), len(labels)), bool)
    for k, look in enumerate(order):
        votes[k, list(looks[look])] = True
    crowd = Crowd(np.array([l[0] for l in order]), np.array([l[1] for l in order]), votes,
                  len(people), len(tasks))
    x = TfidfVectorizer(sublinear_tf=True).fit_transform([texts[task] for task in tasks])
    with open(f"{folder}/expert.csv", encoding="ascii") as file:
        experts = np.array([(tasks[l["task"]], labels[l["label"]], int(l["true"]))
                            for l in csv.DictReader(file)])
    by_votes = ours.fit(crowd)[0]
    by_union = ours.scores(x, crowd.union, *method)
    by_likely = ours.scores(x, likely(by_votes), *method)
    draws, rest = [], []
    for draw in range(20):
        random = np.random.default_rng(draw)
        mixed = [random.permutation(experts[experts[:, 1] == labels[l]])
                 for l in ("CAUSES", "TREATS")]
        draws.append(np.concatenate([cells[:50] for cells in mixed]))
        rest.append([cells[50:] for cells in mixed])
    joint, _, with_gold = ours.fit(crowd, by_likely, draws)
    racers = {"share": crowd.ticks / crowd.looks, "dawid-skene": dawid_skene(crowd),
              "mace": mace(crowd), "cleanlab": by_union, "union": ours.union(crowd.union, by_union)[0],
              "votes": by_votes, "ours": joint}
    out = {}
    for name, q in racers.items():
        out[name] = []
        for label in ("CAUSES", "TREATS"):
            row, l, right = experts[experts[:, 1] == labels[label]].T
            claimed, ticked = q[row, l[0]], crowd.union[row, l[0]]
            out[name] += [area(claimed[ticked], right[ticked]),
                          area(claimed[~ticked], right[~ticked]), calibration_error(claimed, right)]
    out["50 gold"] = np.mean([[calibration_error(q[c[:, 0], c[0, 1]], c[:, 2]) for c in cells]
                              for q, cells in zip(with_gold, rest)], 0)
    return out


def best_threshold(claimed):
    """With the largest expected F1, at most one half."""
    ranked = np.sort(claimed)[::-1]
    return min(.5, (2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + ranked.sum())).max() / 2)


def crowd_of(real):
    order = sorted(real.looks)
    votes = np.zeros((len(order), len(real.labels)), bool)
    for k, look in enumerate(order):
        votes[k, list(real.looks[look])] = True
    grades = real.grades and np.array([[real.grades.get((*look, l), 0) for l in range(len(real.labels))]
                                       for look in order])
    return Crowd(np.array([look[0] for look in order]), np.array([look[1] for look in order]), votes,
                 len(real.people), len(real.rows), grades)


def real_people(sieve, real, ours, method):
    return people_race(sieve, real.x, real.items, real.truth, crowd_of(real), ours, method)


def simulated_people(sieve, kind, seed, ours, method):
    x, truth, crowd = simulated(sieve, kind, seed)
    return people_race(sieve, lambda: x, table_of(x), truth, crowd, ours, method, True)


def people_race(sieve, features, items, truth, crowd, ours, method, everything=False):
    """AUC among ticks: mean over labels, then each; calibration error, F1 of the cleaned ticks (of all
    cells above the line in simulated crowds); labels proposed that nobody ticked, and how many of
    these are right; for the command instead its seconds of processor time."""
    known, x = truth >= 0, functools.cache(features)
    cells = crowd.union & known
    def quality(q, kept):
        areas = [area(q[cells[:, l], l], truth[cells[:, l], l])
                 for l in range(q.shape[1])
                 if 0 < truth[cells[:, l], l].sum() < cells[:, l].sum()]
        return [np.mean(areas), *(areas if not everything else ()),
                calibration_error(q[cells], truth[cells]), f1(kept[known], truth[known] == 1)]
    def command():
        q, kept, seconds = cleaned(sieve, items, crowd)
        return [*quality(q, kept), seconds]
    def row(q, by_half=True):
        line = .5 if by_half else best_threshold(q[crowd.union])
        kept = crowd.union & (q > line if by_half else q >= line)
        proposed = ~crowd.union & (q > .5)
        if everything:
            kept |= proposed
        proposed &= known
        return [*quality(q, kept), proposed.sum(), (truth[proposed] == 1).sum()]
    share = crowd.ticks / np.maximum(crowd.looks, 1)
    by_words = functools.cache(lambda: then_logistic(x(), dawid_skene(crowd)))
    by_votes = functools.cache(lambda: ours.fit(crowd)[0])
    def with_scores():
        scores = (by_ridge(x(), by_votes()) if method[0] == "ridge"
                  else ours.scores(x(), by_votes().astype(np.float32), *method))
        return ours.fit(crowd, scores)[0]
    racers = {"default": command, "share": lambda: row(share), "majority": lambda: row((share > .5).astype(float)),
              "dawid-skene": lambda: row(dawid_skene(crowd)), "mace": lambda: row(mace(crowd)),
              "one-coin": lambda: row(one_coin(crowd)), "then logistic": lambda: row(by_words()[1]),
              "crowdlab": lambda: row(crowdlab(crowd, by_words()[0])),
              "votes": lambda: row(by_votes(), False), "ours": lambda: row(with_scores(), False)}
    return {name: race() for name, race in racers.items() if not ours.racers or name in ours.racers}


def built_in(sieve, seed):
    with tempfile.TemporaryDirectory() as folder:
        made, ticks = f"{folder}/crowd.arff", f"{folder}/ticks.csv"
        subprocess.run([sieve, "synth", "--out", made, "--annotations", ticks, "--rows", "3000", "--seed",
                        str(seed), "--quiet"], check=True, capture_output=True)
        x, truth = convert(sieve, [made], "--labels", "truth")
        subprocess.run([sieve, "convert", made, f"{folder}/names.csv", "--labels", "truth", "--quiet"],
                       check=True, capture_output=True)
        with open(f"{folder}/names.csv", encoding="utf-8") as file:
            names = next(csv.reader(file))[-truth.shape[1]:]
            labels = {name.rpartition(":")[2]: l for l, name in enumerate(names)}
        with open(ticks, encoding="utf-8") as file:
            lines = [(int(line[0]), line[1], line[2]) for line in list(csv.reader(file))[1:]]
    people = {name: k for k, name in enumerate(sorted({line[1] for line in lines}))}
    looks = {(row, people[person]): k for k, (row, person) in
             enumerate(sorted({(line[0], line[1]) for line in lines}, key=lambda l: (l[0], people[l[1]])))}
    votes = np.zeros((len(looks), truth.shape[1]), bool)
    for row, person, label in lines:
        if label in labels:
            votes[looks[row, people[person]], labels[label]] = True
    rows = np.array([look[0] for look in looks])
    return x, truth, Crowd(rows, np.array([look[1] for look in looks]), votes, len(people), len(x))


def simulated(sieve, kind, seed):
    if kind == "built-in":
        return built_in(sieve, seed)
    x, truth, looks = simulated_crowds.simulate("independent" if kind == "one" else kind, seed,
                                                1 if kind == "one" else 3)
    return x, truth, Crowd(*looks, len(x))


def table_of(x):
    """Features as the lines of a table."""
    return [{f"x{j + 1}": f"{value:.6g}" for j, value in enumerate(row)} for row in x]


def write_table(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)


def cleaned(sieve, items, crowd, names=True, method=None):
    """What the command makes of a table and of annotations: the probability of every tick, what is
    kept, and seconds of processor time. Without names, the table says what anybody ticked. Nothing is
    set but a method, if there is one."""
    number = {f"l{l + 1}": l for l in range(crowd.union.shape[1])}
    with tempfile.TemporaryDirectory() as folder:
        table = [{"item": f"i{k}", **item} for k, item in enumerate(items)]
        flags = ["--method", method] if method else []
        if names:
            write_table(f"{folder}/votes.csv",
                        [{"item": f"i{row}", "annotator": f"a{person}",
                          "labels": "|".join(name for name, l in number.items() if ticked[l])}
                         for row, person, ticked in zip(crowd.row, crowd.person, crowd.votes)])
            flags += ["--annotations", f"{folder}/votes.csv"]
        else:
            for line, ticked in zip(table, crowd.union):
                line.update({f"label:{name}": int(ticked[l]) for name, l in number.items()})
        write_table(f"{folder}/items.csv", table)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sieve, "clean", f"{folder}/items.csv", *flags, "--out", f"{folder}/out.csv",
                        "--suspects", f"{folder}/suspects.csv", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        claimed, kept = np.zeros(crowd.union.shape), np.zeros(crowd.union.shape, bool)
        with open(f"{folder}/suspects.csv", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                claimed[int(line["row"]), number[line["label"]]] = float(line["probability"])
        with open(f"{folder}/out.csv", encoding="utf-8") as file:
            for k, line in enumerate(csv.DictReader(file)):
                for name, l in number.items():
                    kept[k, l] = line.get(f"label:{name}", "0") == "1"
    return claimed, kept, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cleaned_f1(sieve, items, truth, crowd, method):
    """Before cleaning, cleaned without names, and with them."""
    known = truth >= 0
    kept = [crowd.union, *(cleaned(sieve, items, crowd, names, method)[1] for names in (False, True))]
    return [f1(labels[known], truth[known] == 1) for labels in kept]


def sweep(sieve, seed, method):
    """For each kind and share of rows with two looks: F1 before cleaning, cleaned without names, and
    with them."""
    out = {}
    for kind in ("independent", "shared", "groups"):
        x, truth, (row, person, votes, people) = simulated_crowds.simulate(kind, seed)
        for share in (0, .1, .2, .3, .5, 1):
            crowd = Crowd(*simulated_crowds.thinned(row, person, votes, share, seed), people, len(x))
            out[f"{kind} {share:.0%}"] = cleaned_f1(sieve, table_of(x), truth, crowd, method)
    return out


def single(sieve, seed, method):
    """One look per row of real people: F1 of the ticks, cleaned without names, and with them."""
    return {name: cleaned_f1(sieve, real.items, real.truth, crowd_of(real), method)
            for name, real in (("xray", real_crowds.xray(1, seed)),
                               ("relex", real_crowds.relex(1, seed)),
                               ("brighter", real_crowds.brighter(1, seed)))}


def mixed(crowd, row, person, votes):
    """The crowd with further looks, in the order of rows."""
    row, person = np.concatenate([crowd.row, row]), np.concatenate([crowd.person, person])
    votes, order = np.concatenate([crowd.votes, votes]), np.lexsort((person, row))
    return Crowd(row[order], person[order], votes[order], person.max() + 1, crowd.rows)


def copied(crowd, person, count, redrawn, random):
    """With copies of a person, who draw this share of their votes by that person's rates."""
    row, votes = crowd.row[crowd.person == person], crowd.votes[crowd.person == person]
    drawn = [np.where(random.random(votes.shape) < redrawn, random.random(votes.shape) < votes.mean(0),
                      votes) for _ in range(count)]
    return mixed(crowd, np.tile(row, count), np.repeat(crowd.people + np.arange(count), len(row)),
                 np.concatenate(drawn))


def spammed(crowd, random):
    """With as many looks again, by people who tick at random."""
    row = crowd.row
    turn = np.arange(len(row)) - np.searchsorted(row, row)  # one look per person and row
    votes = random.random(crowd.votes.shape) < crowd.votes.mean(0)
    return mixed(crowd, row, crowd.people + turn, votes)


def copies(sieve, seed, ours):
    """Votes alone, AUC among the ticks of the crowd as it came, mean over labels; then by how much it
    moves with five exact copies of the busiest person (programs: of a program), with two, with five
    and two that draw a tenth of their votes again, with these declared to be a group, and with as
    many random looks as real ones."""
    out = {}
    for name in ("xray", "brighter-3", "relex-all", "programs"):
        if name in REAL:
            real = REAL[name](seed)
            crowd, truth = crowd_of(real), real.truth
        else:
            _, truth, crowd = simulated(sieve, name, seed)
        person = np.argmax(np.bincount(crowd.person)) if name in REAL else crowd.people - 1
        cells = crowd.union & (truth >= 0)
        labels = [l for l in range(truth.shape[1]) if len(set(truth[cells[:, l], l])) > 1]
        def mean_area(votes, groups=None):
            q = ours.fit(votes, groups=groups)[0]
            return np.mean([area(q[cells[:, l], l], truth[cells[:, l], l] == 1) for l in labels])
        random = np.random.default_rng([seed, 3])
        alone = mean_area(crowd)
        moves = [mean_area(copied(crowd, person, count, redrawn, random)) - alone
                 for redrawn in (0, .1) for count in (5, 2)]
        for count in (5, 2):
            group = np.full(crowd.people + count, 0xffffffff)
            group[[person, *range(crowd.people, crowd.people + count)]] = 0
            moves.append(mean_area(copied(crowd, person, count, .1, random), group) - alone)
        out[name] = [alone, *moves, mean_area(spammed(crowd, random)) - alone]
    return out


def scored_program(seed, ours):
    """Independent people with two looks per row, and a program that sees how strong every label is with
    an error of this number of standard deviations and ticks as often as they do: AUC among ticks (mean over
    labels) and calibration error, its ticks alone and with their quarters as grades."""
    x, truth, (row, person, votes, people) = simulated_crowds.simulate("independent", seed, 2)
    strong = simulated_crowds.things(np.random.default_rng([seed, 1]))[1]
    random, out = np.random.default_rng([seed, 9]), {}
    for error in (.5, 1, 2):
        score = strong + error * random.standard_normal(strong.shape)
        ticks = score >= np.array([np.quantile(score[:, l], 1 - rate)
                                   for l, rate in enumerate(votes.mean(0))])
        grades = np.zeros(score.shape, int)
        for l in range(score.shape[1]):
            of_ticks = score[ticks[:, l], l]
            grades[ticks[:, l], l] = np.searchsorted(np.quantile(of_ticks, [.25, .5, .75]), of_ticks)
        rows = np.concatenate([row, np.arange(len(x))])
        who = np.concatenate([person, np.full(len(x), people)])
        order, line = np.lexsort((who, rows)), []
        for graded in (0, 1):
            crowd = Crowd(rows[order], who[order], np.concatenate([votes, ticks])[order], people + 1,
                          len(x), np.concatenate([0 * votes, graded * grades])[order])
            q, cells = ours.fit(crowd)[0], crowd.union
            line += [np.mean([area(q[cells[:, l], l], truth[cells[:, l], l])
                              for l in range(truth.shape[1])]),
                     calibration_error(q[cells], truth[cells])]
        out[f"error {error}"] = line
    return out


def average_precision(scores, truth):
    order = np.argsort(-scores, axis=1, kind="stable")
    right = np.take_along_axis(truth, order, axis=1)
    precision = np.cumsum(right, axis=1) / np.arange(1, right.shape[1] + 1)
    count = right.sum(axis=1)
    return ((precision * right).sum(axis=1)[count > 0] / count[count > 0]).mean()


def predictor(seed, ours, method):
    """What a predictor gains that learns from the posterior, and how near the rates of people are."""
    x, truth, crowd = made_up(seed)
    by_votes = ours.fit(crowd)[0]
    first = ours.scores(x, likely(by_votes), *method)
    joint = ours.fit(crowd, first)[0]
    people = ours.people
    out = {name: [average_precision(ours.scores(x, labels, *method), truth)]
           for name, labels in (("union", crowd.union), ("ours, above .5", likely(joint)),
                                ("ours", joint), ("truth", truth))}
    out["votes alone, above .5"] = [average_precision(first, truth)]
    out["votes alone"] = [average_precision(ours.scores(x, by_votes, *method), truth)]
    def error(column, among):
        real = [crowd.votes[crowd.person == a][among[crowd.row[crowd.person == a]]].mean()
                for a in range(crowd.people)]
        return [abs(people[:, column] - real).max()]
    out["sensitivity, seen"] = error(0, truth & ~crowd.hidden)
    out["sensitivity, all"] = error(0, truth)
    out["false ticks"] = error(3, ~truth)
    return out


def union_sets(sieve, seed):
    """Name, features, truth, candidates."""
    for name in ("yeast", "scene", "image"):
        x, truth = convert(sieve, FILES[name])
        random = np.random.default_rng(seed)
        rates = np.exp(random.uniform(np.log(.03), np.log(.5), truth.shape[1]))
        yield f"{name}, flips", x, truth, truth | (random.random(truth.shape) < rates)
        yield f"{name}, fill", x, truth, truth | (random.random(truth.shape) < .3)
    x, truth = convert(sieve, FILES["mirflickr"], "--labels", "truth")
    yield "mirflickr", x, truth, convert(sieve, FILES["mirflickr"], "--labels", "candidates")[1]
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/crowd.arff"
        subprocess.run([sieve, "synth", "--out", made, "--rows", "3000", "--seed", str(seed), "--quiet"],
                       check=True, capture_output=True)
        x, truth = convert(sieve, [made], "--labels", "truth")
        yield "built-in crowd", x, truth, convert(sieve, [made], "--labels", "candidates")[1]


def clean(sieve, x, candidates, method):
    """What sieve clean makes of a union: confidences, and noise of labels with low and high."""
    with tempfile.TemporaryDirectory() as folder:
        write_libsvm(f"{folder}/set.svm", x, candidates)
        settings = [word for setting in method[1:] for word in
                    (["--seed", setting[5:]] if setting.startswith("seed=") else ["--set", setting])]
        done = subprocess.run([sieve, "clean", f"{folder}/set.svm", "--method", method[0], *settings,
                               "--suspects", f"{folder}/all.csv", "--json", "--quiet"],
                              check=True, capture_output=True, text=True)
        labels = json.loads(done.stdout)["per_label"]
        number = {label["label"]: k for k, label in enumerate(labels)}
        confidence = np.zeros(candidates.shape)
        with open(f"{folder}/all.csv", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                confidence[int(line["row"]), number[line["label"]]] = float(line["probability"])
    return confidence, np.array([[label[key] for key in ("estimated_noise", "noise_low",
                                                         "noise_high")] for label in labels])


def unions(sieve, seed, ours, method, draws=5):
    """For each set: AUC, calibration error, error of noise, F1 of the method's own confidence; the
    same of sieve clean; share of the intervals that hold and their width, the same if wrong ticks
    are taken not to follow the features; with gold: error of noise, calibration error, AUC."""
    out = {}
    for name, x, truth, candidates in union_sets(sieve, seed):
        scores = ours.scores(x, candidates, *method)
        own = ours.confidence.astype(float)
        gold = []
        for draw in range(draws):
            random = np.random.default_rng(draw)
            rows = [(random.permutation(np.flatnonzero(candidates[:, l]))[:30], l)
                    for l in range(truth.shape[1])]
            gold.append([(i, l, truth[i, l]) for chosen, l in rows for i in chosen])
        _, independent, with_gold = ours.union(candidates, scores, gold)
        def noise_of(belief):
            return 1 - (belief * candidates).sum(0) / candidates.sum(0)
        def quality(belief):
            return [area(belief[candidates], truth[candidates]),
                    calibration_error(belief[candidates], truth[candidates]),
                    abs(noise_of(belief) - noise_of(truth)).mean(),
                    f1((belief >= .5) & candidates, truth)]
        real = noise_of(truth)
        def intervals(noise):
            return [((noise[:, 1] <= real) & (real <= noise[:, 2])).mean(),
                    (noise[:, 2] - noise[:, 1]).mean()]
        confidence, noise = clean(sieve, x, candidates, method)
        gold_area, gold_error, gold_noise, _ = np.mean([quality(q) for q in with_gold], 0)
        out[name] = [*quality(own), *quality(confidence), *intervals(noise),
                     *intervals(independent), gold_noise, gold_error, gold_area]
    return out


def show(title, results):
    """Means over the runs of a race, and standard deviations if there are several."""
    print(f"\n{title}", flush=True)
    for racer in results[0]:
        values = np.array([result[racer] for result in results])
        words = [f"{mean:.3f}" + (f" +-{spread:.3f}" if len(results) > 1 else "")
                 for mean, spread in zip(values.mean(0), values.std(0, ddof=len(results) > 1))]
        print(f"  {racer:18}", "  ".join(words), flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("bench")
    parser.add_argument("sieve")
    parser.add_argument("--sets", default="crowd,yeast,scene,corel5k,tmc2007,predictor,unions,relex")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=30)
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--method")
    parser.add_argument("--racers", help="of people and simulated kinds")
    arguments = parser.parse_args()
    ours = Ours(arguments.bench)
    ours.racers = arguments.racers.split(",") if arguments.racers else ()
    # Networks with five members judge every row by one that held it out.
    learner = arguments.method or "mlp-noise"
    settings = ["members=5"] * (learner == "mlp-noise")
    def made(name, seed):
        return made_up(seed) if name == "crowd" else real_set(arguments.sieve, name, seed)
    def run(name, seed):
        method = [learner, *settings, f"seed={seed}"]
        if name == "relex":
            return relex(ours, method)
        if name in REAL:
            return real_people(arguments.sieve, REAL[name](seed), ours, method)
        if name.startswith("sim-"):
            return simulated_people(arguments.sieve, name[4:], seed, ours, method)
        if name == "sweep":
            return sweep(arguments.sieve, seed, arguments.method)
        if name == "single":
            return single(arguments.sieve, seed, arguments.method)
        if name == "copies":
            return copies(arguments.sieve, seed, ours)
        if name == "scored-program":
            return scored_program(seed, ours)
        if name == "predictor":
            return predictor(seed, ours, method)
        if name == "unions":
            return unions(arguments.sieve, seed, ours, method)
        return race(*made(name, seed), ours, method)
    titles = {"relex": "relex, CAUSES and TREATS: " + " ".join(relex.__doc__.split()),
              "sweep": "sweep. " + " ".join(sweep.__doc__.split()),
              "single": "single. " + " ".join(single.__doc__.split()),
              "copies": "copies. " + " ".join(copies.__doc__.split()),
              "scored-program": "scored-program. " + " ".join(scored_program.__doc__.split()),
              "predictor": "predictor: average precision out of fold; people's largest errors",
              "unions": "unions. " + " ".join(unions.__doc__.split())}
    titles |= {name: f"{name}: " + " ".join(people_race.__doc__.split())
               for name in arguments.sets.split(",") if name in REAL or name.startswith("sim-")}
    for name in arguments.sets.split(","):
        seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
        if arguments.write:
            for seed in seeds:
                write_crowd(os.path.join(arguments.write, f"{name}-{seed}"), *made(name, seed))
            continue
        show(titles.get(name, f"{name}: AUC among ticks, calibration error, F1, error of noise, "
                              "intervals that hold"),
             [run(name, seed) for seed in seeds])


if __name__ == "__main__":
    main()
