"""What the library calls a thing, and what it is called here.

Hints of the library name settings and functions by terms; this table has Python's words for those that
are not arguments of `read`. The arguments come from the library (`_library.READ_SETTINGS`), so that a
hint says what can be typed.
"""

# Some of it only the command has.
OTHER_WORDS = {
    "EpochLog": "sieve train --log",
    "Learner::fit": "labelsieve.train",
    "Model::state": "Model.info",
    "WriteOptions::format": "sieve convert --to",
    "clean": "LabelCleaner",
    "if_exists=replace": "force=True",
    "if_other=extend": "sieve experiment --extend",
    "jobs": "sieve experiment --jobs",
    "kind": "sieve predict --kind",
    "labels": "sieve synth --labels",
    "log": "sieve train --log",
    "measures": "sieve compare --measures",
    "only": "sieve experiment --only",
    "per_label": "per_label",
    "resume_from": "sieve train --resume",
    "rows": 'ask_about="rows"',
    "run_experiment": "sieve experiment",
    "store": "sieve experiment --store",
    "test": "sieve compare --test",
}


def words_for(settings: dict) -> dict:
    """Of every term, what it is called here; `settings` are the arguments of read(). Values that are
    texts stand in quotation marks."""
    words = {"=": '"'}
    for name, row in settings.items():
        words[row["key"]] = name
        if row["kind"] == "flag":
            words.update({f"{row['key']}=true": f"{name}=True", f"{row['key']}=false": f"{name}=False"})
    return words | OTHER_WORDS
