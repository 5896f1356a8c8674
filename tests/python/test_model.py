import csv
import pickle
import subprocess

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from sklearn.metrics import hamming_loss, label_ranking_loss

import labelsieve
from conftest import FOREST
from labelsieve import Data, FileError, Model, ModelError


def write_csv(path, X, y, names):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"f{j}" for j in range(X.shape[1])] + [f"label:{name}" for name in names])
        for row, on in zip(X, y):
            out.writerow([repr(float(v)) for v in row] + [int(v) for v in on])


@pytest.mark.parametrize("method, options", [
    ("blend", {"epochs": 3, "trees": 20}), ("mlp-noise", {"epochs": 3}), ("forest", {"trees": 20}),
    ("pml-ni", {}), ("pml-lc", {})])
def test_has_the_same_bits_as_the_command(crowd, sieve, tmp_path, method, options):
    X, y = np.array(crowd.X), crowd.y.toarray()
    write_csv(tmp_path / "crowd.csv", X, y, crowd.label_names)
    subprocess.run([sieve, "train", tmp_path / "crowd.csv", "--method", method, "--seed", "7",
                    "--out", tmp_path / "a.model", "--quiet", "--json",
                    *[word for key, value in options.items() for word in ("--set", f"{key}={value}")]],
                   check=True, capture_output=True)
    data = Data(X, y, label_names=crowd.label_names,
                feature_names=[f"f{j}" for j in range(X.shape[1])])
    model = labelsieve.train(data, method=method, options=options, random_state=7, n_jobs=2)
    model.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    told = subprocess.run([sieve, "predict", tmp_path / "a.model", tmp_path / "crowd.csv"],
                          check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(told.splitlines()))[1:]
    by_command = np.array([row[-len(crowd.label_names):] for row in rows], np.float32)
    assert (by_command == model.scores(X)).all()
    assert (model.scores(X.astype(np.float64)) == by_command).all()


def test_learns_from_votes_as_the_command_does(ticked, sieve, tmp_path):
    X = np.array(ticked.X)
    with open(tmp_path / "rows.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id"] + [f"f{j}" for j in range(X.shape[1])])
        for i, row in enumerate(X):
            out.writerow([f"r{i}"] + [repr(float(v)) for v in row])
    seen = set()
    with open(tmp_path / "ticks.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["item", "person", "label"])
        for row, person, label in ticked.votes:
            out.writerow([f"r{row}", ticked.annotators[person], ticked.label_names[label]])
            seen.add((row, person))
        for row, person in ticked.looked:
            if (row, person) not in seen:
                out.writerow([f"r{row}", ticked.annotators[person], ""])
    subprocess.run([sieve, "train", tmp_path / "rows.csv", "--annotations", tmp_path / "ticks.csv",
                    "--method", "forest", "--set", "trees=20", "--out", tmp_path / "a.model"],
                   check=True, capture_output=True)
    data = labelsieve.read(tmp_path / "rows.csv", annotations=tmp_path / "ticks.csv")
    model = labelsieve.train(data, method="forest", options={"trees": 20})
    assert model.to_bytes() == (tmp_path / "a.model").read_bytes()
    order = [data.label_names.index(name) for name in ticked.label_names]
    from_arrays = labelsieve.train(Data(X, votes=data.votes, looked=data.looked,
                                        label_names=data.label_names), method="forest",
                                   options={"trees": 20})
    assert (from_arrays.scores(X)[:, order] == model.scores(X)[:, order]).all()


def test_an_oracle_learns_from_the_truth(crowd):
    options = {"members": 1, "epochs": 2}
    oracle = labelsieve.train(crowd, method="oracle", options=options)
    of_truth = labelsieve.train(Data(crowd.X, crowd.truth, truth=crowd.truth), method="oracle",
                                options=options)
    assert (oracle.scores(crowd) == of_truth.scores(crowd)).all()
    with pytest.raises(labelsieve.DataError, match="oracle"):
        labelsieve.train(crowd.X, crowd.y, method="oracle")


def test_is_the_same_after_saving(crowd, tmp_path):
    model = labelsieve.train(crowd, **FOREST)
    model.save(tmp_path / "m.model")
    loaded = Model.load(tmp_path / "m.model")
    assert (loaded.scores(crowd) == model.scores(crowd)).all()
    assert loaded.info == model.info and loaded.method == "forest"
    assert (pickle.loads(pickle.dumps(model)).predict(crowd) == model.predict(crowd)).all()
    with pytest.raises(FileError, match="force=True"):
        model.save(tmp_path / "m.model")
    model.save(tmp_path / "m.model", force=True)


def test_is_exported_as_the_command_exports_it(crowd, sieve, tmp_path):
    model = labelsieve.train(crowd, **FOREST)
    model.save(tmp_path / "m.model")
    model.export(tmp_path / "a.onnx")
    subprocess.run([sieve, "export", tmp_path / "m.model", tmp_path / "b.onnx"], check=True,
                   capture_output=True)
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    with pytest.raises(FileError, match="force=True"):
        model.export(tmp_path / "a.onnx")
    model.export(tmp_path / "a.onnx", force=True)
    kernel = labelsieve.train(crowd, method="ml-rbf")
    with pytest.raises(ModelError, match="ONNX"):
        kernel.export(tmp_path / "k.onnx")
    assert not (tmp_path / "k.onnx").exists()


def test_keeps_a_promise_as_the_command_does(sieve, tmp_path):
    def run(*words):
        subprocess.run([sieve, *map(str, words)], check=True, capture_output=True, cwd=tmp_path)

    run("synth", "--rows", 600, "--labels", 3, "--noise", 0.3, "--out", "crowd.csv")
    run("split", "crowd.csv", "--out", "part", "--to", "csv", "--test-share", 0.5)
    run("train", "part-train.csv", "--method", "pml-ni", "--decided", "part-test.csv",
        "--guarantee", "recall=0.8", "--out", "a.model")
    by_command = Model.load(tmp_path / "a.model")
    model = labelsieve.train(tmp_path / "part-train.csv", method="pml-ni")
    assert model.info["guarantees"] == []
    with pytest.raises(labelsieve.DataError, match="keeps no thresholds for recall=0.8"):
        model.predict(tmp_path / "part-test.csv", guarantee="recall=0.8")
    promising = model.guarantee("recall=0.8", tmp_path / "part-test.csv")
    assert promising.info["guarantees"] == by_command.info["guarantees"] != []
    on = Model.from_bytes(promising.to_bytes()).predict(tmp_path / "part-test.csv",
                                                        guarantee="recall=0.8")
    assert (on == by_command.predict(tmp_path / "part-test.csv", guarantee="recall=0.8")).all()
    truth = labelsieve.read(tmp_path / "part-test.csv").truth.toarray()
    assert (on[truth == 1].mean() >= 0.8) and (on != model.predict(tmp_path / "part-test.csv")).any()


def test_a_promise_counts_decided_cells_alone(crowd):
    model = labelsieve.train(crowd, **FOREST)
    cells = [(row, 0, int(crowd.truth[row, 0])) for row in range(len(crowd))]
    promising = model.guarantee("recall=0.7", crowd, gold=cells).guarantee("recall=0.8", crowd)
    first, second = promising.info["guarantees"]
    assert [one["decisions"] > 0 for one in first["labels"]] == [True] + [False] * 5
    assert all(one["decisions"] > 0 for one in second["labels"])
    with pytest.raises(labelsieve.DataError, match="20 decided rows are too few"):
        model.guarantee("recall=0.95", crowd.X[:20], crowd.truth[:20])
    with pytest.raises(labelsieve.UsageError, match="not a guarantee"):
        model.guarantee("f1=0.9", crowd)
    with pytest.raises(labelsieve.UsageError, match="level"):
        model.guarantee("recall=0.9", crowd, level=2)


def test_refuses_what_is_no_model(tmp_path):
    with pytest.raises(FileError) as caught:
        Model.load(tmp_path / "none.model")
    assert isinstance(caught.value, OSError)
    (tmp_path / "x.model").write_bytes(b"x" * 100)
    with pytest.raises(ModelError):
        Model.load(tmp_path / "x.model")
    for data in (b"", b"x", bytes(1000)):
        with pytest.raises(ModelError):
            Model.from_bytes(data)
    with pytest.raises(TypeError, match="train"):
        Model()


def test_a_model_of_a_newer_version_is_named(crowd, tmp_path):
    model = labelsieve.train(crowd, method="forest", options={"trees": 2})
    newer = bytearray(model.to_bytes())
    newer[8] = 99  # the number of the format
    (tmp_path / "newer.model").write_bytes(newer)
    for load in (lambda: Model.from_bytes(bytes(newer)), lambda: Model.load(tmp_path / "newer.model"),
                 lambda: pickle.loads(pickle.dumps(model).replace(model.to_bytes(), bytes(newer)))):
        with pytest.raises(ModelError, match="newer version"):
            load()


def test_errors_are_the_same_after_pickling():
    with pytest.raises(labelsieve.UsageError) as caught:
        labelsieve.train(np.zeros((2, 2)), np.ones((2, 2)), method="forrest")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is labelsieve.UsageError and again.hint == caught.value.hint
    assert str(again) == str(caught.value)


def test_predicts_tables_as_it_learnt_them(tmp_path):
    rows = [("red", "a good day", 1, 0), ("blue", "a bad day", 0, 1)] * 20
    with open(tmp_path / "t.csv", "w") as file:
        file.write("colour,said,label:x,label:y\n")
        file.writelines(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    (tmp_path / "new.csv").write_text("said,colour\na good day,red\na bad day,blue\n")
    model = labelsieve.train(tmp_path / "t.csv", text_column="said", **FOREST)
    assert model.predict(tmp_path / "new.csv").tolist() == [[1, 0], [0, 1]]
    with pytest.raises(labelsieve.DataError, match="made"):
        model.scores(np.zeros((1, model.info["features"]), np.float32))


def test_measures_as_scikit_learn_does(crowd):
    truth = crowd.truth.toarray()
    model = labelsieve.train(crowd, **FOREST)
    scores, decisions = model.scores(crowd), model.predict(crowd)
    found = labelsieve.evaluate(truth, scores, decisions, candidates=crowd.y)
    assert found["ranking-loss"] == pytest.approx(label_ranking_loss(truth, scores))
    assert found["hamming-loss"] == pytest.approx(hamming_loss(truth, decisions))
    assert found == labelsieve.evaluate(sp.csr_matrix(truth), scores.astype(float), decisions,
                                        candidates=crowd.y)
    with pytest.raises(labelsieve.LabelSieveError):
        labelsieve.evaluate(truth, scores[:-1])
    with pytest.raises(labelsieve.UsageError, match="ties"):
        labelsieve.evaluate(truth, scores, ties="coin")


def test_tables_are_measured_by_name_and_arrays_by_position():
    truth = pandas.DataFrame([[1, 0, 0], [1, 1, 0], [0, 0, 1]], index=list("xyz"), columns=list("abc"))
    right = {"decisions": truth.loc[list("zxy"), list("bca")], "scores": truth[list("cba")] * 0.5}
    assert labelsieve.evaluate(truth, **right).micro_f1 == 1
    assert labelsieve.evaluate(truth, decisions=truth.astype("boolean")).micro_f1 == 1
    assert labelsieve.evaluate(truth.astype("boolean"), truth.astype(float)).average_precision == 1
    unnamed = pandas.DataFrame(truth.to_numpy(), columns=["p", "q", "r"])
    for given in (unnamed, truth.to_numpy(), truth.set_axis(list("mno"))):
        assert labelsieve.evaluate(truth, decisions=given).micro_f1 == 1
    for given, what in ((truth.rename(columns={"a": "d"}), "columns of decisions"),
                        (truth.rename(index={"x": "w"}), "index of decisions")):
        with pytest.raises(labelsieve.DataError, match=what):
            labelsieve.evaluate(truth, decisions=given)
    with pytest.raises(labelsieve.DataError, match="index of decisions"):
        labelsieve.evaluate(truth.reset_index(drop=True), decisions=truth.set_axis([2, 0, 1]))


@pytest.mark.parametrize("form", ["table", "names", "sets", "NaN"])
def test_trains_on_candidates_in_every_form_as_classifiers_do(crowd, form):
    X, y = np.array(crowd.X), crowd.y.toarray()
    names = [f"l{k}" for k in range(6)]
    given = {"table": pandas.DataFrame(y, columns=names).astype("boolean"),
             "names": [[names[k] for k in np.flatnonzero(row)] for row in y],
             "sets": [{names[k] for k in np.flatnonzero(row)} for row in y],
             "NaN": pandas.DataFrame(y, columns=names).astype("Int64").mask(np.eye(300, 6) == 1)}[form]
    model = labelsieve.train(X, given, **FOREST)
    assert model.label_names == names
    assert model.to_bytes() ==         labelsieve.LabelSieveClassifier(**FOREST).fit(X, given).model_.to_bytes()


def test_arguments_of_the_wrong_kind_are_named(crowd, tmp_path):
    model = labelsieve.train(crowd, **FOREST)
    for work, why in ((lambda: labelsieve.train(crowd, method=None), "method is a text"),
                      (lambda: labelsieve.train(crowd, options=["trees"]), "options are a dict"),
                      (lambda: labelsieve.train(crowd, crowd.y), "no option 'y'"),
                      (lambda: labelsieve.train(tmp_path / "t.csv", crowd.y), "y is for features"),
                      (lambda: model.guarantee(0.9, crowd), "goal is a text"),
                      (lambda: model.predict(crowd, guarantee=0.9), "guarantee is a text")):
        with pytest.raises(TypeError, match=why):
            work()
    assert labelsieve.train(crowd, **FOREST, n_jobs=np.int64(-1)).method == "forest"


def test_lists_methods_with_their_options():
    found = labelsieve.methods()
    assert next(iter(found)) == "blend"
    assert {"fast", "normal", "thorough"} == set(found["blend"]["options"][0]["choices"])


@pytest.mark.parametrize("seed", [-1, 2**64, 2**70])
def test_a_seed_that_would_wrap_around_is_refused(crowd, seed):
    with pytest.raises(labelsieve.UsageError, match=f"random_state cannot be {seed}"):
        labelsieve.train(crowd, **FOREST, random_state=seed)


@pytest.mark.parametrize("threads", [0, 2**31, 2**70])
def test_impossible_numbers_of_threads_are_refused(crowd, threads, tmp_path):
    said = f"n_jobs cannot be {threads}"
    model = labelsieve.train(crowd, **FOREST)
    with pytest.raises(labelsieve.UsageError, match=said):
        labelsieve.train(crowd, **FOREST, n_jobs=threads)
    with pytest.raises(labelsieve.UsageError, match=said):
        model.scores(crowd, n_jobs=threads)
    with pytest.raises(labelsieve.UsageError, match=said):
        labelsieve.read(tmp_path / "no.csv", n_jobs=threads)


def test_seeds_and_threads_are_whole_numbers_of_any_type(crowd):
    with pytest.raises(TypeError, match="random_state is a whole number"):
        labelsieve.train(crowd, **FOREST, random_state=1.5)
    with pytest.raises(TypeError, match="n_jobs is a whole number"):
        labelsieve.train(crowd, **FOREST, n_jobs="2")
    model = labelsieve.train(crowd, **FOREST, random_state=np.int64(3), n_jobs=np.uint8(1))
    assert model.to_bytes() == labelsieve.train(crowd, **FOREST, random_state=3).to_bytes()


def test_earlier_names_of_settings_are_read_with_a_warning(crowd):
    with pytest.warns(FutureWarning, match="random_state"):
        old = labelsieve.train(crowd, **FOREST, seed=3)
    with pytest.warns(FutureWarning, match="n_jobs"):
        assert old.scores(crowd, threads=1).shape
    now = labelsieve.LabelSieveClassifier(**FOREST, random_state=3).fit(crowd.X, crowd.y)
    with pytest.warns(FutureWarning):
        earlier = labelsieve.LabelSieveClassifier(**FOREST, seed=3, threads=2).fit(crowd.X, crowd.y)
    assert now.model_.to_bytes() == earlier.model_.to_bytes()


def test_generators_give_the_seed(crowd):
    def bytes_of(state):
        return labelsieve.train(crowd, **FOREST, random_state=state).to_bytes()
    for make in (np.random.RandomState, np.random.default_rng):
        assert bytes_of(make(5)) == bytes_of(make(5)) != bytes_of(make(6))
    np.random.seed(1)
    one = bytes_of(None)
    assert bytes_of(None) != one
    np.random.seed(1)
    assert bytes_of(None) == one


def test_there_is_nothing_to_measure_without_scores_and_decisions():
    with pytest.raises(labelsieve.UsageError, match="nothing to measure"):
        labelsieve.evaluate([[1, 0], [0, 1]])


@pytest.mark.parametrize("method, centre_and_slope", [
    ("forest", None), ("particle-vls", None), ("pml-ni", (0, 4)), ("capml", (0.5, 4)),
    ("ml-rbf", (0, 2))])
def test_probabilities_are_scores_or_a_curve_of_them(crowd, method, centre_and_slope):
    X = np.array(crowd.X)
    model = labelsieve.train(crowd, method=method, options={"trees": 30} if method == "forest" else None)
    wanted = model.scores(X).astype(np.float64)
    if centre_and_slope:
        centre, slope = centre_and_slope
        assert model.info["probability"] == {"centre": centre, "slope": slope}
        wanted = 1 / (1 + np.exp(slope * (centre - wanted)))
    found = model.probabilities(X)
    assert found.dtype == np.float32
    assert np.allclose(found, np.clip(wanted, 1e-7, 1 - 1e-7), rtol=1e-6, atol=1e-7)
    seen = []
    assert (model.probabilities(X, verbose=lambda *told: seen.append(told)) == found).all() and seen


@pytest.mark.parametrize("method, options", [("forest", {"trees": 10}), ("pml-ni", {"iterations": 5}),
                                             ("mlp", {"epochs": 2, "width": 8, "members": 1})])
def test_a_classifier_becomes_a_graph_of_onnx(crowd, method, options, tmp_path):
    onnx = pytest.importorskip("onnx")
    classifier = labelsieve.LabelSieveClassifier(method, options=options)

    def outputs(y):
        graph = onnx.load_model_from_string(classifier.fit(np.array(crowd.X), y).to_onnx())
        onnx.checker.check_model(graph, full_check=True)
        return {one.name: (one.type.tensor_type.elem_type, len(one.type.tensor_type.shape.dim))
                for one in graph.graph.output}
    kinds = onnx.TensorProto
    assert outputs(crowd.y) == {"scores": (kinds.FLOAT, 2), "labels": (kinds.INT64, 2),
                                "probabilities": (kinds.FLOAT, 2)}
    classifier.model_.export(tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == classifier.to_onnx()
    names = np.array(["no", "yes", "perhaps"])[np.arange(300) % 3]
    assert outputs(np.arange(300) % 3 - 1) == {"label": (kinds.INT64, 1),
                                               "probabilities": (kinds.FLOAT, 2)}
    assert outputs(names) == {"label": (kinds.STRING, 1), "probabilities": (kinds.FLOAT, 2)}


def test_what_onnx_cannot_express_is_refused(crowd):
    model = labelsieve.train(crowd, method="capml", options={"rounds": 1})
    with pytest.raises(labelsieve.ModelError, match="capml"):
        model.to_onnx()


def test_files_of_rows_without_labels_are_read_as_by_the_command(sieve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["sea sand sun", "sun sky sea", "snow ski ice", "ice cold snow", "sand sun sky"]
    lines = [f"{words[number % 5]} {'abcdefg'[number % 7]},{number % 9},"
             + ("beach" if number % 5 in (0, 1, 4) else "winter") for number in range(90)]
    (tmp_path / "few.csv").write_text("\n".join(["text,n,tags", *lines[:40]]) + "\n")
    (tmp_path / "more.csv").write_text("\n".join(["text,n,tags", *lines[40:]]) + "\n")
    options = {"trees": 10, "width": 8, "epochs": 2}
    subprocess.run([sieve, "train", "few.csv", "--text-column", "text", "--label-column", "tags",
                    "--unlabelled", "more.csv", "--out", "m.model", "--set",
                    ",".join(f"{key}={value}" for key, value in options.items())], check=True,
                   capture_output=True)
    reading = {"text_column": "text", "label_column": "tags"}
    model = labelsieve.train("few.csv", options=options, unlabelled="more.csv", **reading)
    assert model.to_bytes() == (tmp_path / "m.model").read_bytes()
    assert model.to_bytes() != labelsieve.train("few.csv", options=options, **reading).to_bytes()
    with pytest.raises(labelsieve.FileError, match="nothing.csv"):
        labelsieve.train("few.csv", options=options, unlabelled="nothing.csv", **reading)
