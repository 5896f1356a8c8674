"""Builds the wheel (PEP 517, PEP 660): calls CMake for liblabelsieve.so and the command, and zips them
with the Python files and with the libraries that they need. pyproject.toml has the rest of the metadata.

LABELSIEVE_LIBRARY names a library that is built already and is taken instead, with the command that
LABELSIEVE_COMMAND names, or without one. If they are for another processor, LABELSIEVE_CROSS is the prefix of the tools for it (aarch64-linux-gnu) and LABELSIEVE_SYSROOT
the folder with its libraries.

usage by hand: backend.py WHEEL   (prints its size, and what it needs and carries)
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile

try:
    import tomllib
except ImportError:  # Python 3.10 and earlier
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "apps", "cmake", "include",
           "plans", "pyproject.toml", "python", "scripts", "src")
# What every Linux of the tag has (PEP 600), and the newest symbols of each.
SYSTEM = re.compile(r"(ld-linux-.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so(\.\d+)?")
GLIBC = (2, 34)
CROSS = os.environ.get("LABELSIEVE_CROSS", "")
MACHINE = CROSS.split("-")[0] or platform.machine()
COMMAND = "bin/sieve"  # in the package
NEWEST = {"GLIBC": GLIBC, "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (11, 0)}


def version():
    return re.search(r"project\(LabelSieve VERSION ([\d.]+)",
                     (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return "\n".join((
        "Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
        f"Summary: {project['description']}", f"License: {project['license']['text']}",
        *(f"Author: {one['name']}" for one in project["authors"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
        "Description-Content-Type: text/markdown", "",
        (ROOT / project["readme"]).read_text(encoding="utf-8")))


def _tool(name):
    return f"{CROSS}-{name}" if CROSS else name


def _told(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(library):
    """The names of the libraries that one is linked with."""
    return re.findall(r"NEEDED +(\S+)", _told(_tool("objdump"), "-p", str(library)))


def newest_symbols(library):
    """The newest version of each kind of symbol that a library wants of the system."""
    newest = {}
    for kind, number in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)",
                                   _told(_tool("objdump"), "-T", str(library))):
        found = tuple(map(int, number.split(".")))
        newest[kind] = max(newest.get(kind, found), found)
    return newest


def is_portable(libraries):
    """Whether the libraries need nothing but each other and what every system of the tag has."""
    names = {one.name for one in libraries}
    return all(name in names or SYSTEM.fullmatch(name)
               for one in libraries for name in needed(one)) and \
        all(number <= NEWEST[kind]
            for one in libraries for kind, number in newest_symbols(one).items())


def tag(libraries):
    system = f"manylinux_{GLIBC[0]}_{GLIBC[1]}" if is_portable(libraries) else "linux"
    return f"py3-none-{system}_{MACHINE}"


def info_files(tag_, has_command):
    """What stands in the .dist-info folder, but for the record."""
    files = {"METADATA": metadata().encode(),
             "WHEEL": ("Wheel-Version: 1.0\nGenerator: labelsieve\nRoot-Is-Purelib: false\n"
                       f"Tag: {tag_}\n").encode(),
             "LICENSE": (ROOT / "LICENSE").read_bytes()}
    if has_command:
        files["entry_points.txt"] = b"[console_scripts]\nsieve = labelsieve._command:main\n"
    return files


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"labelsieve-{version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def made():
    """The library and the command as CMake makes them; the command may be None. What `make` has built is
    built on, else there is a folder for this, without the tests and what they need."""
    if os.environ.get("LABELSIEVE_LIBRARY"):
        given = [os.environ.get(f"LABELSIEVE_{part}") for part in ("LIBRARY", "COMMAND")]
        return [pathlib.Path(one).resolve() if one else None for one in given]
    shared = (ROOT / "build/CMakeCache.txt").exists()
    build = ROOT / ("build" if shared else "build-wheel")
    off = [] if shared else [word for part in ("TESTS", "STUDIES")
                             for word in ("-D", f"LABELSIEVE_{part}=OFF")]
    configure = ["--preset", "release", "-B", str(build), *off]
    targets = ["--target", "labelsieve_wheel", "sieve_portable"]
    try:
        for step in (configure, ["--build", str(build), *targets]):
            subprocess.run(["cmake", *step], cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"liblabelsieve.so could not be built: {error}\n"
                         "The Debian packages that it needs: scripts/setup build") from error
    return [build / "wheel/liblabelsieve.so", build / "apps/sieve/sieve_portable"]


def bundle(library, command, folder):
    """Stripped copies of the library and the command in the folder, and beside them what not every
    system has, with the licences. Without patchelf or dpkg only they, for this system."""
    targets = [(library, pathlib.Path(folder) / "liblabelsieve.so")]
    if command:
        targets.append((command, pathlib.Path(folder) / COMMAND))
    carries = all(map(shutil.which, ("patchelf", "dpkg")))
    carried, licences = {}, {}
    for original, copy in targets:
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(original, copy)
        if carries:
            carry(original, copy, folder, carried, licences)
        else:
            subprocess.run([_tool("strip"), "--strip-unneeded", str(copy)], check=True)
    return [*(copy for _, copy in targets), *carried.values()], licences


def carry(original, copy, folder, made, licences):
    """Strips a copy and puts what it needs, and not every system has, into the folder, under names of
    their own: another package may bring another version. `made` and `licences` go by name."""
    places = places_of_libraries(original)
    todo = [pathlib.Path(copy)]
    while todo:
        here = todo.pop()
        subprocess.run([_tool("strip"), "--strip-unneeded", str(here)], check=True)
        for name in needed(here):
            if SYSTEM.fullmatch(name):
                continue
            if name not in made:
                made[name] = pathlib.Path(folder) / name.replace(".so", "-labelsieve.so", 1)
                shutil.copyfile(places[name], made[name])
                _told("patchelf", "--set-soname", made[name].name, str(made[name]))
                licences[made[name].name] = licence_of(places[name])
                todo.append(made[name])
            _told("patchelf", "--replace-needed", name, made[name].name, str(here))
        way = os.path.relpath(folder, here.parent)
        _told("patchelf", "--set-rpath", "$ORIGIN" if way == "." else f"$ORIGIN/{way}", str(here))


def places_of_libraries(library):
    """Where the loader finds what a library needs, by name."""
    if not CROSS:
        return dict(re.findall(r"(\S+) => (/\S+)", _told("ldd", str(library))))
    folder = pathlib.Path(os.environ["LABELSIEVE_SYSROOT"]) / "usr/lib" / CROSS
    return {one.name: str(one) for one in folder.glob("*.so.*")}


def licence_of(library):
    """The terms of a library of the system, as Debian keeps them; of one for another processor, those of
    the one for this."""
    real = os.path.realpath(library)
    for path in (real, real.replace("/usr/lib/", "/lib/", 1), f"*/{pathlib.Path(library).name}"):
        found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            return pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
    raise SystemExit(f"the licence of {real} was not found, so the wheel may not carry it")


class Wheel:
    """A zip with a record of what is in it. The same files give the same bytes."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, content):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        mode = stat.S_IFREG | (0o755 if name.endswith(COMMAND) else 0o644)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, mode << 16
        self._zip.writestr(entry, content)
        sum_ = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={sum_},{len(content)}\n")

    def close(self, record):
        self._zip.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)),
                           "".join(self._record) + f"{record},,\n")
        self._zip.close()


def write_wheel(wheel_directory, contents, tag_, has_command):
    name, info = f"labelsieve-{version()}-{tag_}.whl", f"labelsieve-{version()}.dist-info"
    wheel = Wheel(pathlib.Path(wheel_directory) / name)
    for file, content in contents.items():
        wheel.add(file, content)
    for file, content in info_files(tag_, has_command).items():
        wheel.add(f"{info}/{file}", content)
    wheel.close(f"{info}/RECORD")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = ROOT / "python/labelsieve"
    files = sorted([*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed"])
    with tempfile.TemporaryDirectory() as folder:
        library, command = made()
        binaries, licences = bundle(library, command, folder)
        contents = {f"labelsieve/{path.name}": path.read_bytes() for path in files}
        contents |= {f"labelsieve/{path.relative_to(folder)}": path.read_bytes() for path in binaries}
        contents |= {f"labelsieve/licences/{name}.txt": text for name, text in licences.items()}
        return write_wheel(wheel_directory, contents, tag(binaries), command is not None)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points here; the package has links to the library and the command."""
    package = ROOT / "python/labelsieve"
    library, command = made()
    for link, target in ((package / "liblabelsieve.so", library), (package / COMMAND, command)):
        link.unlink(missing_ok=True)
        if target:
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(target)
    return write_wheel(wheel_directory, {"labelsieve.pth": f"{ROOT / 'python'}\n".encode()},
                       f"py3-none-linux_{platform.machine()}", command is not None)


def build_sdist(sdist_directory, config_settings=None):
    folder = f"labelsieve-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{folder}.tar.gz", "w:gz") as archive:
        for source in SOURCES:
            archive.add(ROOT / source, f"{folder}/{source}",
                        filter=lambda one: None if "__pycache__" in one.name or one.issym() else one)
        with tempfile.NamedTemporaryFile() as file:
            file.write(metadata().encode())
            file.flush()
            archive.add(file.name, f"{folder}/PKG-INFO")
    return f"{folder}.tar.gz"


def tell(wheel):
    """Prints the size of a wheel, what its binaries want of the system, and what they bring along."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        top = pathlib.Path(folder) / "labelsieve"
        carried = sorted(one.name for one in top.glob("*.so*"))
        print(f"{pathlib.Path(wheel).name}: {os.path.getsize(wheel) / 1e6:.1f} MB")
        for binary in (top / "liblabelsieve.so", top / COMMAND):
            if not binary.exists():
                continue
            newest = ", ".join(f"{kind} {'.'.join(map(str, number))}"
                               for kind, number in sorted(newest_symbols(binary).items()))
            system = ", ".join(name for name in needed(binary) if name not in carried)
            print(f"{binary.name}: newest symbols {newest}; of the system {system}")
        print("carried:", ", ".join(name.split("-labelsieve")[0] for name in carried
                                    if "-labelsieve" in name))


if __name__ == "__main__":
    tell(*sys.argv[1:])
