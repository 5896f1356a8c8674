import os

import pytest

from labelsieve import _work


def group(root, text, limit):
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(text)
    for path, content in limit.items():
        file = root / "sys/fs/cgroup" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return str(root)


@pytest.mark.parametrize("text, limit, cores", [
    ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "50000 100000"}, 0.5),
    ("0::/a/b\n", {"a/b/cpu.max": "150000 100000", "a/cpu.max": "400000 100000"}, 1.5),
    ("0::/\n", {"cpu.max": "100000 100000"}, 1),
    ("0::/a\n", {"cpu.max": "100000 100000"}, 1),
    ("4:cpu,cpuacct:/x\n", {"cpu,cpuacct/x/cpu.cfs_quota_us": "300000",
                            "cpu,cpuacct/x/cpu.cfs_period_us": "100000"}, 3),
    ("4:cpu,cpuacct:/x\n", {"cpu,cpuacct/x/cpu.cfs_quota_us": "-1",
                            "cpu,cpuacct/x/cpu.cfs_period_us": "100000"}, float("inf")),
    ("0::/a\n", {"a/cpu.max": "nonsense"}, float("inf")),
    ("", {}, float("inf")),
])
def test_the_quota_of_a_container_is_read(tmp_path, text, limit, cores):
    assert _work.quota(group(tmp_path, text, limit)) == cores


def test_without_control_groups_there_is_no_quota(tmp_path):
    assert _work.quota(str(tmp_path)) == float("inf")


def test_jobs_honour_the_environment_the_affinity_and_the_quota(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)))
    monkeypatch.setattr(_work, "_quota", lambda _: 2.5)
    assert [_work.threads_of(n) for n in (None, -1, -2, -9, 7)] == [3, 3, 2, 1, 7]
    monkeypatch.setattr(_work, "_quota", lambda _: 1.0)
    assert _work.threads_of(None) == 1 == _work.threads_of(-1)
    monkeypatch.setattr(_work, "_quota", lambda _: float("inf"))
    assert _work.threads_of(-1) == 6
    monkeypatch.setenv("OMP_NUM_THREADS", "2,1")
    assert _work.threads_of(None) == 2 and _work.threads_of(-1) == 6
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert _work.threads_of(None) == 6
