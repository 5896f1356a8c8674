#!/usr/bin/env python3
"""Attacks the command at random: damaged files, models whose header lies, annotations in every layout
with other columns than expected, names that are easily changed, slow clients of the review page,
signals, failing system calls, kills, little memory.

Prints its seed first, and at the end how often each attack had which outcome. Ends with 1 if there
was a crash, a hang, a result that was lost, half written or mixed with an older one, or, the worst of
all, a wrong result with exit code 0. The same seed makes the same choices; what they meet depends on
the machine's timing where signals and kills are concerned.
"""
import argparse
import collections
import gzip
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import cases

SECONDS_TO_HANG = 60
GOOD_CODES = {0, 2, 3, 4, 5, 6, 7, 8}
REQUESTS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
INSIDE_WORDS = [b"internal error", b"terminate called", b"json.exception", b"AddressSanitizer",
                b"runtime error:"]


class Campaign:
    def __init__(self, options):
        self.sieve = os.path.abspath(options.sieve)
        self.faults = os.path.abspath(options.faults) if options.faults else None
        self.random = random.Random(options.seed)
        self.seed = options.seed
        self.keep = options.keep
        self.counts = collections.Counter()  # by attack and outcome
        self.failures = 0
        self.now = ""  # the attack that is going on
        self.repeat = ""  # how to repeat it alone, where that is possible

    # ---- running the command -------------------------------------------------------------------

    def environment(self, **more):
        duckdb = {name: os.environ[name] for name in ["SIEVE_DUCKDB"] if name in os.environ}
        return {"PATH": os.environ["PATH"], "HOME": "/", **duckdb, **more}

    def start(self, words, folder, prefix=(), limit=None, out=subprocess.DEVNULL, **environment):
        def confine():
            if limit:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return subprocess.Popen([*prefix, self.sieve, *words], cwd=folder, preexec_fn=confine,
                                stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.PIPE, env=self.environment(**environment))

    def finish(self, program, what):
        """The exit code and the words on standard error; a hang is counted and killed."""
        try:
            _, err = program.communicate(timeout=SECONDS_TO_HANG)
        except subprocess.TimeoutExpired:
            program.kill()
            _, err = program.communicate()
            self.bad("hangs", what, err)
            return None, err
        return program.returncode, err

    def run(self, words, folder, **more):
        return self.finish(self.start(words, folder, **more), words)

    def must(self, words, folder):
        code, err = self.run(words, folder)
        if code != 0:
            sys.exit(f"attack: could not prepare: sieve {' '.join(words)}: {code}\n{err.decode()}")

    def count(self, outcome):
        self.counts[self.now, outcome] += 1

    def bad(self, kind, what, detail=b""):
        self.count(kind.upper())
        self.failures += 1
        text = detail.decode(errors="replace")[-400:] if isinstance(detail, bytes) else detail
        print(f"attack: {self.now}: {kind}: {what}: {text}{self.repeat}", flush=True)

    def tell(self, wrong, what, err, good="right"):
        """The end of a run with exit code 0: wrong in these words, or not."""
        if wrong:
            notes = " | ".join(err.decode(errors="replace").strip().splitlines())[-300:]
            self.bad("wrong with exit code 0", what, f"{wrong} [{notes}]")
        else:
            self.count(good)

    def judge(self, code, err, what, good=GOOD_CODES):
        """Counts a crash; true if there was none."""
        if code is None:
            return False
        if code in good and not any(word in err for word in INSIDE_WORDS):
            return True
        self.bad("crashes", f"{what} ended with {code}", err)
        return False

    # ---- what is attacked ----------------------------------------------------------------------

    def prepare(self, folder):
        self.home = folder
        train = ["--method", "pml-gan", "--set", "epochs=3,width=8,members=1,depth=1",
                 "--seed", "1"]
        self.must(["synth", "--rows", "60", "--features", "8", "--labels", "5", "--noise", "1",
                   "--out", "d.csv"], folder)
        for name in ["d.arff", "d.tsv", "d.mat", "d.sieve", "d.csv.gz"]:
            self.must(["convert", "d.csv", name], folder)
        self.must(["convert", "d.csv", "d.svm", "--labels", "candidates"], folder)
        self.must(["convert", "d.csv", "h.mat", "--mat73"], folder)
        self.must(["train", "d.csv", "--out", "m", "--log", "log.jsonl", *train], folder)
        self.must(["train", "d.csv", "--out", "linear", "--method", "pml-ni"], folder)
        self.must(["predict", "m", "d.csv", "--out", "scores.csv"], folder)
        self.must(["predict", "m", "d.csv", "--kind", "decisions", "--out", "decisions.csv"], folder)
        os.makedirs(f"{folder}/sets/crowd")
        self.must(["convert", "d.csv", "sets/crowd/crowd.svm", "--labels", "truth"], folder)
        with open(f"{folder}/plan.toml", "w", encoding="utf-8") as plan:
            plan.write(PLAN)
        self.must(["experiment", "plan.toml", "--data", "sets", "--store", "s.db", "--jobs", "1"],
                  folder)
        self.checkpoint(folder, train)
        self.must(["synth", "--rows", "40", "--labels", "4", "--noise", "1", "--out", "voted.csv", "--annotations",
                   "ticks.csv"], folder)
        self.must(["convert", "voted.csv", "voted.sieve", "--annotations", "ticks.csv"], folder)
        self.must(["convert", "voted.sieve", "voted-again.csv"], folder)

    def checkpoint(self, folder, train):
        """A checkpoint, as an interrupt leaves it."""
        words = ["train", "d.csv", "--out", "c", "--checkpoint-every", "0", *train,
                 "--set", "epochs=100000,patience=100000"]
        program = self.start(words, folder)
        while program.poll() is None and not os.path.exists(f"{folder}/c.checkpoint"):
            time.sleep(0.002)
        program.send_signal(signal.SIGINT)
        self.finish(program, words)

    # ---- damage --------------------------------------------------------------------------------

    READERS = {
        "d.csv": [["inspect", "F"], ["train", "F", "--out", "x", "--force", "--method", "pml-ni"]],
        "d.tsv": [["inspect", "F"]],
        "d.arff": [["inspect", "F", "--xml", "d.xml"]],
        "d.xml": [["inspect", "d.arff", "--xml", "F"]],
        "d.svm": [["inspect", "F"], ["predict", "m", "F", "--out", "x", "--force"]],
        "d.mat": [["inspect", "F"], ["predict", "m", "F", "--out", "x", "--force"]],
        "h.mat": [["inspect", "F"]],
        "d.sieve": [["inspect", "F"], ["predict", "m", "F", "--out", "x", "--force"]],
        "d.csv.gz": [["inspect", "F"]],
        "m": [["info", "F"], ["predict", "F", "d.csv", "--out", "x", "--force"],
              ["clean", "d.csv", "--in-sample", "F"]],
        "linear": [["info", "F"], ["predict", "F", "d.csv", "--out", "x", "--force"]],
        "c.checkpoint": [["info", "F"],
                         ["train", "d.csv", "--out", "x", "--force", "--checkpoint", "F",
                          "--resume", "--method", "pml-gan",
                          "--set", "epochs=3,width=8,members=1,depth=1",
                          "--seed", "1"]],
        "scores.csv": [["evaluate", "--truth", "d.csv", "--scores", "F"]],
        "decisions.csv": [["evaluate", "--truth", "d.csv", "--decisions", "F"]],
        "log.jsonl": [["report", "--model", "m", "--data", "d.csv", "--log", "F", "--out", "x",
                       "--force"]],
        "s.db": [["compare", "F"], ["report", "F", "--out", "x", "--force"],
                 ["experiment", "plan.toml", "--data", "sets", "--store", "F", "--jobs", "1"]],
        "plan.toml": [["experiment", "F", "--data", "sets", "--store", "x.db", "--dry-run"]],
    }

    def damaged(self, data):
        r = self.random
        data = bytearray(data)
        for _ in range(r.choice([1, 1, 1, 2, 5, 30])):
            at = r.randrange(len(data) + 1)
            size = min(r.choice([1, 1, 2, 4, 8, 64, 1000]), len(data) - at)
            kind = r.randrange(7)
            if kind == 0 and at < len(data):
                data[at] ^= 1 << r.randrange(8)
            elif kind == 1:
                data[at:at + size] = r.randbytes(size)
            elif kind == 2:
                data[at:at + size] = b""
            elif kind == 3:
                data[at:at] = r.randbytes(r.choice([1, 7, 64]))
            elif kind == 4:
                data[at:at + size] = data[at:at + size] * 3
            elif kind == 5 and at + 8 <= len(data):
                number = r.choice([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, r.getrandbits(20)])
                data[at:at + 8] = struct.pack("<Q", number)
            elif kind == 6 and r.randrange(4) == 0:
                del data[at:]
            if not data:
                return b""
        return bytes(data)

    def attack_by_damage(self):
        name = self.random.choice(sorted(self.READERS))
        words = self.random.choice(self.READERS[name])
        with open(f"{self.home}/{name}", "rb") as file:
            whole = file.read()
        repair = REPAIRS.get(name)
        if repair and self.random.random() < 0.7:
            data = repair(self.damaged(gzip.decompress(whole) if name.endswith(".gz") else whole))
        else:
            data = self.damaged(whole)
        with tempfile.TemporaryDirectory(dir=self.home) as work:
            target = f"{work}/{name}"
            with open(target, "wb") as file:
                file.write(data)
            words = [target if word == "F" else f"{work}/{word}" if word in ("x", "x.db") else word
                     for word in words]
            code, err = self.run(words, self.home)
            self.count(outcome_of(code))
            if not self.judge(code, err, words) and self.keep:
                shutil.copy(target, f"{self.keep}/{self.counts.total()}-{name}")

    # ---- outputs that exist already ------------------------------------------------------------

    WRITERS = [
        (["split", "d.csv", "--out", "p", "--force", "--indices", "p.tsv", "--seed", "V"],
         ["p-train.csv", "p-test.csv", "p.tsv"]),
        (["split", "d.arff", "--out", "q", "--force", "--seed", "V"],
         ["q-train.arff", "q-train.xml", "q-test.arff", "q-test.xml"]),
        (["split", "d.csv", "--out", "f", "--force", "--folds", "7", "--to", "libsvm",
          "--labels", "truth", "--seed", "V"],
         [f"f-fold{k}.svm" for k in range(1, 8)]),
        (["clean", "d.csv", "--out", "k.csv", "--suspects", "suspects.csv", "--force", "--method",
          "pml-ni", "--folds", "2", "--seed", "V"], ["k.csv", "suspects.csv"]),
        (["corrupt", "d.arff", "r.arff", "--force", "--protocol", "extra", "--extra", "1",
          "--labels-are", "truth", "--seed", "V"], ["r.arff", "r.xml"]),
        (["convert", "d.csv", "v.arff", "--keep-labels", "V", "--force"], ["v.arff", "v.xml"]),
        (["synth", "--rows", "5V", "--out", "y.arff", "--force"], ["y.arff", "y.xml"]),
        (["predict", "m", "d.csv", "--top", "V", "--kind", "top", "--out", "t.csv", "--force"],
         ["t.csv"]),
        (["train", "d.csv", "--out", "n", "--force", "--seed", "V", "--checkpoint-every", "0",
          "--method", "pml-gan", "--set", "epochs=2,width=8,members=1,depth=0"], ["n"]),
        (["report", "--model", "m", "--data", "d.csv", "--top", "V", "--out", "page.html",
          "--force"], ["page.html"]),
        (["clean", "d.csv", "--out", "c.xlsx", "--suspects", "s.csv.gz", "--force", "--method",
          "pml-ni", "--folds", "2", "--seed", "V"], ["c.xlsx", "s.csv.gz"]),
        (["split", "d.csv", "--out", "w", "--to", "xlsx", "--force", "--seed", "V"],
         ["w-train.xlsx", "w-test.xlsx"]),
        (["clean", "voted.csv", "--annotations", "ticks.csv", "--to", "label-studio", "--out",
          "tasks.json", "--force", "--method", "pml-ni", "--folds", "2", "--seed", "V"],
         ["tasks.json"]),
        (["clean", "voted.csv", "--annotations", "ticks.csv", "--to", "long", "--out", "long.csv",
          "--force", "--method", "pml-ni", "--folds", "2", "--threshold", "0.V"], ["long.csv"]),
        (["inspect", "d.csv", "--roles", "roles.toml", "--ignore-columns", "fV", "--force"],
         ["roles.toml"]),
        (["audit", "d.csv", "--budget", "20", "--list", "cells.csv", "--seed", "V", "--force"],
         ["cells.csv"]),
    ]
    if "SIEVE_DUCKDB" in os.environ:
        WRITERS.append((["split", "d.csv", "--out", "u", "--to", "parquet", "--force", "--seed",
                         "V"], ["u-train.parquet", "u-test.parquet"]))

    @staticmethod
    def contents(folder, names):
        found = []
        for name in names:
            try:
                with open(f"{folder}/{name}", "rb") as file:
                    found.append(file.read())
            except FileNotFoundError:
                found.append(None)
        return found

    def versions(self, number):
        """Both versions of a writer's outputs, and how long one takes."""
        if number not in self.known:
            words, names = self.WRITERS[number]
            both, begin = [], time.monotonic()
            for version in "12":
                with self.workplace() as work:
                    self.must([word.replace("V", version) for word in words], work)
                    both.append(self.contents(work, names))
            self.known[number] = both, (time.monotonic() - begin) / 2
        return self.known[number]

    def workplace(self):
        work = tempfile.TemporaryDirectory(dir=self.home)
        for name in ["d.csv", "d.arff", "d.xml", "m", "plan.toml", "sets", "voted.csv", "ticks.csv"]:
            os.symlink(f"{self.home}/{name}", f"{work.name}/{name}")
        return work

    def begin_again(self, number, work):
        """Version 1 stands in the folder; the words that would write version 2."""
        words, names = self.WRITERS[number]
        for name, text in zip(names, self.versions(number)[0][0]):
            with open(f"{work}/{name}", "wb") as file:
                file.write(text)
        return [word.replace("V", "2") for word in words], names

    def told_to_be_mixed(self, names, work):
        data = [n for n in names if n.endswith((".csv", ".svm", ".arff")) and n != "suspects.csv"]
        for name in data:
            code, err = self.run(["inspect", name], work)
            if code == 3 and b"only partly replaced" in err:
                return True
        return False

    def check_outputs(self, number, work, what, done, may_be_mixed=False):
        """Old or new as a whole; new if the program said so; then a rerun puts all in order."""
        words, names = self.WRITERS[number]
        old, new = self.versions(number)[0]
        now = self.contents(work, names)
        if done and now != new:
            self.bad("lost or mixed results", what, "exit code 0, but not the new outputs")
        elif now not in (old, new) and not (may_be_mixed and self.told_to_be_mixed(names, work)):
            state = ["old" if n == o else "new" if n == w else "lost"
                     for n, o, w in zip(now, old, new)]
            self.bad("lost or mixed results", what, str(dict(zip(names, state))))
        leftovers = [n for n in os.listdir(work)
                     if any(end in n for end in (".part-", ".pending", ".lock"))]
        if leftovers and not may_be_mixed:
            self.bad("lost or mixed results", what, f"leftovers: {leftovers}")
        if may_be_mixed:
            again = [word.replace("V", "2") for word in words]
            code, err = self.run(again, work)
            leftovers = [n for n in os.listdir(work)
                         if any(end in n for end in (".part-", ".pending", ".lock"))]
            if code != 0 or self.contents(work, names) != new or leftovers:
                self.bad("lost or mixed results", f"{what}, then again: {code}, {leftovers}", err)

    def attack_by_signal(self):
        number = self.random.randrange(len(self.WRITERS))
        seconds = self.versions(number)[1]
        with self.workplace() as work:
            words, _ = self.begin_again(number, work)
            kill = self.random.random() < 0.3
            request = signal.SIGKILL if kill else self.random.choice(REQUESTS)
            # The end is where the renames are.
            delay = seconds * self.random.choice([self.random.random(),
                                                  self.random.uniform(0.6, 1.05)])
            program = self.start(words, work)
            wait_until(time.monotonic() + delay, program)
            program.send_signal(request)
            code, err = self.finish(program, words)
            self.count("killed" if kill else outcome_of(code))
            what = f"{request.name} after {delay:.4f} s: {' '.join(words)}"
            # Before main() a program has no handler yet.
            early = code is not None and code == -request
            if self.judge(code, err, what, {0, 7} | ({code} if early else set())):
                self.check_outputs(number, work, what, code == 0, kill)

    # ---- calls that fail -----------------------------------------------------------------------

    def attack_by_fault(self):
        if self.faults is None:
            return
        number = self.random.randrange(len(self.WRITERS) + 1)
        if number == len(self.WRITERS):
            return self.fault_in_experiment()
        with self.workplace() as work:
            words, _ = self.begin_again(number, work)
            if number not in self.calls:
                self.calls[number] = self.count_calls(words, work)
                self.begin_again(number, work)
            call = self.random.randrange(self.calls[number])
            fault = self.random.choice(["EIO", "ENOSPC", "EINTR", "SHORT"])
            code, err = self.run(words, work, LD_PRELOAD=self.faults, ATTACK_CALL=str(call),
                                 ATTACK_FAULT=fault)
            self.count(outcome_of(code))
            what = f"{fault} at call {call}: {' '.join(words)}"
            good = {0} if fault in ("EINTR", "SHORT") else {0, 3, 4, 5}
            if self.judge(code, err, what, good):
                self.check_outputs(number, work, what, code == 0, True)
        return None

    def count_calls(self, words, work):
        self.run(words, work, LD_PRELOAD=self.faults, ATTACK_LOG=f"{work}/calls")
        with open(f"{work}/calls", encoding="utf-8") as file:
            return int(file.read())

    EXPERIMENT = ["experiment", "plan.toml", "--data", "sets", "--store", "e.db", "--jobs", "1"]

    def fault_in_experiment(self):
        with self.workplace() as work:
            if "experiment" not in self.calls:
                self.calls["experiment"] = self.count_calls(self.EXPERIMENT, work)
                for name in os.listdir(work):
                    if name.startswith("e.db"):
                        os.remove(f"{work}/{name}")
            call = self.random.randrange(self.calls["experiment"])
            fault = self.random.choice(["EIO", "ENOSPC", "EINTR", "SHORT"])
            code, err = self.run(self.EXPERIMENT, work, LD_PRELOAD=self.faults,
                                 ATTACK_CALL=str(call), ATTACK_FAULT=fault)
            self.count(outcome_of(code))
            what = f"{fault} at call {call} of an experiment"
            self.judge(code, err, what, {0} if fault in ("EINTR", "SHORT") else {0, 3, 5, 6})
            code, err = self.run([*self.EXPERIMENT, "--retry-failed"], work)
            if self.judge(code, err, f"{what}, then again", {0}):
                code, err = self.run(["compare", "e.db"], work)
                self.judge(code, err, f"{what}, then compared", {0})

    # ---- kills of trainings --------------------------------------------------------------------

    TRAINING = ["train", "d.csv", "--resume", "--checkpoint-every", "0", "--seed", "3",
                "--method", "pml-gan", "--set", "epochs=40,patience=1000,width=8,members=2,depth=1"]

    def attack_by_kill(self):
        """A training that is killed again and again, always as the process with the same number."""
        if self.namespace is None:
            self.namespace = self.find_namespace()
        with self.workplace() as work:
            if self.model is None:
                begin = time.monotonic()
                self.must([*self.TRAINING, "--out", "whole"], work)
                self.model = self.contents(work, ["whole"]), time.monotonic() - begin
            for _ in range(self.random.randrange(1, 6)):
                words = [*self.TRAINING, "--out", "m2"]
                program = self.start(words, work, prefix=self.namespace)
                wait_until(time.monotonic() + self.random.random() * 1.2 * self.model[1], program)
                program.kill()
                code, err = self.finish(program, words)
                self.count("killed")
                if code not in (0, -9, 137):
                    self.bad("crashes", f"a killed training ended with {code}", err)
                    return
                if os.path.exists(f"{work}/m2"):
                    break
            if not os.path.exists(f"{work}/m2"):
                code, err = self.run([*self.TRAINING, "--out", "m2"], work, prefix=self.namespace)
                if not self.judge(code, err, "a resumed training", {0}):
                    return
            if self.contents(work, ["m2"]) != self.model[0]:
                self.bad("lost or mixed results", "a resumed training", "another model")

    @staticmethod
    def find_namespace():
        """Words that start a program as number 1 of its own processes, if the system allows it."""
        for words in (["unshare", "-pf", "--kill-child"], ["unshare", "-Urpf", "--kill-child"]):
            tried = subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False)
            if tried.returncode == 0:
                return words
        return []

    # ---- little memory -------------------------------------------------------------------------

    def attack_by_memory_limit(self):
        words = self.random.choice([
            ["inspect", "d.csv"], ["inspect", "d.mat"], ["info", "m"], ["--version"],
            ["compare", "s.db"], ["predict", "linear", "d.sieve"], ["predict", "m", "d.csv"],
            ["clean", "d.csv", "--method", "pml-ni", "--folds", "2"]])
        limit = self.random.randrange(50, 600) << 20
        code, err = self.run(words, self.home, limit=limit)
        self.count(outcome_of(code))
        told = code == 1 and b"not enough memory" in err
        # The loader of libraries says so in words of its own.
        unloaded = code == 127 and b"shared libraries" in err
        if not told and not unloaded:
            self.judge(code, err, f"{limit >> 20} MB: {' '.join(words)}")

    # ---- the campaign --------------------------------------------------------------------------

    ATTACKS = {"damaged files": (attack_by_damage, 12), "signals": (attack_by_signal, 4),
               "failing calls": (attack_by_fault, 4), "killed trainings": (attack_by_kill, 1),
               "little memory": (attack_by_memory_limit, 2)}
    CASES = {"annotations": 10, "names": 6, "headers": 10, "review": 1}

    def attack_by_case(self, kind, seed):
        """An attack that depends on its own seed alone, so that it can be repeated alone."""
        self.repeat = f"\n  again: tests/attack/attack.py {self.sieve} --case {kind}:{seed}"
        with tempfile.TemporaryDirectory(dir=self.home) as work:
            failed = self.failures
            getattr(cases, kind)(self, random.Random(seed), work)
            if self.failures > failed and self.keep:
                shutil.copytree(work, f"{self.keep}/{kind}-{seed}", dirs_exist_ok=True)
        self.repeat = ""

    def go(self, minutes, attacks, only):
        self.known, self.calls, self.model, self.namespace = {}, {}, None, None
        weights = {name: weight for name, (_, weight) in self.ATTACKS.items()} | self.CASES
        names = only or sorted(weights)
        limit = f"{attacks} attacks" if attacks else f"{minutes} minutes"
        print(f"attack: seed {self.seed}, {limit}", flush=True)
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            self.prepare(folder)
            end = time.monotonic() + 60 * minutes
            number = 0
            while number < attacks if attacks else time.monotonic() < end:
                # Its own for each, so that the machine's timing in one does not change the next.
                self.random = random.Random(f"{self.seed} {number}")
                number += 1
                self.now, = self.random.choices(names, [weights[name] for name in names])
                if self.now in self.CASES:
                    self.attack_by_case(self.now, self.random.getrandbits(32))
                else:
                    self.ATTACKS[self.now][0](self)
        return self.summary()

    def go_once(self, kind, seed):
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            self.prepare(folder)
            self.now = kind
            self.attack_by_case(kind, seed)
        return self.summary()

    def summary(self):
        for name in sorted({name for name, _ in self.counts}):
            outcomes = {outcome: n for (of, outcome), n in sorted(self.counts.items()) if of == name}
            print(f"{name:18} {sum(outcomes.values()):6}: " +
                  ", ".join(f"{outcome} {n}" for outcome, n in outcomes.items()))
        print(f"attack: seed {self.seed}: " +
              (f"{self.failures} FAILED" if self.failures else "nothing was found"))
        return 1 if self.failures else 0


PLAN = """title = "attack"
repeats = 1
test-share = 0.3

[[data]]
name = "crowd"
noise = "fill"
levels = [2]

[[method]]
name = "pml-ni"
"""


OUTCOMES = {0: "done", 1: "internal", 2: "refused", 3: "refused", 4: "refused", 5: "refused",
            6: "failed", 7: "interrupted", 8: "check failed"}


def outcome_of(code):
    return OUTCOMES.get(code, "ended otherwise")


def wait_until(moment, program):
    while time.monotonic() < moment and program.poll() is None:
        time.sleep(0.0005)


# ---- checksums made right again ----------------------------------------------------------------

def repair_state(data):
    """A model or a checkpoint: the length it states, and the CRC at its end."""
    if len(data) < 28:
        return data
    body = data[:16] + struct.pack("<Q", len(data)) + data[24:-4]
    return body + struct.pack("<I", zlib.crc32(body))


def binary_checksum(data):
    mask = 2**64 - 1
    padded = data + bytes(-len(data) % 64)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    states = [0x9E3779B97F4A7C15 + lane & mask for lane in range(8)]

    def mixed(state, word):
        state = (state ^ word) * 0x9FB21C651E98DF25 & mask
        return (state << 31 | state >> 33) & mask
    for i, word in enumerate(words):
        states[i % 8] = mixed(states[i % 8], word)
    result = len(data)
    for state in states:
        result = mixed(result, state)
    return result ^ result >> 32


def repair_binary(data):
    """A .sieve file: the checksums of its blocks and of its footer, and its length."""
    if len(data) < 200:
        return data
    footer, = struct.unpack_from("<Q", data, len(data) - 32)
    end = len(data) - 32
    if not 64 <= footer <= end - 48:
        return data
    data = bytearray(data)
    data[footer + 40:footer + 48] = struct.pack("<Q", binary_checksum(bytes(data[:footer])))
    checksum = binary_checksum(bytes(data[footer:end]))
    data[end + 8:end + 24] = struct.pack("<QQ", len(data), checksum)
    return bytes(data)


REPAIRS = {"m": repair_state, "linear": repair_state, "c.checkpoint": repair_state,
           "d.sieve": repair_binary, "d.csv.gz": gzip.compress}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sieve", help="the command to attack")
    parser.add_argument("--faults", help="the library that makes calls fail")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--attacks", type=int, help="that many attacks, however long they take")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", help="these attacks alone, by commas")
    parser.add_argument("--case", help="one case alone, as a failure has named it: KIND:SEED")
    parser.add_argument("--keep", help="a folder for the files that led to a failure")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(2**32)
    campaign = Campaign(options)
    if options.case:
        kind, seed = options.case.split(":")
        return campaign.go_once(kind, int(seed))
    only = options.only.split(",") if options.only else None
    return campaign.go(options.minutes, options.attacks, only)


if __name__ == "__main__":
    sys.exit(main())
