import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

PYTHON = sys.executable


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by pip with build isolation and without a network, of the library that is there."""
    source = pathlib.Path(__file__).parents[2]
    if not os.environ.get("LABELSIEVE_LIBRARY"):
        pytest.skip("LABELSIEVE_LIBRARY does not name a built library")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([PYTHON, "-m", "pip", "wheel", "--no-index", "--no-deps", "--wheel-dir", folder,
                    source], check=True, capture_output=True, timeout=120)
    return next(folder.glob("*.whl"))


def test_one_wheel_serves_all_versions_of_python(wheel):
    assert wheel.name.endswith("-py3-none-linux_x86_64.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"labelsieve/liblabelsieve.so", "labelsieve/py.typed", "labelsieve/_options.pyi",
            "labelsieve/__init__.py"} <= set(names)
    assert wheel.stat().st_size < 10_000_000


def test_pip_installs_it_and_it_works_on_its_own(wheel, tmp_path):
    environment = tmp_path / "venv"
    subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", environment],
                   check=True, timeout=120)
    alone = {key: value for key, value in os.environ.items()
             if key not in ("PYTHONPATH", "LABELSIEVE_LIBRARY")}
    installed = environment / "bin/python"
    subprocess.run([PYTHON, "-m", "pip", "--python", installed, "install", "--no-index", wheel],
                   check=True, capture_output=True, env=alone, timeout=120)
    code = ("import labelsieve; print(labelsieve.__file__); print(labelsieve.__version__);"
            "print(labelsieve.train(labelsieve.make_crowd(rows=50), method='forest',"
            " options={'trees': 3}))")
    told = subprocess.run([installed, "-c", code], check=True, capture_output=True, text=True,
                          env=alone, cwd=tmp_path, timeout=120).stdout.splitlines()
    assert told[0].startswith(str(environment))
    assert told[1] in wheel.name
    assert "forest" in told[2]
