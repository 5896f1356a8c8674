"""The review page with clients that hardly move, and a file of decisions that is taken from under it.

A decision that the server has acknowledged has to be in the file of decisions afterwards: in the one
that the command names, or in the one that was moved away while it was made.
"""
import csv
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

SECONDS_TO_START = 60
SECONDS_TO_ANSWER = 30


class Server:
    """`sieve review` on this machine, and requests to it."""

    def __init__(self, sieve, folder, environment):
        self.program = subprocess.Popen(
            [sieve, "review", "voted.sieve", "--decisions", "decisions.db", "--no-open"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment)
        self.asked = 0
        self.link = self.wait_for_link()

    def wait_for_link(self):
        end, text = time.monotonic() + SECONDS_TO_START, b""
        while time.monotonic() < end and self.program.poll() is None:
            ready, _, _ = select.select([self.program.stdout], [], [], 0.5)
            if ready:
                text += os.read(self.program.stdout.fileno(), 4096)
            for line in text.split(b"\n")[:-1]:
                if line.startswith(b"open "):
                    return line[5:].decode().strip()
        return None

    def base(self):
        return self.link.split("/?token=")

    def port(self):
        return int(self.base()[0].rsplit(":", 1)[1])

    def decide(self, row, label, answer):
        """True if it was acknowledged."""
        self.asked += 1
        fields = {"reviewer": "Rita", "row": row, "nonce": f"nonce-{self.asked:06}",
                  "choices": [{"label": label, "answer": answer}]}
        base, token = self.base()
        request = urllib.request.Request(
            base + "/api/decide", json.dumps(fields).encode(),
            {"X-Sieve-Token": token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=SECONDS_TO_ANSWER) as reply:
                return reply.status == 200
        except urllib.error.HTTPError as refused:
            refused.close()
            return False

    def end(self, how=signal.SIGINT):
        if self.program.poll() is None:
            self.program.send_signal(how)
        try:
            _, err = self.program.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.program.kill()
            _, err = self.program.communicate()
            return None, err
        return self.program.returncode, err


class SlowClients:
    """Connections that send a little now and then, and read nothing."""

    def __init__(self, draw, server):
        base, token = server.base()
        self.whole = (f"POST /api/decide HTTP/1.1\r\nHost: {base.split('//')[1]}\r\n"
                      f"X-Sieve-Token: {token}\r\nContent-Length: 5000\r\n\r\n{{").encode()
        self.sockets = []
        for _ in range(draw.choice([1, 10, 60, 190, 260])):
            try:
                wire = socket.create_connection(("127.0.0.1", server.port()), timeout=5)
            except OSError:
                break
            wire.setblocking(False)
            self.sockets.append([wire, draw.choice([0, 1, 20, 60, len(self.whole)])])
        for one in self.sockets:
            self.send(one[0], self.whole[:one[1]])

    @staticmethod
    def send(wire, data):
        try:
            if data:
                wire.send(data)
        except OSError:
            pass

    def trickle(self):
        for one in self.sockets:
            wire, at = one
            self.send(wire, self.whole[at:at + 1] or b" ")
            one[1] = at + 1

    def close(self):
        for wire, _ in self.sockets:
            wire.close()


def stored_decisions(sieve, folder, path, environment):
    """Answers by row and label as `review export` tells them; None where it refuses the file."""
    ran = subprocess.run([sieve, "review", "export", "voted.sieve", "--decisions", path, "--list",
                          "list.csv", "--force"], cwd=folder, capture_output=True, timeout=60,
                         check=False, env=environment)
    if ran.returncode != 0:
        return None
    with open(f"{folder}/list.csv", encoding="utf-8", newline="") as file:
        return {(row["item"], row["label"]): "yes" if row["decision"] == "1" else "no"
                for row in csv.DictReader(file)}


WHOLE = ("", "-wal", "-shm")


def take_away(draw, folder):
    """Does something to the file of decisions; what it was, and where the old file is now."""
    path = f"{folder}/decisions.db"
    kind = draw.choice(["deleted", "moved", "replaced by an empty file", "replaced by a text",
                        "replaced by an older copy", "emptied", "only the log deleted"])
    if kind == "moved":
        for end in WHOLE:
            if os.path.exists(path + end):
                os.rename(path + end, f"{folder}/moved.db{end}")
        return kind, "moved.db"
    if kind == "deleted":
        for end in WHOLE:
            if os.path.exists(path + end):
                os.remove(path + end)
    elif kind == "only the log deleted":
        for end in WHOLE[1:]:
            if os.path.exists(path + end):
                os.remove(path + end)
    elif kind == "emptied":
        with open(path, "r+b") as file:
            file.truncate(0)
    else:
        with open(f"{folder}/other", "wb") as file:
            file.write(b"not a database" * 50 if kind.endswith("text") else b"")
        if kind.endswith("copy"):
            shutil.copy(f"{folder}/older.db", f"{folder}/other")
        os.replace(f"{folder}/other", path)
    return kind, None
