import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import labelsieve
from conftest import FOREST

LONG = {"method": "mlp-noise", "options": {"epochs": 100000}}


def run(code, **options):
    return subprocess.Popen([sys.executable, "-u", "-c", textwrap.dedent(code)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_control_c_stops_a_training():
    child = run("""
        import labelsieve
        data = labelsieve.make_crowd(rows=500)
        def told(stage, done, total, note):
            if done: print("going", flush=True)
        try:
            labelsieve.train(data, method="mlp-noise", options={"epochs": 100000}, verbose=told)
        except KeyboardInterrupt:
            print("stopped")
        labelsieve.train(data, method="forest", options={"trees": 5})
        print("goes on")
        """)
    assert child.stdout.readline() == "going\n"
    child.send_signal(signal.SIGINT)
    told, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors
    assert told.splitlines()[-2:] == ["stopped", "goes on"]


def test_control_c_in_the_middle_of_a_fit_of_the_classifier_is_a_keyboard_interrupt():
    before = signal.getsignal(signal.SIGINT)
    data = labelsieve.make_crowd(rows=200)

    def told(stage, done, total, note):
        os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        labelsieve.LabelSieveClassifier(**LONG, verbose=told).fit(data.X, data.y)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_callback_that_raises_stops_the_work_with_its_own_error(crowd):
    class Enough(Exception):
        pass

    def told(stage, done, total, note):
        raise Enough(stage)
    for work in (lambda: labelsieve.train(crowd, **LONG, verbose=told),
                 lambda: labelsieve.LabelCleaner(**LONG, verbose=told).fit(crowd)):
        with pytest.raises(Enough):
            work()


def test_callbacks_are_told_stages_on_the_thread_that_called(crowd):
    import threading
    told = []

    def take(*one):
        assert threading.current_thread() is threading.main_thread()
        told.append(one)
    labelsieve.train(crowd, **FOREST, verbose=take)
    labelsieve.train(crowd, method="mlp", options={"members": 4, "epochs": 20}, n_jobs=3, verbose=take)
    assert told and all(total == 0 or done <= total for _, done, total, _ in told)
    assert all(stage for stage, *_ in told)


@pytest.mark.parametrize("tqdm", ["import tqdm", "sys.modules['tqdm'] = None"])
def test_progress_goes_to_standard_error_and_silence_is_silent(tqdm):
    code = f"""
        import sys
        {tqdm}
        import labelsieve
        data = labelsieve.make_crowd(rows=300)
        labelsieve.train(data, method="forest", options={{"trees": 20}}, verbose=VERBOSE)
        """
    loud, silent = (run(code.replace("VERBOSE", verbose)).communicate(timeout=60)
                    for verbose in ("1", "0"))
    assert silent == ("", "")
    assert loud[0] == "" and loud[1] != "" and "Error" not in loud[1]


def test_other_python_threads_run_meanwhile(crowd):
    """The interpreter is free during a call: a thread counts on while this one trains."""
    import threading
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    labelsieve.train(crowd, method="mlp-noise", options={"members": 1, "epochs": 40, "depth": 1},
                     n_jobs=1)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 5


def test_importing_loads_nothing_that_is_not_needed():
    code = "import sys, labelsieve; print(sorted({'numpy', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)))"
    assert run(code).communicate(timeout=60)[0] == "[]\n"


def test_an_interpreter_may_end_during_a_fit():
    child = run("""
        import os, sys, threading
        import labelsieve
        data, going = labelsieve.make_crowd(rows=500), threading.Event()
        def told(stage, done, total, note):
            going.set()
        work = threading.Thread(daemon=True, target=lambda: labelsieve.train(
            data, method="mlp-noise", options={"epochs": 100000}, verbose=told))
        work.start()
        going.wait()
        print("leaving", flush=True)
        sys.exit(3)
        """)
    told, errors = child.communicate(timeout=60)
    assert told == "leaving\n" and child.returncode == 3, errors
