"""Figures of agreement by their definitions, one pair of annotations at a time, without any package.

The folder has files NAME.votes with a line per annotation: row, annotator and the ticked labels
joined by "+" ("-" for none). Their first line has the number of labels. Prints "NAME/figure value"
for every figure that is defined.
"""

import itertools
import pathlib
import sys
from fractions import Fraction


def read(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    rows = {}
    for line in lines[1:]:
        if line:
            row, annotator, ticked = line.split(" ")
            labels = frozenset() if ticked == "-" else frozenset(int(k) for k in ticked.split("+"))
            rows.setdefault(row, {})[annotator] = labels
    return int(lines[0]), rows


def masi(a, b):
    if a == b:
        return Fraction(0)
    shared = len(a & b)
    if shared == 0:
        return Fraction(1)
    monotony = Fraction(2, 3) if a <= b or b <= a else Fraction(1, 3)
    return 1 - monotony * Fraction(shared, len(a | b))


def differ(a, b):
    return Fraction(0 if a == b else 1)


def alpha(rows, distance):
    """Krippendorff (2011): observed over expected distance of values that can be paired."""
    units = [values for values in rows if len(values) > 1]
    everything = [value for values in units for value in values]
    n = len(everything)
    observed = sum(Fraction(1, len(values) - 1) * distance(a, b)
                   for values in units for a, b in itertools.permutations(values, 2)) / n
    expected = sum(distance(a, b) for a, b in itertools.permutations(everything, 2))
    expected /= n * (n - 1)
    return None if expected == 0 else 1 - observed / expected


def pairwise(rows, distance):
    """Share of pairs that agree, row by row, then the mean over rows with a pair."""
    shares = []
    for values in rows:
        pairs = list(itertools.combinations(values, 2))
        if pairs:
            shares.append(sum(1 - distance(a, b) for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares)


def prevalence(rows, category):
    return sum(Fraction(values.count(category), len(values)) for values in rows) / len(rows)


def kappa(rows, categories):
    """Fleiss (1971), for any number of values per row as in Gwet (2014)."""
    chance = sum(prevalence(rows, c) ** 2 for c in categories)
    return None if chance == 1 else (pairwise(rows, differ) - chance) / (1 - chance)


def ac1(rows, categories):
    """Gwet (2008)."""
    shares = [prevalence(rows, c) for c in categories]
    chance = sum(p * (1 - p) for p in shares) / max(len(categories) - 1, 1)
    return (pairwise(rows, differ) - chance) / (1 - chance)


def nominal(name, rows, categories):
    yield name + "alpha", alpha(rows, differ)
    yield name + "kappa", kappa(rows, categories)
    yield name + "ac1", ac1(rows, categories)
    yield name + "pairwise", pairwise(rows, differ)


def pair_figures(rows):
    annotators = sorted({annotator for row in rows.values() for annotator in row})
    for a, b in itertools.combinations(annotators, 2):
        shared = [row for row in rows.values() if a in row and b in row]
        if shared:
            yield f"pair/{a}/{b}", sum(1 - masi(row[a], row[b]) for row in shared) / len(shared)


def figures(labels, rows):
    sets = [list(row.values()) for row in rows.values()]
    yield "masi/alpha", alpha(sets, masi)
    yield "masi/similarity", pairwise(sets, masi)
    yield from nominal("sets/", sets, sorted({one for row in sets for one in row}, key=sorted))
    for k in range(labels):
        yield from nominal(f"label{k}/", [[k in one for one in row] for row in sets],
                           [False, True])
    yield from pair_figures(rows)


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.votes")):
        for name, value in figures(*read(path)):
            if value is not None:
                print(f"{path.stem}/{name} {float(value)!r}")


if __name__ == "__main__":
    main()
