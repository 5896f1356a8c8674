#!/usr/bin/env python3
"""Includes point down: a module and its tests use only the modules below it (docs/architecture.md lists
them), and the public headers use nothing but each other. The command keeps to the public headers but
for a few. No two headers define a type of the same name: the linker would take one for the other.
Intervals of shares are made by claims alone; nothing that users see makes its own.
Prints what does not and ends with 1 if there is any.

usage: tests/modules_test.py PROJECT
"""
import pathlib
import re
import sys

BELOW = {
    "base": [],
    "linalg": ["base"],
    "data": ["base", "linalg"],
    "metrics": ["base", "linalg"],
    "claims": ["base", "linalg", "data"],
    "crowd": ["base", "linalg", "data", "metrics", "claims"],
    "nn": ["base", "linalg"],
    "methods": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn"],
    "model_io": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods"],
    "pipeline": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods",
                 "model_io"],
    "cluster": ["base"],
    "experiment": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods", "model_io",
                   "pipeline", "cluster"],
    "report": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods", "model_io",
               "pipeline", "cluster", "experiment"],
    "c_api": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods", "model_io",
              "pipeline", "cluster", "experiment", "report"],
    "review": ["base", "linalg", "data", "metrics", "claims", "crowd", "nn", "methods", "model_io",
               "pipeline", "cluster", "experiment", "report"],
}
# What a module itself is declared in is public.
PUBLIC = "labelsieve"
# What the command uses beyond the public headers. A long list would mean that a part of the library
# lives in the command, or lacks a public header.
COMMAND_USES = {
    "base/file_lock.h", "base/format_text.h", "base/json.h", "base/named_rows.h", "base/parse_number.h",
    "base/stage_progress.h", "base/streams.h", "base/table.h", "base/toml.h", "cluster/meeting.h",
    "cluster/ranks.h", "crowd/aggregation_names.h", "data/annotations/annotation_files.h",
    "data/annotations/annotations_back.h", "data/annotations/item_data.h", "data/csv/csv_cells.h",
    "data/question.h", "data/read_settings.h", "data/roles/guess_roles.h", "data/roles/roles_file.h",
    "data/table_source.h", "experiment/experiment.h", "experiment/grid.h", "experiment/results_file.h",
    "linalg/target.h", "pipeline/columns_beside.h", "pipeline/judge_votes.h",
    "pipeline/reviewed_labels.h", "report/pages.h", "report/rendered.h", "review/machine_labels.h",
}


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if found and "/" in found[1]:
            yield number, found[1].split("/")[0], found[1]


def faults(project):
    for folder in sorted((project / "src").iterdir()):
        if folder.is_dir() and folder.name not in BELOW:
            yield f"{folder}: this test knows of no such module"
    for module, below in BELOW.items():
        paths = [path for tree in ("src", "tests") for path in (project / tree / module).rglob("*")]
        for path in sorted(path for path in paths if path.suffix in (".h", ".cpp")):
            for number, other, name in includes(path):
                if other in BELOW and other not in [module, *below]:
                    yield f"{path}:{number}: {module} is below {other}, so it cannot include {name}"
    for path in sorted((project / "apps" / "sieve").iterdir()):
        for number, other, name in includes(path):
            if other in BELOW and name not in COMMAND_USES:
                yield f"{path}:{number}: {name} is private to the library"
    for path in sorted((project / "include").rglob("*.h")):
        for number, other, name in includes(path):
            if other != PUBLIC:
                yield f"{path}:{number}: a public header cannot include {name}"


def types_defined_twice(project):
    first = {}
    for tree in ("include", "src", "apps"):
        for path in sorted((project / tree).rglob("*.h")):
            for name in re.findall(r"^(?:struct|class|enum class) (\w+)[^;(]*\{", path.read_text(encoding="utf-8"), re.M):
                if first.setdefault(name, path) != path:
                    yield f"{path}: {name} is a type of {first[name]}, too"


# What makes an interval of a share, in words and in numbers.
INTERVAL = re.compile(r"clopper|wilson|(?:normal|student|beta|binomial)_(?:quantile|cdf|tails?)|"
                      r"\b1\.(?:96|64|28)\d*\b", re.I)
# Takes a standard error back out of an interval that the model of annotators gives.
MAY_KNOW_INTERVALS = {"src/pipeline/judged.cpp"}


def intervals_made_elsewhere(project):
    for tree in ("src/pipeline", "src/report", "src/review", "src/c_api", "apps", "python"):
        for path in sorted((project / tree).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".js", ".py") or str(path.relative_to(project)) in MAY_KNOW_INTERVALS:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if INTERVAL.search(line):
                    yield f"{path}:{number}: an interval is made here: let src/claims make a Claim"


def main():
    project = pathlib.Path(sys.argv[1])
    found = [*faults(project), *types_defined_twice(project), *intervals_made_elsewhere(project)]
    print("\n".join(found) if found else "all includes point down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
