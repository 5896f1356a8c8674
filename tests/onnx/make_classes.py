"""Writes graphs of classifiers with one class per row, and what the classifiers say. Usage: make_classes.py FOLDER"""
import json
import pathlib
import sys

import numpy as np

import labelsieve

NETWORK = {"epochs": 4, "width": 16, "members": 2}
QUICK = [labelsieve.BlendClassifier(trees=20, epochs=3, width=16), labelsieve.ForestClassifier(trees=20),
         labelsieve.MlpClassifier(**NETWORK), labelsieve.MlpNoiseClassifier(**NETWORK),
         labelsieve.PmlGanClassifier(**NETWORK),
         labelsieve.LabelSieveClassifier("pml-ni", options={"iterations": 20})]

folder = pathlib.Path(sys.argv[1])
crowd = labelsieve.make_crowd(rows=300, features=20, labels=4, noise=1, seed=1)
X = np.array(crowd.X)
classes = np.array(["no", "yes", "perhaps"])[(X[:, 0] > X[:, 1]) + (X[:, 0] > X[:, 2]).astype(int)]
for classifier in QUICK:
    name = "classes-" + (getattr(classifier, "method", None) or classifier._name)
    classifier.fit(X, classes)
    (folder / f"{name}.onnx").write_bytes(classifier.to_onnx())
    (folder / f"{name}.json").write_text(json.dumps({
        "rows": X.tolist(), "labels": classifier.predict(X).tolist(),
        "probabilities": classifier.predict_proba(X).tolist()}), encoding="utf-8")
