"""Attacks that are repeated by their own seed: each runs the command and judges what came of it.

Outcomes: right, refused (with a message), or wrong with exit code 0, which is the worst.
"""
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.error

import layouts
import odd_names
import resealing
import reviewing

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "0.2.0")
REFUSED = {2, 3, 4}
MOST_MEMORY = 4 << 30


def run(campaign, words, folder, **more):
    """The exit code, standard output and standard error."""
    program = campaign.start(words, folder, out=subprocess.PIPE, **more)
    try:
        out, err = program.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        program.kill()
        out, err = program.communicate()
        campaign.bad("hangs", " ".join(words), err)
        return None, out, err
    return program.returncode, out, err


def refused(campaign, code, err, what):
    """Whether that is the end of it: a refusal, or a crash."""
    if not campaign.judge(code, err, what, REFUSED | {0}):
        return True
    if code in REFUSED:
        campaign.count("refused")
    return code != 0


# ---- annotations ---------------------------------------------------------------------------------

def annotations(campaign, draw, work):
    names = draw.choice([odd_names.PLAIN, odd_names.PLAIN, odd_names.NUMBERS])
    judge_annotations(campaign, layouts.make_case(draw, names), work)


def judge_annotations(campaign, case, work):
    campaign.now += f", {case.layout}"
    source = write_case(case, work)
    what = ", ".join(case.done)
    rows = [[item, str(n)] for n, item in enumerate(case.items())]
    case.draw.shuffle(rows)
    odd_names.write(work, "data.csv", odd_names.table_text(["id", "x"], rows))
    code, _, err = run(campaign, ["convert", "data.csv", "out.csv", "--annotations", source, "--annotations-out",
                                  "read.csv", "--keep-unseen", *case.flags], work)
    if not refused(campaign, code, err, what):
        names, lines = odd_names.read_table(f"{work}/read.csv")
        campaign.tell(wrong_votes(case, names, lines), what, err)
    alone = ["inspect", "--annotations", source, "--json", *case.flags]
    code, out, err = run(campaign, alone, work)
    if not refused(campaign, code, err, what):
        campaign.tell(wrong_counts(case, json.loads(out)), f"{what}, inspected", err)
    union = ["aggregate", "--annotations", source, "--how", "union", "--out", "union.csv", *case.flags]
    code, _, err = run(campaign, union, work)
    if not refused(campaign, code, err, what):
        names, lines = odd_names.read_table(f"{work}/union.csv")
        campaign.tell(wrong_union(case, names, lines), f"{what}, aggregated", err)


def write_case(case, work):
    folder = "ticks" if not case.name else "."
    os.makedirs(f"{work}/{folder}", exist_ok=True)
    for name, text in case.files.items():
        odd_names.write(work, f"{folder}/{name}", text)
    return case.name or folder


def wrong_votes(case, names, lines):
    """What is wrong with a long table that was written; "" if nothing."""
    if case.must_refuse:
        return "it should have been refused"
    found = {}
    for line in lines:
        item, person, label = (line[names.index(name)] for name in ("id", "annotator", "label"))
        ticks = found.setdefault((item, None if case.everyone else person), set())
        ticks.update(json.loads(label) if label.startswith('["') else [label] if label else [])
    if case.everyone and len({line[names.index("annotator")] for line in lines}) != 1:
        return "several people, though none can be known"
    wanted = case.wanted()
    for look in sorted(wanted.keys() | found.keys(), key=str):
        if wanted.get(look) != found.get(look):
            return f"{look} ticked {wanted.get(look)} and is read as {found.get(look)}"
    return ""


def wrong_counts(case, told):
    if case.must_refuse:
        return "it should have been refused"
    wanted = case.wanted()
    counts = {"items": len({item for item, _ in wanted}),
              "people": len({person for _, person in wanted}), "looks": len(wanted),
              "ticks": sum(len(ticks) for ticks in wanted.values())}
    for name, count in counts.items():
        found = odd_names.find_key(told, name)
        if isinstance(found, int) and found != count:
            return f"{count} {name}, but {found} are told"
    return ""


def wrong_union(case, names, lines):
    if case.must_refuse:
        return "it should have been refused"
    wanted = {}
    for (item, _), ticks in case.wanted().items():
        wanted.setdefault(item, set()).update(ticks)
    labels = {name.removeprefix("score:"): k for k, name in enumerate(names)
              if name.startswith("score:")}
    found = {line[names.index("id")]: {label for label, k in labels.items() if float(line[k]) > 0}
             for line in lines} if "id" in names else {}
    if found != wanted:
        item = next(i for i in sorted(found.keys() | wanted.keys()) if found.get(i) != wanted.get(i))
        return f"{item} was ticked {wanted.get(item)} and is told to be {found.get(item)}"
    return ""


# ---- names that are easily changed ---------------------------------------------------------------

def names(campaign, draw, work):
    if draw.random() < 0.4:
        return judge_annotations(campaign, layouts.make_case(draw, odd_names.odd_names(draw)), work)
    rows = odd_names.Rows(draw)
    check = draw.choice(rows.CHECKS)
    commands, judge = getattr(rows, check)(work)
    for words in commands:
        code, out, err = run(campaign, words, work)
        what = f"{check.replace('_', ' ')}: {' '.join(words)}"
        if refused(campaign, code, err, what):
            return None
    return campaign.tell(judge(work, out), what, err)


# ---- models whose header lies --------------------------------------------------------------------

def read_words(draw, name):
    if name.endswith(".checkpoint"):
        return draw.choice([["info", name],
                            ["train", "rows.csv", "--text-column", "text", "--text-terms", "20",
                             "--category-column", "colour", "--method", "pml-gan", "--seed", "2",
                             "--set",
                             "epochs=60,patience=60,width=4,members=1,depth=1,budget=fast",
                             "--out", "m", "--checkpoint", name, "--resume"]])
    return draw.choice([["info", name], ["predict", name, "new.csv", "--out", "scores.csv"],
                        ["predict", name, "new.csv", "--out", "scores.csv"],
                        ["predict", name, "new.csv", "--kind", "top", "--out", "scores.csv"],
                        ["clean", "rows.csv", "--in-sample", name, "--suspects", "scores.csv"],
                        ["export", name, "out.onnx"]])


def headers_of_models():
    return sorted(name for name in os.listdir(FIXTURES) if name.endswith((".model", ".checkpoint")))


def headers(campaign, draw, work):
    name = draw.choice(headers_of_models())
    for table in ("rows.csv", "new.csv"):
        shutil.copy(f"{FIXTURES}/{table}", work)
    with open(f"{FIXTURES}/{name}", "rb") as file:
        data, changes = resealing.resealed(draw, file.read())
    with open(f"{work}/{name}", "wb") as file:
        file.write(data)
    words = read_words(draw, name)
    code, _, err = run(campaign, words, work, limit=MOST_MEMORY)
    what = f"{' '.join(words)}, where {changes}"
    if refused(campaign, code, err, what):
        return None
    wrong = ""
    if os.path.exists(f"{work}/scores.csv"):
        wrong = "" if all_finite(f"{work}/scores.csv") else "numbers that are not finite"
    return campaign.tell(wrong, what, err, good="accepted")


def all_finite(path):
    """Every score and every probability in the table."""
    names, lines = odd_names.read_table(path)
    numbers = [k for k, name in enumerate(names)
               if name in ("score", "probability") or name.startswith("score:")]
    return all(math.isfinite(float(line[k])) for line in lines for k in numbers)


# ---- the review page -----------------------------------------------------------------------------

def review(campaign, draw, work):
    shutil.copy(f"{campaign.home}/voted.sieve", work)
    server = reviewing.Server(campaign.sieve, work, campaign.environment())
    if server.link is None:
        code, err = server.end(signal.SIGKILL)
        return campaign.bad("crashes", f"the review page ended with {code}", err)
    rows, labels = names_of_cells(campaign)
    cells = [(row, label) for row in range(len(rows)) for label in range(len(labels))]
    draw.shuffle(cells)
    acknowledged, done = {}, []
    try:
        for _ in range(draw.randrange(6)):
            decide(server, draw, cells, acknowledged)
        keep_older_copy(work)
        place = "decisions.db"
        if draw.random() < 0.5:
            done.append(besiege(server, draw, cells, acknowledged))
        if draw.random() < 0.6:
            before = dict(acknowledged)
            kind, moved = reviewing.take_away(draw, work)
            done.append(f"the file of decisions was {kind}")
            if not moved:
                acknowledged.clear()  # what was there before, somebody has thrown away
            for _ in range(draw.randrange(1, 5)):
                decide(server, draw, cells, acknowledged)
        else:
            before, moved = {}, None
    except (OSError, urllib.error.URLError, TimeoutError) as error:
        server.end(signal.SIGKILL)
        return campaign.bad("starved", ", ".join(done) or "a calm review",
                            f"a request had no answer: {error}")
    how = draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    code, err = server.end(how)
    what = ", ".join(done + [how.name])
    if not campaign.judge(code, err, what, {0, 2, 3, 5, -9}):
        return None
    found = {}
    for path in [place] + ([moved] if moved else []):
        found.update(reviewing.stored_decisions(campaign.sieve, work, path,
                                                campaign.environment()) or {})
    lost = [(row, label) for (row, label), answer in acknowledged.items()
            if found.get((rows[row], labels[label])) != answer]
    if lost:
        return campaign.bad("lost or mixed results", what,
                            f"{len(lost)} of {len(acknowledged)} acknowledged decisions are lost")
    return campaign.count("right" if acknowledged or not before else "refused")


def names_of_cells(campaign):
    """Rows and labels as a list of decisions names them."""
    columns, lines = odd_names.read_table(f"{campaign.home}/voted-again.csv")
    rows = [line[0] if columns[0] == "id" else str(n) for n, line in enumerate(lines)]
    return rows, [name.split(":", 1)[1] for name in columns if name.startswith("candidate:")]


def decide(server, draw, cells, acknowledged):
    cell, answer = cells.pop(), draw.choice(["yes", "no"])
    if server.decide(*cell, answer):
        acknowledged[cell] = answer


def besiege(server, draw, cells, acknowledged):
    slow = reviewing.SlowClients(draw, server)
    try:
        for _ in range(draw.randrange(1, 4)):
            decide(server, draw, cells, acknowledged)
            slow.trickle()
            time.sleep(0.05)
    finally:
        slow.close()
    return f"{len(slow.sockets)} slow clients"


def keep_older_copy(work):
    with sqlite3.connect(f"file:{work}/decisions.db?mode=ro", uri=True) as now:
        older = sqlite3.connect(f"{work}/older.db")
        now.backup(older)
        older.close()
    now.close()
