"""Real crowds for crowd.py: votes, truth and features of relex, xray and brighter in LABELSIEVE_DATA."""
import csv
import gzip
import os

import numpy as np


def path(*parts):
    return os.path.join(os.environ["LABELSIEVE_DATA"], *parts)


def lines(*parts):
    name = path(*parts)
    with (gzip.open(name, "rt") if name.endswith(".gz") else open(name, encoding="utf-8")) as file:
        return list(csv.DictReader(file))


def numbered(values):
    return {value: k for k, value in enumerate(sorted(values))}


class Real:
    """Looks of a crowd (row, person, votes), and what is true where that is known (-1: not)."""

    def __init__(self, rows, people, labels, looks, truth, x, items, grades=None):
        self.rows, self.people, self.labels = rows, people, labels
        self.looks, self.truth, self.x = looks, truth, x
        self.items = items    # the lines of the table that came with the votes, in the order of rows
        self.grades = grades  # steps above the lowest grade, by row, person and label; or None


def words(texts):
    from sklearn.feature_extraction.text import TfidfVectorizer
    return TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2)).fit_transform(texts)


def items_of(rows, name, *parts):
    """Lines of a table, in the order of rows, without the column of that name."""
    by_row = {line.pop(name): line for line in lines(*parts)}
    return [by_row[row] for row in rows]


def gathered(said, row, person):
    rows, people = numbered({line[row] for line in said}), numbered({line[person] for line in said})
    labels = numbered({l for line in said for l in line["labels"].split("|") if l})
    looks = {}
    for line in said:
        ticks = looks.setdefault((rows[line[row]], people[line[person]]), set())
        ticks.update(labels[l] for l in line["labels"].split("|") if l)
    return rows, people, labels, looks


def some_looks(looks, count, random):
    """So many looks of each row, drawn; and the others."""
    by_row = {}
    for row, person in sorted(looks):
        by_row.setdefault(row, []).append(person)
    kept, others = {}, {}
    for row, people in by_row.items():
        chosen = set(random.permutation(people)[:count].tolist())
        for person in people:
            (kept if person in chosen else others)[row, person] = looks[row, person]
    return kept, others


def relex(looks=None, seed=30):
    said = lines("relex", "judgments.csv.gz")
    rows, people, labels, all_looks = gathered(said, "task", "worker")
    items = items_of(rows, "task", "relex", "texts.csv.gz")
    truth = np.full((len(rows), len(labels)), -1)
    for l in lines("relex", "expert.csv"):
        truth[rows[l["task"]], labels[l["label"]]] = int(l["true"])
    if looks:
        all_looks, _ = some_looks(all_looks, looks, np.random.default_rng(seed))
    return Real(rows, people, labels, all_looks, truth,
                lambda: words([f"{i['text']} {i['term1']} {i['term2']}" for i in items]), items)


def xray(looks=None, seed=30):
    said = lines("xray", "judgments.csv.gz")
    rows, people, labels, all_looks = gathered(said, "image", "reader")
    truth = np.full((len(rows), len(labels)), -1)
    for l in lines("xray", "adjudicated.csv.gz"):
        truth[rows[l["image"]], labels[l["label"]]] = int(l["true"])
    if looks:
        all_looks, _ = some_looks(all_looks, looks, np.random.default_rng(seed))
    items = items_of(rows, "image", "xray", "features.csv.gz")
    def x():
        return np.array([[float(i["age"] or 50) / 20, i["sex"] == "M", i["view"] == "AP",
                          *[float(v) for k, v in i.items() if k.startswith("nlp_")]]
                         for i in items], np.float32)
    return Real(rows, people, labels, all_looks, truth, x, items)


def brighter(looks=2, seed=30, graded=False):
    said = lines("brighter", "judgments.csv.gz")
    rows, people, labels, all_looks = gathered(said, "text_id", "annotator")
    items = items_of(rows, "text_id", "brighter", "texts.csv.gz")
    kept, others = some_looks(all_looks, looks, np.random.default_rng(seed))
    count, ticks = np.zeros(len(rows)), np.zeros((len(rows), len(labels)))
    for (row, _), ticked in others.items():
        count[row] += 1
        ticks[row, list(ticked)] += 1
    truth = (2 * ticks > count[:, None]).astype(int)
    truth[count < 3] = -1
    grades = {(rows[l["text_id"]], people[l["annotator"]], labels[k[10:]]): int(v) - 1
              for l in said for k, v in l.items() if k.startswith("intensity_") and int(v or 0) > 0}
    return Real(rows, people, labels, kept, truth, lambda: words([i["text"] for i in items]), items,
                grades if graded else None)
