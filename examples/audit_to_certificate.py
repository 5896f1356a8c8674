# %% [markdown]
# # From an audit to a certificate
#
# How good are these labels? An estimate is a guess; a few random decisions are a proof.

# %%
import labelsieve

crowd = labelsieve.make_crowd(rows=500, labels=6, votes=True, seed=4)
cleaner = labelsieve.LabelCleaner("forest", options={"trees": 100}).fit(crowd)
asked = labelsieve.audit(crowd, cleaner.labels_, probabilities=cleaner.probabilities_, budget=120)

# %% [markdown]
# Somebody decides the cells of this table, in a spreadsheet or an editor: 1, 0, or ? in `answer`. Here
# the known truth answers.

# %%
cells = asked.questions
truth = crowd.truth.toarray()
cells["answer"] = [truth[int(one.id), crowd.label_names.index(one.label)]
                   for one in cells.itertuples()]
print(cells[["id", "label", "answer"]].head(3).to_string(index=False))

# %%
result = asked.result(cells, accept=["precision >= 0.5"])
print(result)
print(result.goals)

# %% [markdown]
# The certificate holds the claims and every decision. Whoever has the data can compute it again.

# %%
certificate = asked.certificate(cells)
assert labelsieve.verify(certificate, crowd, cleaner.labels_,
                         probabilities=cleaner.probabilities_) == []
print(f"a certificate of {len(certificate) / 1000:.0f} kB holds")
