"""Run by `make test` with PYTHONPATH and LABELSIEVE_LIBRARY set to this tree's, or against an
installed package."""
import os
import pathlib
import shutil

import numpy as np
import pytest

import labelsieve

FOREST = {"method": "forest", "options": {"trees": 30}}


def pytest_sessionfinish(session):
    """Nothing may be skipped where LABELSIEVE_NO_SKIPS says so."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("LABELSIEVE_NO_SKIPS") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def crowd():
    return labelsieve.make_crowd(rows=300, features=20, labels=6, seed=3)


@pytest.fixture
def ticked():
    return labelsieve.make_crowd(rows=250, features=20, labels=6, votes=True, seed=3)


@pytest.fixture
def sieve():
    """The command of the same build."""
    found = os.environ.get("SIEVE_COMMAND") or shutil.which("sieve")
    if not found:
        pytest.skip("the command sieve is not there: set SIEVE_COMMAND")
    return found


@pytest.fixture
def source():
    folder = pathlib.Path(__file__).parents[2]
    if not (folder / "apps").exists():
        pytest.skip("the source of LabelSieve is not here")
    return folder


@pytest.fixture
def arrays(crowd):
    return np.array(crowd.X), crowd.y.toarray().astype(int)
