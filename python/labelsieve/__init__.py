"""Finds wrong labels in multi-label data, and learns from what several annotators said.

    what you have                                what to call
    votes: a table of item, annotator, label     aggregate(votes), annotators(votes), ask(votes)
    features, and labels that may be wrong       LabelCleaner().fit(X, y).suspects(20)
    the same, and want a model                   BlendClassifier().fit(X, y)
    labels whose quality has to be proved        audit(labels)
    files                                        read("table.csv"), train("table.csv")
    a folder, and want to look at it             open("folder")

>>> import labelsieve
>>> data = labelsieve.make_crowd(rows=300, votes=True, seed=1)
>>> model = labelsieve.train(data, method="forest", options={"trees": 50})
>>> model.predict(data).shape
(300, 12)
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._library import (DataError, FileError, LabelSieveError, ModelError, TrainingError,
                           UsageError)
    from .claims import Audit, AuditResult, Claim, audit, verify
    from .classifier import LabelSieveClassifier
    from .cleaner import LabelCleaner
    from .estimators import (BlendClassifier, ForestClassifier, MlpClassifier, MlpNoiseClassifier,
                             PmlGanClassifier)
    from .data import Data, inspect, make_crowd, read
    from .model import Model, evaluate, methods, train
    from .review import Page, open
    from .votes import aggregate, agreement, annotators, ask

    __version__: str

# Where each name is found. Nothing is loaded before it is used: scikit-learn takes a second.
_PLACES = {
    "_library": ("DataError", "FileError", "LabelSieveError", "ModelError", "TrainingError",
                 "UsageError"),
    "claims": ("Audit", "AuditResult", "Claim", "audit", "verify"),
    "classifier": ("LabelSieveClassifier",),
    "estimators": ("BlendClassifier", "ForestClassifier", "MlpClassifier", "MlpNoiseClassifier",
                   "PmlGanClassifier"),
    "cleaner": ("LabelCleaner",),
    "data": ("Data", "inspect", "make_crowd", "read"),
    "model": ("Model", "evaluate", "methods", "train"),
    "review": ("Page", "open"),
    "votes": ("aggregate", "agreement", "annotators", "ask"),
}
__all__ = ["DataError", "FileError", "LabelSieveError", "ModelError", "TrainingError",
           "UsageError", "LabelSieveClassifier", "LabelCleaner", "Data", "inspect", "make_crowd",
           "read", "Model", "evaluate", "methods", "train", "aggregate", "agreement", "annotators", "ask",
           "Audit", "AuditResult", "Claim", "audit", "verify", "BlendClassifier",
           "Page", "ForestClassifier", "MlpClassifier", "MlpNoiseClassifier", "PmlGanClassifier"]


def __getattr__(name: str) -> Any:
    import importlib
    if name == "__version__":
        found: Any = importlib.import_module("._library", __name__).library.ls_version().decode()
    else:
        for place, names in _PLACES.items():
            if name in names:
                found = getattr(importlib.import_module("." + place, __name__), name)
                break
        else:
            raise AttributeError(f"module 'labelsieve' has no attribute '{name}'")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", "open"]  # whose star would hide the builtin
