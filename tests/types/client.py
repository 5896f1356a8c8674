"""A program that uses the package as it is meant: a strict type checker has nothing to say of it."""
from labelsieve import (BlendClassifier, Claim, ForestClassifier, LabelCleaner, aggregate, annotators,
                        ask, audit, make_crowd, read, train)

crowd = make_crowd(rows=300, labels=5, votes=True, seed=1)
print(crowd.shape[0], crowd.label_names[0].upper())
read("rows.csv", label_count=-3, annotations="votes.csv", text_column=["title", "body"])
model = train(crowd, method="forest", options={"trees": 10}, random_state=3, n_jobs=2)
print(model.scores(crowd.X).shape, model.to_onnx()[:4])
forest = ForestClassifier(trees=50, splits="best", bootstrap=False)
print(forest.fit(crowd.X, crowd.y).predict_proba(crowd.X).mean())
BlendClassifier(trees="auto", budget="thorough").fit(crowd.X, crowd.y, gold=[(0, 1, 1)])
cleaner = LabelCleaner("mlp-noise", budget=None, folds=3).fit(crowd)
print(cleaner.suspects(3), aggregate(crowd, how="majority"), annotators(crowd, most=3))
print(ask(crowd, about="cells", budget=5))
result = audit(crowd, cleaner.labels_, budget=60, ask_about="labels").result([1] * 66)
claim: Claim = result.claims["precision"]
print(claim.low + claim.high, claim.text.upper())
