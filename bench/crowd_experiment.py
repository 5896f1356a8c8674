"""What the benchmarks of experiments share: a plan on made-up data, and runs of it."""
import contextlib
import json
import os
import subprocess
import tempfile


@contextlib.contextmanager
def crowd(sieve, rows, repeats, methods):
    """Works in a folder of its own that holds such a set and a plan with these [[method]] tables."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("plan.toml", "w") as plan:
            plan.write(f'repeats = {repeats}\n[[data]]\nname = "crowd"\nfolder = "crowd.arff"\n'
                       + methods)
        subprocess.run([sieve, "synth", "--out", "crowd.arff", "--rows", str(rows)], check=True,
                       capture_output=True)
        yield


def experiment(command, jobs, store):
    """What a run of the plan tells of itself."""
    ran = subprocess.run([*command, "experiment", "plan.toml", "--data", ".", "--jobs", str(jobs),
                          "--store", store, "--quiet", "--json"], check=True, capture_output=True)
    return json.loads(ran.stdout)
