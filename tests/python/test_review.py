import subprocess
import sys
import urllib.request

import pytest

import labelsieve


@pytest.fixture
def files(sieve, tmp_path):
    rows, votes = tmp_path / "r.csv", tmp_path / "a.csv"
    subprocess.run([sieve, "synth", "--rows", "60", "--labels", "6", "--out", rows, "--annotations",
                    votes], check=True, capture_output=True)
    return rows, votes


def test_the_page_of_the_command_is_served_until_it_is_closed(files, tmp_path):
    rows, votes = files
    with labelsieve.open(rows, annotations=votes, decisions=tmp_path / "d.db", reviewer="ann") as page:
        assert page.link.startswith("http://127.0.0.1:") and page.link in page._repr_html_()
        with urllib.request.urlopen(page.link, timeout=20) as answer:
            assert answer.status == 200
        process = page._process
        assert process.poll() is None
    assert process.returncode is not None
    page.close()


def test_a_folder_is_a_workspace_that_keeps_its_decisions_beside_the_data(files):
    with labelsieve.open(files[0].parent) as page:
        with urllib.request.urlopen(page.link, timeout=20) as answer:
            assert b"<html" in answer.read()


@pytest.mark.parametrize("name", ["open", "an open one"])
def test_a_file_may_be_called_as_the_line_with_the_link_begins(files, tmp_path, name):
    (tmp_path / name).write_bytes(files[0].read_bytes())
    with labelsieve.open(tmp_path / name, annotations=files[1]) as page:
        assert page.link.startswith("http://")


def test_a_workspace_may_lie_in_the_current_folder(files, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    with labelsieve.open() as page:
        assert page.link.startswith("http://")


def test_the_page_ends_with_python(files, tmp_path):
    code = f"import labelsieve; page = labelsieve.open({str(files[0])!r}, " \
           f"decisions={str(tmp_path / 'd.db')!r}, method='pml-ni'); print(page._process.pid)"
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                           timeout=60)
    gone = subprocess.run(["kill", "-0", ended.stdout.strip()], capture_output=True, check=False)
    assert gone.returncode != 0


def test_what_the_command_refuses_is_an_error_of_python(files, tmp_path, sieve, monkeypatch):
    with pytest.raises(labelsieve.FileError, match="nothing.csv"):
        labelsieve.open(tmp_path / "nothing.csv", decisions=tmp_path / "d.db")
    with pytest.raises(TypeError, match="colour"):
        labelsieve.open(files[0], decisions=tmp_path / "d.db", colour="red")
    monkeypatch.delenv("SIEVE_COMMAND", raising=False)
    monkeypatch.setattr("labelsieve._command._CARRIED", tmp_path / "bin/sieve")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(labelsieve.FileError, match="sieve is not there"):
        labelsieve.open(files[0], decisions=tmp_path / "d.db")
