#!/usr/bin/python3
"""Text to TF-IDF beside scikit-learn, .npy beside numpy.load and a copy, and JSON lines in MB/s.

usage: text.py <folder of text_bench>

All on one thread, in processor time, so that other work on the machine matters little. Ours and the
peer take turns, and the best time of each counts; all files are in the page cache by then.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer

ROUNDS = 2
TEXTS = 5000
PROGRAM = os.path.join(sys.argv[1], "text_bench")
WORDS = {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"}


def ours(*arguments):
    return float(subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                                text=True).stdout)


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def best(mine, theirs):
    pairs = [(mine(), seconds(theirs)) for _ in range(ROUNDS)]
    return [min(side) for side in zip(*pairs)]


def print_line(what, mine, theirs, ratio, bar):
    print(f"{what:34} | {mine:>12} | {theirs:>12} | {ratio:6.2f}x | {bar:.2f}x"
          f"{'' if ratio >= bar else '  missed'}", flush=True)


def make_texts():
    """Words by Zipf's law, 20 to 200 in a text, one text in ten with letters beyond ASCII."""
    random = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(random.choice(letters, random.integers(2, 11))) for _ in range(50000)]
    accented = [word.replace("e", "\u00e9").replace("o", "\u00d6") for word in words]
    texts = []
    for i in range(TEXTS):
        picks = (random.zipf(1.3, random.integers(20, 200)) - 1) % len(words)
        source = accented if i % 10 == 0 else words
        texts.append(" ".join(source[k].capitalize() if k % 7 == 0 else source[k] for k in picks))
    return texts


def compare_text(folder):
    texts = make_texts()
    path = folder + "/texts.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for text in texts:
            out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    size = sum(len(text.encode()) for text in texts) / 1e6

    def speed(took):
        return f"{size / took:.1f} MB/s"

    tfidf = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=20000, **WORDS)
    mine, theirs = best(lambda: ours("text", path, 20000), lambda: tfidf.fit_transform(texts))
    print_line("TF-IDF, TfidfVectorizer", speed(mine), speed(theirs), theirs / mine, 5)
    hashing = HashingVectorizer(n_features=2**18, norm=None, alternate_sign=False, **WORDS)
    mine, theirs = best(
        lambda: ours("text", path, 0),
        lambda: TfidfTransformer(sublinear_tf=True).fit_transform(hashing.transform(texts)))
    print_line("TF-IDF, HashingVectorizer", speed(mine), speed(theirs), theirs / mine, 5)


def compare_arrays(folder):
    random = np.random.default_rng(2)
    cases = [("float32, 768 columns", (50000, 768), "f4", "C"),
             ("float32, 100 columns", (200000, 100), "f4", "C"),
             ("float64, 300 columns", (100000, 300), "f8", "C"),
             ("float32, column by column", (200000, 128), "f4", "F")]
    for what, shape, kind, order in cases:
        path = folder + "/x.npy"
        np.save(path, np.asarray(random.random(shape, dtype=np.float32), dtype=kind, order=order))
        size = os.path.getsize(path) / 1e9
        mine, theirs = best(lambda: ours("read", path),
                            lambda: np.array(np.load(path), dtype=np.float32, order="C"))
        print_line(".npy, " + what, f"{size / mine:.2f} GB/s", f"{size / theirs:.2f} GB/s",
                   theirs / mine, 0.8)
        os.remove(path)


def compare_lines(folder):
    random = np.random.default_rng(3)
    path = folder + "/x.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for row in random.normal(size=(10000, 256)):
            out.write(json.dumps({"x": [round(float(value), 6) for value in row]}) + "\n")
    size = os.path.getsize(path) / 1e6

    def theirs():
        with open(path, encoding="utf-8") as lines:
            np.array([json.loads(line)["x"] for line in lines], dtype=np.float32)

    mine, peer = best(lambda: ours("read", path), theirs)
    print_line("JSON lines, json.loads", f"{size / mine:.0f} MB/s", f"{size / peer:.0f} MB/s",
               peer / mine, 1)
    print(f"JSON lines: {size / mine:.0f} MB/s of 300{'' if size / mine >= 300 else '  missed'}")


def main():
    print(f"{'what':34} | {'ours':>12} | {'peer':>12} |  ratio | goal")
    with tempfile.TemporaryDirectory() as folder:
        compare_text(folder)
        compare_arrays(folder)
        compare_lines(folder)


main()
