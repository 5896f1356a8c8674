# %% [markdown]
# # From text to a model that runs anywhere
#
# Messages come with tags that several people chose, some of them wrong. We make numbers of the text,
# learn from the tags, and write the model as an ONNX file for a service that knows nothing of
# LabelSieve.

# %%
import json
import pathlib

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from labelsieve import MlpNoiseClassifier, evaluate

TAGS = {"billing": "invoice refund card charged twice price",
        "delivery": "parcel late courier address tracking lost",
        "login": "password account locked email code sign",
        "praise": "great thanks love wonderful quick helpful"}

# Made-up messages: words of one or two tags, and some that say nothing.
rng = np.random.default_rng(5)
names = list(TAGS)
words = [TAGS[name].split() for name in names]
truth = np.zeros((600, len(names)), int)
texts = []
for row in truth:
    row[rng.choice(len(names), rng.integers(1, 3), replace=False)] = 1
    said = [word for k in np.flatnonzero(row) for word in rng.choice(words[k], 3)]
    texts.append(" ".join(rng.permutation([*said, *rng.choice(["hello", "the", "please", "my"], 3)])))
tags = truth | (rng.random(truth.shape) < 0.25)  # and wrong ones
print(texts[0], "->", [names[k] for k in np.flatnonzero(tags[0])])

# %% [markdown]
# Words become numbers, weighted by how rare they are. The classifier takes the sparse matrix as it is.

# %%
vectorizer = TfidfVectorizer(dtype=np.float32)
X = vectorizer.fit_transform(texts)
classifier = MlpNoiseClassifier(members=3, epochs=40, depth=1)
classifier.fit(X[:450], tags[:450])
found = evaluate(truth[450:], classifier.predict_proba(X[450:]), classifier.predict(X[450:]))
print(f"average precision {found.average_precision:.3f}, micro F1 {found.micro_f1:.3f}")
assert found.average_precision > 0.95

# %% [markdown]
# The ONNX file takes rows of numbers, so the service also needs to know which word is which column.

# %%
pathlib.Path("tags.onnx").write_bytes(classifier.to_onnx())
pathlib.Path("tags.words.json").write_text(json.dumps(
    {"columns": vectorizer.get_feature_names_out().tolist(), "weights": vectorizer.idf_.tolist(),
     "tags": names}))
print(f"tags.onnx: {pathlib.Path('tags.onnx').stat().st_size / 1000:.0f} kB")

# %% [markdown]
# Any runtime of ONNX can answer now; in Python that would be
#
#     session = onnxruntime.InferenceSession("tags.onnx")
#     scores, labels = session.run(["scores", "labels"], {"features": X[:1].toarray()})
#
# Where the package `onnx` is installed, it checks the file.

# %%
try:
    import onnx
except ImportError:
    print("the package onnx is not installed: the file was not checked")
else:
    onnx.checker.check_model(onnx.load("tags.onnx"), full_check=True)
    print("the file is valid")
