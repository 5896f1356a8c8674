import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

PYTHON = sys.executable


SOURCE = pathlib.Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("backend", SOURCE / "python/backend.py")
backend = importlib.util.module_from_spec(_spec)  # its folder in sys.path would hide what is installed
_spec.loader.exec_module(backend)


def pip(*arguments, **more):
    subprocess.run([PYTHON, "-m", "pip", *map(str, arguments)], check=True, capture_output=True,
                   timeout=300, **more)


@pytest.fixture(scope="module")
def library():
    """The library for wheels: the one of `make python`, or of the build whose library is tested."""
    tested = pathlib.Path(os.environ.get("LABELSIEVE_LIBRARY", SOURCE / "build/liblabelsieve.so"))
    return tested.parent / "wheel/liblabelsieve.so"


@pytest.fixture(scope="module")
def portable(library):
    """The command of the same build, for wheels."""
    return library.parents[1] / "apps/sieve/sieve_portable"


@pytest.fixture(scope="module")
def wheel(library, portable, tmp_path_factory):
    """Built by pip with build isolation and without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-index", "--no-deps", "--wheel-dir", folder, SOURCE,
        env={**os.environ, "LABELSIEVE_LIBRARY": str(library), "LABELSIEVE_COMMAND": str(portable)})
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder / "labelsieve"


def test_one_wheel_serves_all_versions_of_python_and_linux(wheel):
    assert wheel.name.endswith("-py3-none-manylinux_2_34_x86_64.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"labelsieve/liblabelsieve.so", "labelsieve/py.typed", "labelsieve/_options.pyi",
            "labelsieve/__init__.py", "labelsieve/bin/sieve"} <= set(names)
    assert wheel.stat().st_size < 18_000_000  # the command, its page and TLS take more than half


def test_the_libraries_need_no_newer_system(unpacked):
    ours = [unpacked / "liblabelsieve.so", unpacked / "bin/sieve"]
    carried = [one for one in unpacked.glob("*.so*") if one not in ours]
    for one in ours:
        assert "GLIBCXX" not in backend.newest_symbols(one), one.name
    names = {one.name for one in carried}
    for one in (*ours, *carried):
        assert backend.newest_symbols(one)["GLIBC"] <= (2, 34), one.name
        foreign = {name for name in backend.needed(one) if name not in names}
        assert all(backend.SYSTEM.fullmatch(name) for name in foreign), (one.name, foreign)
    for one in carried:
        assert "-labelsieve.so" in one.name
        assert (unpacked / f"licences/{one.name}.txt").exists()


def test_what_a_wheel_needs_can_be_printed(wheel):
    told = subprocess.run([PYTHON, SOURCE / "python/backend.py", wheel], check=True, capture_output=True,
                          text=True).stdout.splitlines()
    assert len(told) == 4 and told[0].startswith(wheel.name)
    assert "GLIBC 2.34" in told[1] and "libc.so.6" in told[2] and "libzip" in told[3]


def test_a_library_of_this_system_alone_is_not_called_portable(tmp_path):
    plain = tmp_path / "plain.so"
    subprocess.run(["gcc", "-shared", "-o", plain, "-x", "c", "-", "-Wl,--no-as-needed", "-lz"],
                   input=b"int f(void) { return 1; }", check=True)
    assert backend.tag([plain]) == "py3-none-linux_x86_64"


def test_the_metadata_says_what_pyproject_says(wheel):
    archive = zipfile.ZipFile(wheel)
    told = archive.read(next(one for one in archive.namelist() if one.endswith("METADATA"))).decode()
    for line in ("License: Apache-2.0", "Requires-Python: >=3.9", "Requires-Dist: numpy",
                 "Description-Content-Type: text/markdown", "# LabelSieve"):
        assert f"\n{line}\n" in told


def test_a_source_distribution_has_what_the_build_needs(tmp_path):
    name = backend.build_sdist(tmp_path)
    names = tarfile.open(tmp_path / name).getnames()
    folder = name[:-len(".tar.gz")]
    assert {f"{folder}/{one}" for one in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt",
                                          "python/backend.py", "cmake/wheel/fmt.cpp")} <= set(names)


def test_an_editable_installation_points_to_the_source(library, portable, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELSIEVE_LIBRARY", str(library))
    monkeypatch.setenv("LABELSIEVE_COMMAND", str(portable))
    monkeypatch.setattr(backend, "ROOT", tmp_path)
    (tmp_path / "python/labelsieve").mkdir(parents=True)
    for file in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / file).symlink_to(SOURCE / file)
    made = zipfile.ZipFile(tmp_path / backend.build_editable(tmp_path))
    assert made.read("labelsieve.pth").decode().strip() == str(tmp_path / "python")
    assert (tmp_path / "python/labelsieve/liblabelsieve.so").resolve() == library.resolve()
    assert (tmp_path / "python/labelsieve/bin/sieve").resolve() == portable.resolve()


def test_what_an_import_needs_stays_small_and_a_wheel_without_a_command_promises_none(
        library, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELSIEVE_LIBRARY", str(library))
    monkeypatch.delenv("LABELSIEVE_COMMAND", raising=False)
    alone = tmp_path / backend.build_wheel(tmp_path)
    assert alone.stat().st_size < 10_000_000
    assert not any("entry_points" in name or "bin/" in name for name in zipfile.ZipFile(alone).namelist())


def test_the_tarball_runs_from_anywhere_and_needs_no_newer_system(library, tmp_path):
    build = library.parents[1]
    subprocess.run([PYTHON, SOURCE / "scripts/dist", build, tmp_path], check=True,
                   capture_output=True, timeout=300)
    tarfile.open(next(tmp_path.glob("*.tar.gz"))).extractall(tmp_path / "there")
    top = next((tmp_path / "there").iterdir())
    told = subprocess.run([top / "bin/sieve", "--version"], check=True, capture_output=True, text=True,
                          env={}, timeout=60).stdout
    assert told.startswith("sieve ")
    names = {one.name for one in (top / "lib").iterdir()}
    for one in (top / "bin/sieve", *(top / "lib").iterdir()):
        assert backend.newest_symbols(one)["GLIBC"] <= (2, 34), one.name
        assert all(name in names or backend.SYSTEM.fullmatch(name) for name in backend.needed(one))
    for path in ("include/labelsieve/c_api.h", "share/man/man1/sieve-train.1.gz",
                 "share/bash-completion/completions/sieve", "share/doc/sieve/LICENSE", "README"):
        assert (top / path).exists(), path


def test_two_copies_of_the_package_work_in_one_process(unpacked, tmp_path):
    shutil.copytree(unpacked, tmp_path / "labelsieve")
    code = f"""
import sys
made = []
for folder in {[str(unpacked.parent), str(tmp_path)]!r}:
    sys.path.insert(0, folder)
    import labelsieve
    assert labelsieve.__file__.startswith(folder)
    crowd = labelsieve.make_crowd(rows=60, seed=1)
    made.append(labelsieve.train(crowd, method="forest", options={{"trees": 3}}).to_bytes())
    try:
        labelsieve.train(crowd, method="wood")
    except labelsieve.UsageError as error:
        made.append(str(error))
    for name in [name for name in sys.modules if name.split(".")[0] == "labelsieve"]:
        del sys.modules[name]
assert made[:2] == made[2:], made
"""
    plain = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONPATH", "LABELSIEVE_LIBRARY")}
    subprocess.run([PYTHON, "-c", code], check=True, env=plain, timeout=120)


@pytest.mark.parametrize("broken", ["not a library", None])
def test_a_library_that_cannot_be_loaded_says_so(tmp_path, broken):
    file = tmp_path / "broken.so"
    if broken:
        file.write_text(broken)
    else:  # of another version
        subprocess.run(["gcc", "-shared", "-o", file, "-x", "c", "-"], check=True,
                       input=b"const char* ls_version(void) { return \"9\"; }")
    told = subprocess.run([PYTHON, "-c", "import labelsieve; labelsieve.train"], text=True,
                          capture_output=True, env={**os.environ, "LABELSIEVE_LIBRARY": str(file)})
    assert "ImportError" in told.stderr.splitlines()[-2]
    assert ("glibc 2.34" if broken else "another version") in told.stderr


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
    said = subprocess.run([environment / "bin/sieve", "--version"], check=True, capture_output=True,
                          text=True, env={}, timeout=60).stdout
    assert said.split()[1] in wheel.name
    (tmp_path / "data").mkdir()
    (tmp_path / "data/rows.csv").write_text("a,b,label:x,label:y\n1,2,0,1\n3,4,1,1\n")
    page = "import labelsieve\nwith labelsieve.open('data') as page: print(page._process.args[0], page.link)"
    opened = subprocess.run([installed, "-c", page], check=True, capture_output=True, text=True,
                            env={**alone, "PATH": "/usr/bin", "SIEVE_COMMAND": ""}, cwd=tmp_path,
                            timeout=60).stdout
    assert opened.startswith(str(environment)) and "http://" in opened


def test_two_versions_in_one_environment_do_not_meet(wheel, unpacked, tmp_path):
    """Each has a library of its own, and hints in its own words."""
    shutil.copytree(unpacked, tmp_path / "labelsieve")
    shutil.copytree(unpacked, tmp_path / "another")
    words = tmp_path / "another/_words.py"
    words.write_text(words.read_text().replace("return words | OTHER_WORDS",
                                               "return {'labels.count': 'in_other_words'}"))
    (tmp_path / "t.csv").write_text("a,b,x,y\n1,2,0,1\n3,4,1,1\n")
    code = ("import another, labelsieve\n"
            "crowd = labelsieve.make_crowd(rows=60)\n"
            "options = dict(method='forest', options={'trees': 3})\n"
            "one, two = (package.train(crowd.X, crowd.y, **options) for package in (labelsieve, another))\n"
            "print(one.to_bytes() == two.to_bytes(), another.Model.from_bytes(one.to_bytes()))\n"
            "for package in (labelsieve, another, labelsieve):\n"
            "    try:\n"
            "        package.read('t.csv', format='csv')\n"
            "    except package.DataError as error:\n"
            "        print('in_other_words' in str(error), 'label_count' in str(error))\n")
    alone = {key: value for key, value in os.environ.items() if key != "LABELSIEVE_LIBRARY"}
    told = subprocess.run([PYTHON, "-c", code], cwd=tmp_path, text=True, capture_output=True,
                          env={**alone, "PYTHONPATH": str(tmp_path)}, timeout=120)
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    assert lines[0].startswith("True <labelsieve.Model: forest")
    assert lines[1:4] == ["False True", "True False", "False True"]
