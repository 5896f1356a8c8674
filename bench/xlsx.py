#!/usr/bin/python3
"""Reading a sheet of Excel beside openpyxl, which is what pandas reads it with.

usage: xlsx.py <sieve> [rows]

Both read the same workbook (texts of a list, numbers, dates, labels) into memory on one thread, in
processor time, so that other work on the machine matters little. They take turns, and the best time
of each counts. sieve also makes features of the columns, and openpyxl is read-only, its fastest way.
"""
import datetime
import os
import resource
import subprocess
import sys
import tempfile
import time

import openpyxl

ROUNDS = 3
LABELS = 6


def write(path, rows):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    sheet.append(["id", "queue", "opened", *[f"x{k}" for k in range(8)],
                  *[f"label:{k}" for k in range(LABELS)]])
    for i in range(rows):
        sheet.append([f"r{i}", f"queue {i % 17}", datetime.datetime(2024, 1, 1 + i % 28),
                      *[i * (k + 1) % 997 / 8 for k in range(8)],
                      *[int((i + k) % 5 == 0) for k in range(LABELS)]])
    book.save(path)


def ours(command, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([command, "convert", path, path + ".csv", "--date-column", "opened", "--threads", "1",
                    "--force", "--quiet"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(path):
    start = time.process_time()
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    cells = sum(len(row) for row in book.active.iter_rows(values_only=True))
    return time.process_time() - start, cells


def main():
    command = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 50000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.xlsx")
        write(path, rows)
        mine, other, cells = [], [], 0
        for _ in range(ROUNDS):
            mine.append(ours(command, path))
            seconds, cells = theirs(path)
            other.append(seconds)
    print(f"{cells} cells: sieve {min(mine):.2f} s (reading, features and CSV out), "
          f"openpyxl {min(other):.2f} s, ratio {min(other) / min(mine):.1f}")


main()
