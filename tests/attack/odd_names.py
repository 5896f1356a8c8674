"""Names that a careless reader changes: they have to come back as they were."""
import csv
import io
import json

# Names of one group look alike to somebody who trims, folds case or reads numbers.
GROUPS = [
    ["007", "7", "07", "0007", "7.0"],
    ["1e2", "100", "1E2", "1e+2", "100.0", "0100"],
    ["a", "A", "ä", "Ä", "a\u0308"],
    ["north west", "North West", "north-west", "northwest", "north  west"],
    ["12345678901234567890", "12345678901234567891", "12345678901234567000"],
    ["9007199254740993", "9007199254740992", "9007199254740994"],
    ["0x10", "16", "0b1", "1_000", "1,000"],
    ["2024-01-02", "2024/01/02", "20240102", "1.2.2024"],
    ["true", "True", "yes", "Yes", "on"],
    ["inf", "-0", "+1", "1.", "0.5", "-1"],
    ["it's", 'a "b"', "a;b", "a|b", "a, b", "a\\b", "a'b"],
    ["[x]", "{y}", "#1", "@2", "=3", "=1+1"],
    ["naïve café", "日本", "émile", "Émile", "😀"],
    ["nan", "NaN", "null", "None", "NA"],
]
MISSING = {"na", "n/a", "nan", "?", "null"}  # docs/formats/tables.md
NO_LABEL = {"n/a", "nan", "null"}  # in annotations, docs/formats/ticks.md
PLAIN = {"items": [f"doc-{n}" for n in range(1, 40)], "people": ["kim", "lee", "max", "zoe", "uma"],
         "labels": ["sun", "sea", "snow", "city", "dog"]}
NUMBERS = {"items": [str(n) for n in range(1, 40)], "people": ["101", "102", "103", "104", "105"],
           "labels": ["sun", "sea", "snow", "city", "dog"]}


def odd(draw, count, forbidden=""):
    """Different names; most of them of a few groups, so that there are some to mix up."""
    names = [name for group in draw.sample(GROUPS, 3) for name in group]
    draw.shuffle(names)
    names = [name for name in names if not any(c in name for c in forbidden)]
    return (names + [f"doc-{n}" for n in range(40)])[:count]


def odd_names(draw):
    """For a crowd. What separates labels in a list is not in a label."""
    return {"items": odd(draw, 20), "people": odd(draw, 5, "/\\"),
            "labels": [name for name in odd(draw, 8, "|;[]{}\n,\"'")
                       if name.lower() not in NO_LABEL][:5]}


def table_text(columns, rows, delimiter=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


class Rows:
    """A table of rows with an id, a category, a text, a number and the labels."""

    def __init__(self, draw):
        self.draw = draw
        ids = draw.choice([odd(draw, 20), odd(draw, 20), NUMBERS["items"], PLAIN["items"]])
        self.ids = list(ids[:draw.randrange(8, 16)])
        self.expected = self.ids
        self.labels = ["sun", "sea", "snow"]
        kinds = odd(draw, 3)
        self.kind = {i: draw.choice(kinds) for i in self.ids}
        self.number = {i: str(draw.choice([1, 2, 3.5, -4, 1000000])) for i in self.ids}
        self.ticked = {i: {k for k in self.labels if draw.random() < 0.5} for i in self.ids}
        for label, i in zip(self.labels, self.ids):
            self.ticked[i].add(label)

    def data(self, order, labels=True):
        names = ["id", "kind", "number"] + [f"label:{k}" for k in self.labels] * labels
        return table_text(names, [[i, self.kind[i], self.number[i]] + self.bits(i) * labels
                                  for i in order])

    def bits(self, i):
        return [str(int(k in self.ticked[i])) for k in self.labels]

    def shuffled(self):
        order = list(self.ids)
        self.draw.shuffle(order)
        return order

    # ---- the checks: words to run, and what has to come of them

    def label_file(self, folder):
        """Labels in a file of their own, in another order; now and then not those of all rows.

        Rows without labels there are left out, and so are labels without a row.
        """
        order = self.shuffled() if self.draw.random() < 0.8 else list(self.ids)
        named = {i: i for i in order}
        fault = self.draw.choice(["", "", "", "other spelling", "a row less", "a row more",
                                  "a row twice"])
        if fault == "other spelling":
            named[order[0]] = self.other_spelling(order[0])
            self.expected = order[1:]
        elif fault == "a row less":
            order.pop()
            self.expected = list(order)
        elif fault == "a row twice":
            order.append(order[0])
        lines = [(named[i], self.ticked[i]) for i in order]
        if fault == "a row more":
            lines.append(("one more", set(self.labels)))
        write(folder, "data.csv", self.data(self.ids, labels=False))
        name, more = self.write_labels(folder, lines)
        twice = fault == "a row twice"
        judge = self.should_have_been_refused if twice else self.copy_is_right
        if self.draw.random() < 0.7:  # numbers alone
            rows = [[i, self.number[i]] for i in self.ids]
            write(folder, "data.csv", table_text(["id", "number"], rows))
            judge = self.should_have_been_refused if twice else self.labels_are_right
        else:
            more += ["--category-column", "kind"]
        return [["convert", "data.csv", "out.csv", "--label-file", name, *more]], judge

    def write_labels(self, folder, lines):
        form = self.draw.choice(["csv", "jsonl", "list"])
        if form == "jsonl":
            write(folder, "labels.jsonl", "".join(
                json.dumps({"id": i, "labels": sorted(ticked)}) + "\n" for i, ticked in lines))
            return "labels.jsonl", []
        if form == "list":
            write(folder, "labels.csv", table_text(
                ["id", "tags"], [[i, ";".join(sorted(ticked))] for i, ticked in lines]))
            return "labels.csv", ["--label-column", "tags"]
        write(folder, "labels.csv", table_text(
            ["id"] + self.labels,
            [[i] + [str(int(k in ticked)) for k in self.labels] for i, ticked in lines]))
        return "labels.csv", []

    def other_spelling(self, name):
        """What a careless reader takes for the same name, though it is none of the rows."""
        for other in (name.upper(), name.lower(), name + ".0", "0" + name, name + "_"):
            if other not in self.ids:
                return other
        return name + "?"

    def copies(self, folder):
        """Through other formats and back."""
        middle = self.draw.choice(["m.csv", "m.tsv", "m.jsonl", "m.csv.gz"])
        write(folder, "data.csv", self.data(self.ids))
        flags = self.draw.choice([["--category-column", "kind"], ["--category-column", "kind"], []])
        return [["convert", "data.csv", middle, *flags],
                ["convert", middle, "out.csv", *flags]], self.copy_is_right

    def binary_copies(self, folder):
        """Formats of numbers alone keep ids and labels."""
        middle = self.draw.choice(["m.sieve", "m.csv", "m.jsonl"])
        write(folder, "data.csv", self.data(self.ids))
        return [["convert", "data.csv", middle, "--ignore-columns", "kind"],
                ["convert", middle, "out.csv"]], self.labels_are_right

    def splits(self, folder):
        write(folder, "data.csv", self.data(self.ids))
        return [["split", "data.csv", "--out", "p", "--category-column", "kind", "--seed",
                 str(self.draw.randrange(100))]], self.parts_are_right

    def cleaned(self, folder):
        """A copy without the candidates below 0, which is all of them."""
        write(folder, "data.csv", self.data(self.ids))
        return [["clean", "data.csv", "--out", "out.csv", "--category-column", "kind", "--method",
                 "pml-ni", "--folds", "2", "--threshold", "0"]], self.copy_is_right

    def truth_file(self, folder):
        """The truth in a file of its own, in another order."""
        write(folder, "data.csv", self.data(self.ids))
        write(folder, "truth.csv", table_text(
            ["id"] + [f"truth:{k}" for k in self.labels],
            [[i, *self.bits(i)] for i in self.shuffled()]))
        return [["evaluate", "--truth", "truth.csv", "--decisions", "data.csv", "--json",
                 "--ignore-columns", "kind"]], \
            self.nothing_is_wrong

    def predictions(self, folder):
        """Scores carry the ids of the rows."""
        write(folder, "data.csv", self.data(self.ids))
        return [["train", "data.csv", "--out", "m", "--method", "pml-ni", "--category-column",
                 "kind"],
                ["predict", "m", "data.csv", "--out", "out.csv"]], self.ids_are_right

    CHECKS = ["label_file", "label_file", "copies", "binary_copies", "splits", "cleaned",
              "truth_file", "predictions"]

    # ---- what is wrong, in words; "" if nothing

    def copy_is_right(self, folder, _):
        return self.check_rows(*read_table(f"{folder}/out.csv"), cells=True)

    @staticmethod
    def should_have_been_refused(_, __):
        return "a row has labels twice"

    def labels_are_right(self, folder, _):
        return self.check_rows(*read_table(f"{folder}/out.csv"), cells=False)

    def parts_are_right(self, folder, _):
        names, rows = read_table(f"{folder}/p-train.csv")
        again, more = read_table(f"{folder}/p-test.csv")
        return self.check_rows(names, rows + more, cells=True) if names == again else \
            f"the parts have other columns: {names} and {again}"

    def check_rows(self, names, rows, cells):
        if "id" not in names:
            return f"there is no column id: {names}"
        found = {row[names.index("id")]: dict(zip(names, row)) for row in rows}
        if sorted(found) != sorted(self.expected) or len(rows) != len(self.expected):
            return f"ids were {sorted(self.expected)} and are {sorted(found)}"
        for i, row in found.items():
            ticked = {k for k in self.labels
                      for name in (f"label:{k}", f"candidate:{k}") if row.get(name) == "1"}
            if ticked != self.ticked[i]:
                return f"row {i!r} had {sorted(self.ticked[i])} and has {sorted(ticked)}"
            missing = self.kind[i].lower() in MISSING and row.get("kind") == ""
            if cells and row.get("kind") != self.kind[i] and not missing:
                return f"row {i!r}: {self.kind[i]!r} became {row.get('kind')!r}"
            if float(row.get("number", "nan")) != float(self.number[i]):
                return f"row {i!r}: {self.number[i]} became {row.get('number')}"
        return ""

    def ids_are_right(self, folder, _):
        names, rows = read_table(f"{folder}/out.csv")
        found = [row[0] for row in rows]
        return "" if names[0] == "id" and found == self.ids else f"ids {self.ids} became {found}"

    def nothing_is_wrong(self, _, out):
        told = json.loads(out)
        loss = find_key(told, "hamming-loss")
        return "" if loss == 0 else f"hamming-loss is {loss} against the same labels"


def find_key(value, wanted):
    if isinstance(value, dict):
        if wanted in value:
            inner = value[wanted]
            return inner.get("value") if isinstance(inner, dict) else inner
        if value.get("name") == wanted:
            return value.get("value")
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            found = find_key(inner, wanted)
            if found is not None:
                return found
    return None


def write(folder, name, text):
    with open(f"{folder}/{name}", "w", encoding="utf-8", newline="") as file:
        file.write(text)
