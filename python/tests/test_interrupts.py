"""Ctrl-C, threads and the interpreter lock."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from shallows import QuadraticRegressor, ShallowsRegressor, WideRegressor

PROGRAM = """
import os, signal, sys, threading
import numpy as np
import shallows

random = np.random.default_rng(0)
X = random.normal(size=(4000, 12))
y = np.sin(X @ random.normal(size=12)) + X[:, 0] * X[:, 1]
shallows.QuadraticRegressor(decay=1.0).fit(X[:50], y[:50])  # the pool of threads is there from now on
threads = lambda: len(os.listdir("/proc/self/task"))
before, reports = threads(), []
timer = threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT))
timer.start()
try:
    getattr(shallows, sys.argv[2])(progress=reports.append, **eval(sys.argv[3])).fit(X, y)
    print("finished")
except KeyboardInterrupt:
    timer.join()
    refitted = sum(report["stage"] == "refitting" for report in reports)
    print("interrupted", refitted, threads() - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are counted where the system tells")
@pytest.mark.parametrize("after", ["0.3", "2.5"])
@pytest.mark.parametrize("fit", [("ShallowsRegressor", "dict(effort='best')"), ("WideRegressor", "{}")], ids=lambda fit: fit[0])
def test_a_long_fit_ends_on_ctrl_c_and_leaves_no_thread(fit, after):
    done = subprocess.run([sys.executable, "-c", PROGRAM, after, *fit], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("interrupted"), done.stdout + done.stderr
    # The whole fit takes many times as long: it has not come to its last stage.
    assert done.stdout.split() == ["interrupted", "0", "0"]


def test_other_threads_run_during_a_fit():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    ShallowsRegressor(effort="quick").fit(X, y)
    done.set()
    thread.join()
    assert len(ticks) > 20


@pytest.mark.parametrize("kind", [QuadraticRegressor, WideRegressor])
def test_fits_in_several_threads_are_those_of_one(kind, planted):
    X, y = planted
    expected = kind().fit(X, y).predict(X)
    results = [None] * 4

    def work(at):
        results[at] = kind().fit(X, y).predict(X)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)


def test_a_signal_that_is_handled_does_not_end_the_fit(planted):
    X, y = planted
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(True))
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        model = ShallowsRegressor(effort="normal").fit(X, y)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard and model.score(X, y) > 0.9


FORKED = """
import multiprocessing
import numpy as np
import shallows

lesson = shallows.teach(activation="relu", inputs=4, width=2, samples=400, orthogonal=True)
X, y = lesson.X, lesson.y

def work(_):
    model = shallows.QuadraticRegressor().fit(X, y)
    fit = shallows.ShallowsRegressor(effort="quick").fit(X[:60], y[:60])
    wide = shallows.WideRegressor().fit(X[:60], y[:60])
    certificate = shallows.certify(model, X, y)
    shallows.verify(certificate, X, y)
    shallows.recover(X, y)
    shallows.check(X[:12], y[:12])
    shallows.landscape(inputs=3, width=3).figures
    shallows.teach(inputs=3, width=2, samples=20_000).hash
    return model.predict(X).sum(), fit.predict(X).sum(), fit.predict_interval(X[:9]).sum(), np.sum(wide.predict(X, return_std=True))

expected = work(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(work, [0, 1]) == [expected, expected])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked where the system can")
def test_a_forked_process_works_as_its_parent_did():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=300)
    assert done.stdout == "True\n", done.stdout + done.stderr
