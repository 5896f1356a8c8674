"""Builds the wheel (PEP 517): calls CMake for liblabelsieve.so and zips it with the Python files.

LABELSIEVE_LIBRARY names a library that is built already and is taken instead.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "apps", "cmake", "include",
           "plans", "pyproject.toml", "python", "scripts", "src")


def version():
    return re.search(r"project\(LabelSieve VERSION ([\d.]+)",
                     (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def metadata():
    return "\n".join((
        "Metadata-Version: 2.1", "Name: labelsieve", f"Version: {version()}",
        "Summary: Learning from over-complete label sets", "Requires-Python: >=3.9",
        "Requires-Dist: numpy", "Requires-Dist: scipy", "Requires-Dist: scikit-learn>=1.0", "",
        "Each row has candidate labels, some right, some noise. LabelSieve learns a predictor from "
        "them, tells right from wrong, and says who ticks what.", ""))


def tag():
    return f"py3-none-linux_{platform.machine()}"


def info_files():
    """What stands in the .dist-info folder, but for the record."""
    return {"METADATA": metadata().encode(),
            "WHEEL": ("Wheel-Version: 1.0\nGenerator: labelsieve\nRoot-Is-Purelib: false\n"
                      f"Tag: {tag()}\n").encode(),
            "LICENSE": (ROOT / "LICENSE").read_bytes()}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"labelsieve-{version()}.dist-info"
    folder.mkdir()
    for name, content in info_files().items():
        (folder / name).write_bytes(content)
    return folder.name


def build_library(folder):
    """A stripped copy of the library. What `make` has built is built on, else there is a folder for
    this, without the tests and what they need."""
    made = os.environ.get("LABELSIEVE_LIBRARY")
    if not made:
        shared = (ROOT / "build/CMakeCache.txt").exists()
        build = ROOT / ("build" if shared else "build-wheel")
        off = [] if shared else [word for part in ("TESTS", "STUDIES", "WEB", "COMMAND")
                                 for word in ("-D", f"LABELSIEVE_{part}=OFF")]
        configure = ["--preset", "release", "-B", str(build), *off]
        try:
            for step in (configure, ["--build", str(build), "--target", "labelsieve_c"]):
                subprocess.run(["cmake", *step], cwd=ROOT, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"liblabelsieve.so could not be built: {error}\n"
                             "The Debian packages that it needs: scripts/setup build") from error
        made = build / "liblabelsieve.so"
    copy = pathlib.Path(folder) / "liblabelsieve.so"
    shutil.copyfile(made, copy)
    subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
    return copy


class Wheel:
    """A zip with a record of what is in it. The same files give the same bytes."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, content):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        self._zip.writestr(entry, content)
        sum_ = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={sum_},{len(content)}\n")

    def close(self, record):
        self._zip.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)),
                           "".join(self._record) + f"{record},,\n")
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"labelsieve-{version()}.dist-info"
    name = f"labelsieve-{version()}-{tag()}.whl"
    wheel = Wheel(pathlib.Path(wheel_directory) / name)
    package = ROOT / "python/labelsieve"
    for path in sorted([*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed"]):
        wheel.add(f"labelsieve/{path.name}", path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        wheel.add("labelsieve/liblabelsieve.so", build_library(folder).read_bytes())
    for file, content in info_files().items():
        wheel.add(f"{info}/{file}", content)
    wheel.close(f"{info}/RECORD")
    return name


def build_sdist(sdist_directory, config_settings=None):
    folder = f"labelsieve-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{folder}.tar.gz", "w:gz") as archive:
        for source in SOURCES:
            archive.add(ROOT / source, f"{folder}/{source}",
                        filter=lambda one: None if "__pycache__" in one.name else one)
        with tempfile.NamedTemporaryFile() as file:
            file.write(metadata().encode())
            file.flush()
            archive.add(file.name, f"{folder}/PKG-INFO")
    return f"{folder}.tar.gz"
