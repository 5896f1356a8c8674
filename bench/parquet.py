#!/usr/bin/python3
"""Reading Parquet beside DuckDB's own scan of the same file.

usage: parquet.py <reading_bench> <libduckdb.so> [--rows 5000000] [--features 20] [--ids]

The file has 64-bit numbers, four labels of 0 and 1 and, with --ids, a text that names each row. DuckDB
looks at every column (the sum of numbers, the lengths of texts), and hands all rows out by its C
interface, as they are stored. Both sides take turns with as many threads each, and the best time of each
counts: seconds by the clock, and of the processor. sieve's are those of a data set in memory, ready to
train on. Prints a Markdown table.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time

LABELS = 4


class Result(ctypes.Structure):
    _fields_ = [("counts", ctypes.c_uint64 * 3), ("columns", ctypes.c_void_p),
                ("error", ctypes.c_char_p), ("inside", ctypes.c_void_p)]


class Duck:
    def __init__(self, library, threads):
        self.call = ctypes.CDLL(library)
        self.call.duckdb_fetch_chunk.restype = ctypes.c_void_p
        self.call.duckdb_fetch_chunk.argtypes = [Result]
        self.call.duckdb_data_chunk_get_size.restype = ctypes.c_uint64
        self.call.duckdb_data_chunk_get_size.argtypes = [ctypes.c_void_p]
        self.call.duckdb_result_error.restype = ctypes.c_char_p
        database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        self.call.duckdb_open(None, ctypes.byref(database))
        self.call.duckdb_connect(database, ctypes.byref(self.connection))
        self.rows(f"SET threads = {threads}")

    def rows(self, sql):
        """Runs the statement, fetches all of its rows and says how many there are."""
        prepared, result, count = ctypes.c_void_p(), Result(), 0
        self.call.duckdb_prepare(self.connection, sql.encode(), ctypes.byref(prepared))
        if self.call.duckdb_execute_prepared_streaming(prepared, ctypes.byref(result)):
            raise SystemExit(self.call.duckdb_result_error(ctypes.byref(result)).decode())
        while chunk := self.call.duckdb_fetch_chunk(result):
            size = self.call.duckdb_data_chunk_get_size(chunk)
            self.call.duckdb_destroy_data_chunk(ctypes.byref(ctypes.c_void_p(chunk)))
            count += size
            if size == 0:
                break
        self.call.duckdb_destroy_result(ctypes.byref(result))
        self.call.duckdb_destroy_prepare(ctypes.byref(prepared))
        return count


def took(duck, sql):
    clock, processor = time.perf_counter(), time.process_time()
    duck.rows(sql)
    return time.perf_counter() - clock, time.process_time() - processor


def best(times):
    return [min(each) for each in zip(*times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("library")
    parser.add_argument("--rows", type=int, default=5000000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--ids", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    os.environ["SIEVE_DUCKDB"] = asked.library
    numbers = [f"x{k}" for k in range(asked.features)] + [f'"label:{k}"' for k in range(LABELS)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.parquet")
        made = ["'item ' || range AS id"] if asked.ids else []
        made += [f"random() AS {name}" for name in numbers[:-LABELS]]
        made += [f"CAST(random() < 0.2 AS INTEGER) AS {name}" for name in numbers[-LABELS:]]
        Duck(asked.library, os.cpu_count()).rows(
            f"COPY (SELECT {', '.join(made)} FROM range({asked.rows})) TO '{path}' (FORMAT parquet)")
        sums = [f"sum({name})" for name in numbers] + ["sum(length(id))"] * asked.ids
        print(f"{asked.rows} rows, {os.path.getsize(path) / 1e6:.0f} MB; seconds by the clock, of the "
              "processor\n\n| threads | DuckDB: every column | DuckDB: rows handed out | sieve | share of "
              "DuckDB's speed |\n|---|---|---|---|---|")
        for threads in range(1, os.cpu_count() + 1):
            duck, scans, fetches, reads = Duck(asked.library, threads), [], [], []
            for _ in range(asked.rounds):
                scans.append(took(duck, f"SELECT {', '.join(sums)} FROM '{path}'"))
                fetches.append(took(duck, f"SELECT * FROM '{path}'"))
                ran = subprocess.run([asked.bench, "cost", path, str(threads)], check=True,
                                     capture_output=True, text=True)
                reads.append([float(word) for word in ran.stdout.split()])
            columns = [best(scans), best(fetches), best(reads)]
            cells = [f"{clock:.2f}, {processor:.2f}" for clock, processor in columns]
            shares = [f"{other[k] / columns[2][k]:.0%}" for k in (0, 1) for other in columns[:2]]
            print(f"| {threads} | " + " | ".join(cells) + f" | {shares[0]} and {shares[1]} by the clock, "
                  f"{shares[2]} and {shares[3]} of the processor |", flush=True)


main()
