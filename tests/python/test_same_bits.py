"""One request, asked of the command, of C, of Python and of a study, gives the same bits."""
import csv
import json
import os
import sqlite3
import subprocess

import numpy as np
import pytest

import labelsieve

SEED = 3
METHOD, OPTIONS = "blend", {"trees": 10, "width": 8, "epochs": 2}
NOISE = {"candidates": ["fill", "--average", 5],
         "votes": ["crowd", "--annotators-per-row", 3, "--annotators", 5]}
PLAN = {"candidates": f'noise = "fill"\nlevels = [5]\n[[method]]\nname = "{METHOD}"\n',
        "votes": f'noise = "crowd"\nlevels = [3]\nset = {{ annotators = 5 }}\n'
                 f'[[method]]\nname = "weighed"\nlearner = "joint+{METHOD}"\n'}
SETTINGS = ",".join(f"{key}={value}" for key, value in OPTIONS.items())


@pytest.fixture(params=["candidates", "votes"])
def noise(request):
    return request.param


@pytest.fixture
def run(sieve, tmp_path):
    def run(*words):
        subprocess.run([sieve, *map(str, words), "--quiet"], check=True, capture_output=True,
                       cwd=tmp_path)
    return run


@pytest.fixture
def rows(run, noise, tmp_path):
    """A noisy training part and a clean test part, as a study makes them of whole.sieve."""
    run("synth", "--rows", 250, "--labels", 6, "--seed", 8, "--out", "whole.sieve")
    run("corrupt", "whole.sieve", "noisy.sieve", "--protocol", *NOISE[noise], "--seed", SEED)
    run("split", "noisy.sieve", "--how", "random", "--seed", SEED, "--out", "part", "--to", "sieve")
    data = labelsieve.read(tmp_path / "part-train.sieve")
    assert (data.votes is not None) == (noise == "votes")
    return data


def by_command(run, tmp_path, data, gold):
    with open(tmp_path / "gold.csv", "w", newline="") as file:
        csv.writer(file).writerows([("item", "label", "true"),
                                    *((row, data.label_names[k], on) for row, k, on in gold)])
    run("train", "part-train.sieve", "--method", METHOD, "--set", SETTINGS, "--seed", SEED, "--out",
        "a.model", *(["--gold", "gold.csv"] if gold else []))
    return (tmp_path / "a.model").read_bytes()


def by_c(tmp_path, gold):
    program = os.environ.get("TRAIN_FILE_C")
    if not program:
        pytest.skip("the program in C is not there: set TRAIN_FILE_C")
    subprocess.run([program, "part-train.sieve", METHOD, json.dumps(OPTIONS), str(SEED), "c.model",
                    *(str(part) for cell in gold for part in cell)], check=True, cwd=tmp_path)
    return (tmp_path / "c.model").read_bytes()


def by_study(run, noise, tmp_path):
    options = ", ".join(f"{key} = {value}" for key, value in OPTIONS.items())
    (tmp_path / "plan.toml").write_text(
        f'repeats = 1\nfirst-seed = {SEED}\n[[data]]\nname = "whole"\nfolder = "whole.sieve"\n'
        f'{PLAN[noise]}set = {{ {options} }}\n')
    run("experiment", "plan.toml", "--data", ".", "--store", "study.db")
    with sqlite3.connect(tmp_path / "study.db") as store:
        return dict(store.execute("select name, value from measures"))


@pytest.mark.parametrize("decided", [False, True])
def test_all_interfaces_give_the_same_bits(run, rows, noise, decided, tmp_path):
    truth = rows.truth.toarray()
    gold = [(row, row % 6, int(truth[row, row % 6])) for row in range(20)] if decided else []
    model = labelsieve.train(rows, method=METHOD, options=OPTIONS, random_state=SEED, gold=gold or None)
    assert by_command(run, tmp_path, rows, gold) == model.to_bytes()
    assert by_c(tmp_path, gold) == model.to_bytes()
    if decided:  # a study has no decided cells
        plain = labelsieve.train(rows, method=METHOD, options=OPTIONS, random_state=SEED)
        assert plain.to_bytes() != model.to_bytes()
        return
    test = labelsieve.read(tmp_path / "part-test.sieve")
    measured = labelsieve.evaluate(test.truth, model.scores(test), model.predict(test))
    study = by_study(run, noise, tmp_path)
    assert len(measured) > 10
    assert all(study[name] == value or np.isnan(value) for name, value in measured.items())
