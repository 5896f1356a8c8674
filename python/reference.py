#!/usr/bin/env python3
"""Writes docs/python-api.md, the reference of the Python package, from its docstrings.

    reference.py            ends with 1 if the page is not what the docstrings say
    reference.py --write    makes it so

LABELSIEVE_LIBRARY names the library.
"""
import inspect
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
PAGE = HERE.parent / "docs" / "python-api.md"
HEAD = """# The Python package, name by name

Made by `python/reference.py` from the docstrings; its examples are run as tests. [python.md](python.md) tells the story.
"""
PARTS = {"Learning": ["BlendClassifier", "ForestClassifier", "MlpNoiseClassifier", "MlpClassifier",
                      "PmlGanClassifier", "LabelSieveClassifier", "train", "Model", "methods"],
         "Cleaning": ["LabelCleaner"],
         "Review": ["open", "Page"],
         "Votes": ["aggregate", "annotators", "agreement", "ask"],
         "Proof": ["audit", "Audit", "AuditResult", "Claim", "verify"],
         "Data and measures": ["Data", "read", "make_crowd", "inspect", "evaluate"],
         "Errors": ["LabelSieveError", "UsageError", "DataError", "ModelError", "FileError",
                    "TrainingError"]}


def sections(doc):
    """(title, lines) of the sections of a docstring; the first has no title."""
    lines, found = inspect.cleandoc(doc or "").splitlines(), [("", [])]
    at = 0
    while at < len(lines):
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1]):
            found.append((lines[at], []))
            at += 2
            continue
        found[-1][1].append(lines[at])
        at += 1
    return found


def listed(lines):
    """name : type, and the indented lines below it, as a list."""
    out = []
    for line in lines:
        if line.startswith(" "):
            out[-1] += (": " if out[-1].endswith(")") or out[-1].endswith("`") else " ") + line.strip()
        elif line.strip():
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f" ({kind})" if kind else ""))
    return out


def rendered(doc, name=""):
    """A docstring as Markdown; examples import the name that they are of."""
    out = []
    for title, lines in sections(doc):
        examples = [at for at, line in enumerate(lines) if line.startswith(">>>")]
        text = lines[:examples[0]] if examples else lines
        if title in ("Parameters", "Attributes", "Raises", "Options"):
            out += [f"{title}:", "", *listed(text), ""]
        elif title == "Returns":
            out += ["Returns " + " ".join(line.strip() for line in text).strip(), ""]
        elif any(line.strip() for line in text):
            out += ["\n".join(text).strip(), ""]
        if examples:
            shown = lines[examples[0]:]
            known = not name or any("import" in line and name in line for line in shown)
            out += ["```python", *([] if known else [f">>> from labelsieve import {name}"]), *shown, "",
                    "```", ""]
    return out


def called(thing):
    """The signature without types, as one calls it."""
    given = inspect.signature(thing)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in given.parameters.values()
             if one.name not in ("self", "seed", "threads", "people")]
    return str(given.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def entry(name, thing):
    error = inspect.isclass(thing) and issubclass(thing, Exception)
    short = {"read": "(*paths, **options)", "make_crowd": "(rows=2000, **options)"}.get(name)
    out = [f"### {name}", ""]
    if not error:
        out += [f"`{name}{short or called(thing)}`", ""]
    out += rendered(thing.__doc__, name)
    if not inspect.isclass(thing) or error or name.endswith("Classifier") and \
            name != "LabelSieveClassifier":
        return out
    for method, function in inspect.getmembers(thing):
        own = str(getattr(function, "__module__", "")).startswith("labelsieve")
        if method.startswith("_") or not inspect.isroutine(function) or not own:
            continue
        out += [f"#### {name}.{method}", "", f"`{method}{called(function)}`", "",
                *rendered(function.__doc__)]
    return out


def page():
    import labelsieve
    left = set(labelsieve.__all__) - {name for names in PARTS.values() for name in names}
    if left:
        raise SystemExit(f"these names have no place in the reference: {sorted(left)}")
    lines = [HEAD]
    for part, names in PARTS.items():
        lines += [f"## {part}", ""]
        for name in names:
            lines += entry(name, getattr(labelsieve, name))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def main():
    made = page()
    if "--write" in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == made:
        return 0
    print("docs/python-api.md is not what the docstrings say; run `make snapshots`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
