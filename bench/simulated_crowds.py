"""Simulated crowds for crowd.py: 3,000 rows x 40 features x 8 labels, 3 of 12 people per row.

  independent  each person has rates of their own for each label
  shared       the same, but in 30 % of the rows one label fools everybody who looks alike
  groups       half of the people draw the line elsewhere for half of the labels; two of twelve tick
               at random
  one          independent people, one look per row
  programs     independent people, and four programs that look at every row, of two makes: those of a
               make share half of their mistakes
"""
import numpy as np

ROWS, FEATURES, LABELS, PEOPLE, LOOKS = 3000, 40, 8, 12, 3


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def things(random):
    """Features, how strong each label is, and which are right: a tenth to a third of the rows."""
    x = random.standard_normal((ROWS, FEATURES)).astype(np.float32)
    weights = random.standard_normal((FEATURES, LABELS)) / np.sqrt(FEATURES)
    strong = x @ weights + .35 * random.standard_normal((ROWS, LABELS))
    return x, strong, above(strong, random.uniform(.08, .35, LABELS))


def above(strong, share):
    return strong > np.array([np.quantile(strong[:, l], 1 - share[l]) for l in range(LABELS)])


def rates(random, people, middle, spread, of_label):
    return sigmoid(random.normal(middle, spread, people)[:, None] + random.normal(0, of_label, LABELS)
                   + random.normal(0, .3, (people, LABELS)))


def simulate(kind, seed, looks=LOOKS):
    """Features, truth, and the looks: row, person, votes; how many people."""
    random = np.random.default_rng([seed, 1])
    x, strong, truth = things(random)
    found = rates(random, PEOPLE, 1.35, .5, .3)
    wrong = rates(random, PEOPLE, -2.75, .6, .4)
    seen, group = np.stack([truth, truth]), np.zeros(PEOPLE, int)
    if kind == "groups":
        group[PEOPLE // 2:] = 1
        share = truth.mean(0)
        elsewhere = above(strong, share * np.where(np.arange(LABELS) % 4 == 0, .6, 1.6))
        seen[1][:, ::2] = elsewhere[:, ::2]
        spammers = random.permutation(PEOPLE)[:2]
    row = np.repeat(np.arange(ROWS), looks)
    person = np.concatenate([np.sort(random.choice(PEOPLE, looks, False)) for _ in range(ROWS)])
    chance = np.where(seen[group[person], row], found[person], wrong[person])
    if kind == "shared":
        fooled, label = random.random(ROWS) < .3, random.integers(0, LABELS, ROWS)
        look = np.flatnonzero(fooled[row])
        look = look[~truth[row[look], label[row[look]]]]
        chance[look, label[row[look]]] = .6
    if kind == "groups":
        for a in spammers:
            chance[person == a] = random.uniform(.1, .5)
    votes = random.random(chance.shape) < chance
    if kind == "programs":
        return x, truth, with_programs(random, truth, row, person, votes)
    return x, truth, (row, person, votes, PEOPLE)


def with_programs(random, truth, row, person, votes, makes=2, of_make=2):
    """Programs are right in nine of ten cells; half of the mistakes are their make's."""
    rows = [row]
    people, said = [person], [votes]
    for make in range(makes):
        common = random.random(truth.shape) < .05
        for k in range(of_make):
            rows.append(np.arange(ROWS))
            people.append(np.full(ROWS, PEOPLE + make * of_make + k))
            said.append(truth ^ (common | (random.random(truth.shape) < .05)))
    row, person, votes = np.concatenate(rows), np.concatenate(people), np.concatenate(said)
    order = np.lexsort((person, row))
    return row[order], person[order], votes[order], PEOPLE + makes * of_make


def thinned(row, person, votes, shared, seed):
    """One look per row, two in this share of the rows."""
    random = np.random.default_rng([seed, 2])
    order = np.lexsort((random.random(len(row)), row))
    first = np.searchsorted(row, np.arange(row.max() + 1))
    want = 1 + (random.random(row.max() + 1) < shared)
    kept = np.sort(np.concatenate([order[f:f + w] for f, w in zip(first, want)]))
    return row[kept], person[kept], votes[kept]
