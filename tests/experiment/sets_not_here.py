#!/usr/bin/python3
"""Sets of the paper that do not ship, made up in their shapes and layouts: from folder to table.

Usage: sets_not_here.py SIEVE PLANS. Ends with 77 where SciPy, which writes the MAT files, is missing.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
    import scipy.io
except ImportError:
    print("SciPy is not installed")
    sys.exit(77)

LABELS_XML = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n{}</labels>\n'


def labels_of(rows, labels, rng):
    """At least one of each row, and each label somewhere."""
    truth = (rng.random((rows, labels)) < 2.5 / labels).astype(float)
    truth[numpy.arange(rows), numpy.arange(rows) % labels] = 1
    return truth


def write_mat(path, rows, features, labels, rng):
    """As the page of partial multi-label data has them: labels down, rows across."""
    truth = labels_of(rows, labels, rng)
    candidates = numpy.maximum(truth, rng.random(truth.shape) < 0.15)
    features = rng.standard_normal((rows, features))
    features[:, : labels // 2] += 2 * truth[:, : labels // 2]
    scipy.io.savemat(path, {"data": features, "partial_labels": candidates.T, "target": truth.T})


def write_arff(path, rows, features, labels, rng, dense=False):
    """As Mulan has them: the labels last, sparse rows with indices over all attributes."""
    truth = labels_of(rows, labels, rng)
    names = [f"TAG_{i}" for i in range(labels)]
    with open(path, "w", encoding="utf-8") as out:
        out.write("@relation made-up\n\n")
        out.writelines(f"@attribute Att{i} numeric\n" for i in range(features))
        out.writelines(f"@attribute {name} {{0,1}}\n" for name in names)
        out.write("\n@data\n")
        for row in truth:
            if dense:
                values = [f"{value:.4f}" for value in rng.random(features)] + [str(int(v)) for v in row]
                out.write(",".join(values) + "\n")
                continue
            present = sorted(rng.choice(features, 8, replace=False))
            cells = [f"{i} {rng.random() + 0.1:.4f}" for i in present]
            cells += [f"{features + i} 1" for i in numpy.flatnonzero(row)]
            out.write("{" + ",".join(cells) + "}\n")
    return names


def write_labels(path, names):
    entries = "".join(f'<label name="{name}"></label>\n' for name in names)
    path.write_text(LABELS_XML.format(entries), encoding="utf-8")


def make_sets(folder, rng):
    for name, (rows, features, labels) in {
        "music_emotion": (300, 98, 11),
        "music_style": (300, 98, 10),
    }.items():
        (folder / name).mkdir()
        write_mat(folder / name / f"{name}.mat", rows, features, labels, rng)
    for name, labels in {"eurlex_dc": 412, "eurlex_sm": 201}.items():
        (folder / name).mkdir()
        names = write_arff(folder / name / f"{name}.arff", 500, 100, labels, rng, dense=True)
        write_labels(folder / name / f"{name}.xml", names)
    # All the words of tmc2007, in the two files that it comes in.
    (folder / "tmc2007-500").mkdir()
    for part in ("train", "test"):
        names = write_arff(folder / "tmc2007-500" / f"tmc2007-{part}.arff", 150, 49060, 22, rng)
    write_labels(folder / "tmc2007-500" / "tmc2007.xml", names)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(sieve, plans):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        data = folder / "data"
        data.mkdir()
        make_sets(data, numpy.random.default_rng(1))
        store = str(folder / "study.db")
        # A quick method, on two splits: the way is what is tested.
        only = "main,pml-ni,seed-30,seed-31"
        told = json.loads(
            run(sieve, "experiment", f"{plans}/paper.toml", "--data", str(data), "--store", store,
                "--only", only, "--json", "--quiet"))
        assert told["failures"] == [], told["failures"]
        assert told["done"] == 10, told
        absent = {each["data_set"] for each in told["absent"]}
        assert absent == {"mirflickr", "image", "scene", "yeast", "enron", "corel5k", "delicious"}, absent
        table = json.loads(run(sieve, "compare", store, "--only", only, "--json"))["tables"][0]
        rows = {each["data_set"]: each for each in table["rows"]}
        assert set(rows) == {"music_emotion", "music_style", "eurlex_dc", "eurlex_sm", "tmc2007"}, rows
        assert rows["music_style"]["noise"] == "given" and rows["eurlex_dc"]["noise"] == "fill-10"
        for name, row in rows.items():
            cell = row["cells"][0]
            assert cell["done"] == 2 and 0 <= cell["mean"] <= 1, (name, cell)
        # Candidates that were given are neither the truth nor all labels.
        assert 2 < rows["music_emotion"]["candidates"] < 9, rows["music_emotion"]
        assert abs(rows["eurlex_sm"]["candidates"] - 10) < 0.5, rows["eurlex_sm"]
        page = run(sieve, "compare", store, "--only", only, "--to", "markdown")
        assert "rows x 49060 features; in the paper: 28596 x 49060" in page, page
        assert "not complete: mirflickr: none of 2 tasks" in page, page
        # The results as a file, on a computer with half of the sets: what is there is taken over.
        known = folder / "known.csv"
        known.write_text(run(sieve, "compare", store, "--only", only, "--to", "results"))
        for name in ("music_style", "eurlex_sm"):
            shutil.rmtree(data / name)
        told = json.loads(
            run(sieve, "experiment", f"{plans}/paper.toml", "--data", str(data), "--store",
                str(folder / "half.db"), "--only", only, "--known", str(known), "--json", "--quiet"))
        assert (told["done"], told["taken_over"], told["without_data"]) == (0, 6, 18), told
        assert {"music_style", "eurlex_sm"} < {each["data_set"] for each in told["absent"]}, told
        print("10 tasks on 5 made-up sets, from folder to table")


if __name__ == "__main__":
    main(*sys.argv[1:])
