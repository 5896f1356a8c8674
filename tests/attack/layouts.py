"""Small crowds whose votes are known, written in every layout of annotations, with columns renamed,
moved, added and taken away. A case knows what a right reading is; a refusal is right, too.
"""
import csv
import io
import json

LAYOUTS = ["long", "wide", "mturk", "crowdflower", "label-studio", "label-studio-min", "prodigy",
           "doccano", "argilla", "cekaplus"]

# Names that the same column has in real files. What a program does not know it has to ask for.
ITEMS = ["item", "task", "item_id", "taskId", "id", "image", "document", "sentence_id", "post",
         "url", "tweet_id", "row"]
PEOPLE = ["worker", "annotator", "rater_id", "user", "email", "performer", "reader", "coder",
          "assigned_to", "completed_by", "reviewer"]
LABELS = ["label", "labels", "answer", "tag", "category", "class", "emotion", "finding",
          "annotation"]


class Table:
    """Columns in their order, and records as dicts of texts."""

    def __init__(self, columns, records):
        self.columns, self.records = list(columns), records

    def rename(self, old, new):
        self.columns = [new if name == old else name for name in self.columns]
        for record in self.records:
            record[new] = record.pop(old)

    def add(self, name, cell, at=None):
        if name in self.columns:
            return
        self.columns.insert(len(self.columns) if at is None else at, name)
        for number, record in enumerate(self.records):
            record[name] = cell(number, record)

    def remove(self, name):
        self.columns.remove(name)
        for record in self.records:
            del record[name]

    def text(self, delimiter=",", header=True, line_end="\n"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
        if header:
            writer.writerow(self.columns)
        writer.writerows([record[name] for name in self.columns] for record in self.records)
        return out.getvalue()

    def json_lines(self):
        return "".join(json.dumps({name: record[name] for name in self.columns}) + "\n"
                       for record in self.records)

    def json_list(self):
        return json.dumps([{name: record[name] for name in self.columns}
                           for record in self.records], indent=1)


class Crowd:
    """Who looked at which item, and what they ticked there."""

    def __init__(self, draw, names):
        self.draw = draw
        self.items = names["items"][:draw.randrange(6, 13)]
        self.people = names["people"][:draw.randrange(2, 6)]
        self.labels = names["labels"][:draw.randrange(3, 6)]
        self.votes = {}
        for item in self.items:
            for person in draw.sample(self.people, draw.randrange(1, len(self.people) + 1)):
                self.votes[item, person] = {k for k in self.labels if draw.random() < 0.4}
        # Every label and every person occurs, and somebody ticked something.
        for label, look in zip(self.labels, draw.sample(sorted(self.votes), len(self.labels))):
            self.votes[look].add(label)

    def looks(self):
        return sorted(self.votes)

    def forget_empty_looks(self):
        self.votes = {look: ticks for look, ticks in self.votes.items() if ticks}


class Case:
    """One file (or folder) of annotations: its content by name, and the votes that it means."""

    def __init__(self, layout, crowd):
        self.layout, self.crowd, self.draw = layout, crowd, crowd.draw
        self.files, self.name, self.flags = {}, "ticks.csv", []
        self.done = [layout]        # the mutations, in words
        self.must_refuse = False    # what would be needed is not there
        self.rename_items = None    # the items go by other names then
        self.everyone = False       # people cannot be known: all are one, or it is refused

    def say(self, mutation):
        self.done.append(mutation)

    def chance(self, share):
        return self.draw.random() < share

    def wanted(self):
        """Ticks by item and person; people are None where they cannot be known."""
        votes = self.crowd.votes
        if self.rename_items:
            votes = {(self.rename_items[item], person): ticks
                     for (item, person), ticks in votes.items()}
        if not self.everyone:
            return votes
        union = {}
        for (item, _), ticks in votes.items():
            union.setdefault((item, None), set()).update(ticks)
        return union

    def items(self):
        return [self.rename_items[i] if self.rename_items else i for i in self.crowd.items]


# ---- columns that real files have beside the three that matter -----------------------------------

def time_cell(number, _):
    return f"2024-03-{number % 27 + 1:02} 10:{number % 60:02}:00"


EXTRA = {
    "a record id": ("annotation_id", lambda n, _: str(5000 + n)),
    "a record id called id": ("id", lambda n, _: str(5000 + n)),
    "a uuid": ("uuid", lambda n, _: f"{n:08x}-0000-4000-8000-{n:012x}"),
    "a timestamp": ("created_at", time_cell),
    "a date": ("date", lambda n, _: f"2024-01-{n % 28 + 1:02}"),
    "seconds": ("lead_time", lambda n, _: f"{3 + n % 7}.25"),
    "gold flags": ("is_gold", lambda n, _: "true" if n % 5 == 0 else "false"),
    "gold flags as numbers": ("gold", lambda n, _: str(int(n % 4 == 0))),
    "a text": ("text", lambda n, _: f"some words, number {n % 4}"),
    "a comment": ("comment", lambda n, _: ["", "unsure", "see above"][n % 3]),
    "a batch": ("batch", lambda n, _: f"b{n % 2}"),
    "a country": ("country", lambda n, _: ["US", "DE"][n % 2]),
    "a trust": ("trust", lambda n, _: f"0.{8 + n % 2}"),
    "an empty column": ("notes", lambda n, _: ""),
    "a second person": ("reviewer", lambda n, _: f"chief{n % 2}"),
}


def add_columns(case, table, most=2):
    for kind in case.draw.sample(sorted(EXTRA), case.draw.randrange(most + 1)):
        name, cell = EXTRA[kind]
        if name not in table.columns:
            table.add(name, cell, case.draw.randrange(len(table.columns) + 1))
            case.say(f"added {kind} ({name})")


def move_columns(case, table):
    if case.chance(0.4):
        case.draw.shuffle(table.columns)
        case.say("columns moved")


def rename_column(case, table, column, names):
    if not case.chance(0.4):
        return column
    new = case.draw.choice(names)
    if new in table.columns:
        return column
    table.rename(column, new)
    case.say(f"{column} renamed {new}")
    return new


def name_in_flags(case, item, person, label):
    """Now and then the user says which column is which: then there is nothing to guess."""
    if case.chance(0.25):
        case.flags += ["--item-column", item, "--annotation-label-column", label]
        if person:
            case.flags += ["--annotator-column", person]
        case.say("columns named by flags")


# ---- tables ---------------------------------------------------------------------------------------

def long_records(case):
    """One line per tick; a line with an empty label for a look without one, or none at all."""
    crowd, style = case.crowd, case.draw.choice(["ticks", "empty lines", "lists", "separated",
                                                 "values", "values"])
    if style == "ticks" and case.chance(0.3):
        looked = Table(["item", "worker"], [{"item": i, "worker": p} for i, p in crowd.looks()])
        case.files["looked.csv"] = looked.text()
        case.flags += ["--looked", "looked.csv"]
        case.say("who looked in a file of its own")
    elif style == "ticks":
        crowd.forget_empty_looks()
    separator = case.draw.choice(["|", ";", ", ", ",", "/", "\n"])
    records = []
    for item, person in crowd.looks():
        ticks = sorted(crowd.votes[item, person])
        if style == "values":
            for label in crowd.labels:
                records.append({"item": item, "worker": person, "label": label,
                                "value": label in ticks})
        elif style == "lists":
            records.append({"item": item, "worker": person, "label": json.dumps(ticks)})
        elif style == "separated":
            records.append({"item": item, "worker": person, "label": separator.join(ticks)})
        else:
            records += [{"item": item, "worker": person, "label": k} for k in ticks or [""]]
    case.say({"ticks": "a line per tick", "empty lines": "a line per tick, empty where none",
              "lists": "lists in cells", "values": "a yes/no column",
              "separated": f"labels separated by {separator!r}"}[style])
    if style == "values":
        spell_values(case, records)
    if style == "separated" and case.chance(0.4):
        case.flags += ["--annotation-separator", separator]
        case.say("which a flag says")
    if case.chance(0.15):
        records.append(dict(case.draw.choice(records)))
        case.say("a line twice")
    return style, records


SPELLINGS = [("value", "1", "0"), ("value", "yes", "no"), ("value", "true", "false"),
             ("value", "True", "False"), ("answer", "yes", "no"), ("present", "1", "0"),
             ("value", "Y", "N"), ("response", "1", "0"), ("selected", "TRUE", "FALSE"),
             ("vote", "1", "-1"), ("is_present", "1", "0")]


def spell_values(case, records):
    name, yes, no = case.draw.choice(SPELLINGS)
    for record in records:
        record[name] = yes if record.pop("value") else no
    case.say(f"{name} is {yes} or {no}")


def write_long(case):
    style, records = long_records(case)
    if case.chance(0.4):
        case.draw.shuffle(records)
    table = Table(list(records[0]), records)
    item = rename_column(case, table, "item", ITEMS)
    person = rename_column(case, table, "worker", PEOPLE)
    label = rename_column(case, table, "label", LABELS)
    if case.chance(0.1):
        gone = case.draw.choice([item, person, label])
        table.remove(gone)
        case.say(f"column {gone} removed")
        case.must_refuse = gone != person
        case.everyone = gone == person
        person = None if gone == person else person
    if not case.must_refuse:  # an id that is added could be that of the items
        add_columns(case, table)
    move_columns(case, table)
    if not case.must_refuse:
        name_in_flags(case, item, person, label)
    write_table(case, table, headless=case.chance(0.05) and not case.flags and style == "ticks")


def write_table(case, table, headless=False):
    form = case.draw.choice(["csv", "csv", "tsv", "semicolons", "jsonl", "crlf", "blanks"])
    if form == "blanks" and (headless or blanks_after_commas(table) is None):
        form = "csv"
    if headless:
        case.say("without a line of names")
        if len(table.columns) == 3 and not case.everyone:
            case.must_refuse = False    # three columns may be recognised, or refused
    if form == "jsonl" and not headless:
        case.name, text = "ticks.jsonl", table.json_lines()
    elif form == "tsv":
        case.name, text = "ticks.tsv", table.text("\t", not headless)
    elif form == "semicolons":
        text = table.text(";", not headless)
    elif form == "blanks":
        text = blanks_after_commas(table)
    else:
        text = table.text(",", not headless, "\r\n" if form == "crlf" else "\n")
    case.say(form)
    case.files[case.name] = text


def blanks_after_commas(table):
    """As people type tables; None where a cell would need quotes."""
    rows = [table.columns] + [[str(record[name]) for name in table.columns]
                              for record in table.records]
    if any(c in cell for row in rows for cell in row for c in ",\"\n"):
        return None
    return "".join(", ".join(row) + "\n" for row in rows)


def write_wide(case):
    crowd = case.crowd
    yes, no = case.draw.choice([("1", "0"), ("True", "False"), ("true", "false")])
    table = Table(["item", "worker", *crowd.labels],
                  [{"item": item, "worker": person,
                    **{k: yes if k in crowd.votes[item, person] else no for k in crowd.labels}}
                   for item, person in crowd.looks()])
    item = rename_column(case, table, "item", ITEMS)
    person = rename_column(case, table, "worker", PEOPLE)
    if case.chance(0.1):
        gone = case.draw.choice([item, person])
        table.remove(gone)
        case.say(f"column {gone} removed")
        case.must_refuse = gone == item
        case.everyone = gone == person
        person = None if gone == person else person
    if not case.must_refuse:  # an id that is added could be that of the items
        add_columns(case, table)
    move_columns(case, table)
    if not case.must_refuse:
        name_in_flags(case, item, person, ",".join(crowd.labels))
    write_table(case, table)


def write_cekaplus(case):
    """Workers, instances and labels are numbers from 1."""
    crowd = case.crowd
    number = {kind: {name: str(i + 1) for i, name in enumerate(names)} for kind, names in (
        ("item", crowd.items), ("person", crowd.people), ("label", crowd.labels))}
    crowd.votes = {(number["item"][i], number["person"][p]): {number["label"][k] for k in ticks}
                   for (i, p), ticks in crowd.votes.items()}
    crowd.items = list(number["item"].values())
    with_values = case.chance(0.6)
    if not with_values:
        crowd.forget_empty_looks()
    lines = []
    for (item, person), ticks in sorted(crowd.votes.items()):
        if with_values:
            lines += [[person, item, k, "2" if k in ticks else "1"]
                      for k in number["label"].values()]
        else:
            lines += [[person, item, k] for k in sorted(ticks)]
    case.draw.shuffle(lines)
    separator = case.draw.choice([" ", "\t"])
    case.say(f"{'with' if with_values else 'without'} values, by {separator!r}")
    if case.chance(0.3):
        case.flags += ["--annotation-format", "cekaplus"]
        case.say("named")
    case.name = "votes.resp"
    case.files = {case.name: "".join(separator.join(line) + "\n" for line in lines)}


# ---- marketplaces ---------------------------------------------------------------------------------

def write_mturk(case):
    crowd, records = case.crowd, []
    hits = {item: f"3HIT{n:04}" for n, item in enumerate(crowd.items)}
    style = case.draw.choice(["bars", "bars", "json", "on", "taskAnswers"])
    for number, (item, person) in enumerate(crowd.looks()):
        ticks = crowd.votes[item, person]
        record = {"HITId": hits[item], "HITTypeId": "T1", "Title": "Which labels?",
                  "AssignmentId": f"A{number:05}", "WorkerId": person,
                  "AssignmentStatus": "Approved", "WorkTimeInSeconds": str(20 + number),
                  "Input.id": item, "Input.text": f"text {number % 3}"}
        if style == "bars":
            record["Answer.labels"] = "|".join(sorted(ticks))
        elif style == "json":
            record["Answer.labels"] = json.dumps(sorted(ticks))
        elif style == "on":
            record.update({f"Answer.{k}.on": "true" if k in ticks else "false"
                           for k in crowd.labels})
        else:
            record["Answer.taskAnswers"] = json.dumps([{k: {"on": k in ticks}
                                                        for k in crowd.labels}])
        records.append(record)
    case.say(f"answers as {style}")
    table = Table(list(records[0]), records)
    if case.chance(0.3):
        add_rejected(case, table)
    if case.chance(0.3):
        table.add("Answer.comment", lambda n, _: ["", "ok", "hard | unsure"][n % 3])
        case.say("added Answer.comment")
    if case.chance(0.2):
        table.add("Answer.sure", lambda n, _: str(n % 5 + 1),
                  case.draw.randrange(len(table.columns)))
        case.say("added Answer.sure")
    if case.chance(0.2):
        table.remove("Input.id")
        case.rename_items = hits
        case.say("Input.id removed")
    elif case.chance(0.2):
        table.add("Input.image_url", lambda n, _: f"http://example.org/{n % 3}.png")
        case.say("added Input.image_url")
    if case.chance(0.1):
        table.remove("WorkerId")
        case.must_refuse = True
        case.say("WorkerId removed")
    move_columns(case, table)
    text = table.text()
    if case.chance(0.3) and not case.must_refuse:
        head, rest = text.split("\n", 1)
        text = head + ",Approve,Reject\n" + rest
        case.say("two names more than cells")
    case.files = {case.name: text}


def add_rejected(case, table):
    record = dict(case.draw.choice(table.records))
    record.update(AssignmentId="A99999", AssignmentStatus="Rejected", WorkerId="SPAMMER")
    table.records.insert(case.draw.randrange(len(table.records)), record)
    case.say("a rejected assignment")


def write_crowdflower(case):
    crowd, records = case.crowd, []
    style = case.draw.choice(["brackets", "lines"])
    unit = {item: str(700000 + n) for n, item in enumerate(crowd.items)}
    question = case.draw.choice(["relations", "labels", "which_of_these"])
    for number, (item, person) in enumerate(crowd.looks()):
        ticks = sorted(crowd.votes[item, person])
        cell = " ".join(f"[{k}]" for k in ticks) if style == "brackets" else "\n".join(ticks)
        records.append({"_unit_id": unit[item], "_created_at": time_cell(number, None),
                        "_golden": "false", "_id": str(1000 + number), "_missed": "",
                        "_started_at": time_cell(number, None), "_tainted": "false",
                        "_channel": "neodev", "_trust": "0.9", "_worker_id": person,
                        "_country": "US", question: cell, "sentence": f"text {number % 4}"})
    case.rename_items = unit
    case.say(f"answers in {style}")
    table = Table(list(records[0]), records)
    if case.chance(0.4):
        gold = case.crowd.labels[0]
        table.add(question + "_gold", lambda n, _: f"[{gold}]" if style == "brackets" else gold,
                  case.draw.randrange(len(table.columns)))
        case.say("added the gold answer")
    if case.chance(0.3):
        record = {**case.draw.choice(records), "_tainted": "true", "_worker_id": "9999999"}
        records.insert(0, record)
        case.say("a tainted judgement")
    if case.chance(0.3):
        table.add("orig__golden", lambda n, _: "")
        case.say("added orig__golden")
    if case.chance(0.2):
        for name in ("_created_at", "_channel", "_country"):
            table.remove(name)
        case.say("some columns removed")
    move_columns(case, table)
    case.files = {case.name: table.text()}


# ---- annotation tools -----------------------------------------------------------------------------

def write_label_studio(case):
    crowd, tasks = case.crowd, []
    numbers = {item: str(n + 1) for n, item in enumerate(crowd.items)}
    has_id = case.chance(0.6)
    form = case.draw.choice(["number", "object", "completions"])
    by_number = {person: str(n + 11) for n, person in enumerate(crowd.people)}
    several = case.chance(0.2)
    for item in crowd.items:
        data = {"text": f"a text, {item}"}
        if has_id:
            data["id"] = item
        annotations = []
        for person in crowd.people:
            if (item, person) not in crowd.votes:
                continue
            ticks = sorted(crowd.votes[item, person])
            results = [choice_result("labels", ticks)] if ticks else []
            if several:
                results.append(choice_result("quality", ["good"]))
            by = {"id": int(by_number[person]), "email": person} if form == "object" else \
                int(by_number[person])
            annotations.append({"id": 900 + len(annotations), "completed_by": by, "result": results,
                                "was_cancelled": False, "ground_truth": False,
                                "created_at": "2024-01-02T03:04:05Z", "lead_time": 4.5})
        if case.chance(0.1):
            annotations.append({"id": 999, "completed_by": 77, "was_cancelled": True, "result": [
                choice_result("labels", crowd.labels[:1])]})
        key = "completions" if form == "completions" else "annotations"
        tasks.append({"id": int(numbers[item]), "data": data, key: annotations, "predictions": [],
                      "meta": {}, "project": 3})
    if form != "object":
        crowd.votes = {(i, by_number[p]): ticks for (i, p), ticks in crowd.votes.items()}
    if not has_id:
        case.rename_items = numbers
    if several:
        case.say("two questions")
        if case.chance(0.5):
            case.flags += ["--annotation-label-column", "labels"]
            case.say("one of them named")
        else:
            case.must_refuse = True
    case.say(f"people by {form}, items by {'data' if has_id else 'task'}")
    case.name = "tasks.json"
    case.files = {case.name: json.dumps(tasks)}


def choice_result(name, choices):
    return {"id": "x1", "from_name": name, "to_name": "text", "type": "choices",
            "value": {"choices": list(choices)}}


def write_label_studio_min(case):
    crowd, records = case.crowd, []
    question = case.draw.choice(["labels", "topic", "sentiment"])
    as_csv = case.chance(0.5)
    for number, (item, person) in enumerate(crowd.looks()):
        ticks = sorted(crowd.votes[item, person])
        cell = ticks[0] if len(ticks) == 1 else {"choices": ticks} if ticks else ""
        records.append({"id": item, "text": f"text {number % 3}", question: json.dumps(cell)
                        if as_csv and isinstance(cell, dict) else cell, "annotator": person,
                        "annotation_id": 100 + number, "created_at": time_cell(number, None),
                        "updated_at": time_cell(number, None), "lead_time": 2.5})
    table = Table(list(records[0]), records)
    if case.chance(0.3):
        table.add("comment", lambda n, _: ["", "see {\"choices\"}", "fine"][n % 3], 1)
        case.say("added a comment")
    if case.chance(0.3):
        table.remove("updated_at")
        table.remove("lead_time")
        case.say("some columns removed")
    if case.chance(0.3):
        table.add("item_id", lambda n, record: record["id"], 0)
        for number, record in enumerate(records):
            record["id"] = str(4000 + number % 5)
        case.say("items by item_id beside another id")
    move_columns(case, table)
    case.name = "min.csv" if as_csv else "min.json"
    case.files = {case.name: table.text() if as_csv else table.json_list()}


def write_prodigy(case):
    crowd, records = case.crowd, []
    binary = case.chance(0.3)
    hashes = {item: str(10**9 + 7 * n) for n, item in enumerate(crowd.items)}
    by_hash = case.chance(0.3)
    key = case.draw.choice(["_annotator_id", "_session_id"])
    for number, (item, person) in enumerate(crowd.looks()):
        ticks = sorted(crowd.votes[item, person])
        base = {"text": f"a text {item}", "_input_hash": int(hashes[item]),
                "_task_hash": 55 + number, "_view_id": "choice", key: person,
                "_timestamp": 1700000000 + number}
        if not by_hash:
            base["id"] = item
        if binary:
            records += [{**base, "label": k, "answer": "accept" if k in ticks else "reject"}
                        for k in crowd.labels]
        else:
            records.append({**base, "options": [{"id": k, "text": k} for k in crowd.labels],
                            "accept": ticks, "answer": "accept"})
    if case.chance(0.3):
        records.append({**records[0], key: "nobody", "answer": "ignore"})
        case.say("one ignored")
    if by_hash:
        case.rename_items = hashes
    table = Table(list(records[0]), records)
    move_columns(case, table)
    case.say(f"{'binary' if binary else 'choice'}, items by {'hash' if by_hash else 'id'}, {key}")
    case.name = "prodigy.jsonl"
    case.files = {case.name: table.json_lines()}


def write_doccano(case):
    crowd = case.crowd
    key = case.draw.choice(["label", "labels"])
    one_file = case.chance(0.3)
    lines = {}
    for number, (item, person) in enumerate(crowd.looks()):
        record = {"id": item, "text": f"text, {number % 3}", key: sorted(crowd.votes[item, person])}
        if case.chance(0.3):
            record["Comments"] = []
        if one_file:
            record[case.crowd.people and "username"] = person
        lines.setdefault("all" if one_file else person, []).append(record)
    for records in lines.values():
        columns = sorted({name for record in records for name in record})
        for record in records:
            for name in columns:
                record.setdefault(name, [])
    case.say("one file" if one_file else "a file per person")
    case.files = {f"{name}.jsonl": Table(list(records[0]), records).json_lines()
                  for name, records in lines.items()}
    case.name = "all.jsonl" if one_file else ""


def write_argilla(case):
    crowd, records = case.crowd, []
    question = case.draw.choice(["labels", "topic"])
    for number, item in enumerate(crowd.items):
        people = [p for p in crowd.people if (item, p) in crowd.votes]
        answers = [sorted(crowd.votes[item, p]) for p in people]
        states = ["submitted"] * len(people)
        if case.chance(0.2):
            people, answers = people + ["zz-draft"], answers + [crowd.labels[:1]]
            states = states + ["draft"]
        records.append({"id": item, "status": "completed", "text": f"text {number}",
                        f"{question}.responses": answers, f"{question}.responses.users": people,
                        f"{question}.responses.status": states, f"{question}.suggestion": None})
    table = Table(list(records[0]), records)
    if case.chance(0.3):
        table.add("_server_id", lambda n, _: f"u-{n}")
        case.say("added _server_id")
    if case.chance(0.3):
        table.add("metadata.batch", lambda n, _: n % 2)
        case.say("added metadata")
    if case.chance(0.2):
        table.add("rating.responses", lambda n, record: [3 for _ in record[f"{question}.responses"]])
        table.add("rating.responses.users",
                  lambda n, record: record[f"{question}.responses.users"])
        case.say("a second question")
        if case.chance(0.5):
            case.flags += ["--annotation-label-column", question]
            case.say("the first one named")
        else:
            case.must_refuse = True
    move_columns(case, table)
    case.name = "argilla.jsonl"
    case.files = {case.name: table.json_lines()}


WRITERS = {"long": write_long, "wide": write_wide, "mturk": write_mturk,
           "crowdflower": write_crowdflower, "label-studio": write_label_studio,
           "label-studio-min": write_label_studio_min, "prodigy": write_prodigy,
           "doccano": write_doccano, "argilla": write_argilla, "cekaplus": write_cekaplus}


def make_case(draw, names):
    case = Case(draw.choice(LAYOUTS), Crowd(draw, names))
    WRITERS[case.layout](case)
    return case
