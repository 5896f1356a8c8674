"""Mistakes that a type checker finds: one in each line that says so."""
from labelsieve import ForestClassifier, aggregate, audit, make_crowd, read, train

crowd = make_crowd(rows=300, votes=True)
train(crowd, method="forrest")  # mistake
read("rows.csv", lable_count=-3)  # mistake
ForestClassifier(trees="many")  # mistake
aggregate(crowd, how="mayority")  # mistake
print(audit(crowd).result([]).claims["precision"].hgih)  # mistake
make_crowd(rows="300")  # mistake
ForestClassifier(tres=30)  # mistake
aggregate("votes.csv", item_colum="photo")  # mistake
audit(crowd, bugdet=60)  # mistake
