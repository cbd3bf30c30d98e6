"""Interrupts, threads, forks, leaks, progress: what a process needs."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest

import veilgraph as vg


def test_ctrl_c_is_answered_within_a_fifth_of_a_second(tmp_path):
    graph = vg.generate("citation", nodes=3000, seed=1)
    method = vg.LPGNet(epsilon_edges=4, epochs=100_000)
    sent = []

    def interrupt():
        time.sleep(1.0)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        method.train(graph, out=tmp_path / "run", seed=1)
    assert time.monotonic() - sent[0] < 0.2
    assert not (tmp_path / "run").exists()
    # The same call resumes; another one says that the release is unfinished.
    time.sleep(0.3)
    again = vg.LPGNet(epsilon_edges=4, epochs=3)
    with pytest.raises(vg.ReleaseConflict, match="interrupted release"):
        again.train(graph, out=tmp_path / "run", seed=1)


def test_what_an_interrupted_training_paid_for_is_kept(tmp_path):
    graph = vg.generate("citation", nodes=1000, seed=1)
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 4})
    method, steps = vg.LPGNet(epsilon_edges=4, epochs=300), []

    def interrupt(step, *_):
        steps.append(step)
        if step == "training":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        method.train(graph, ledger=book, out=tmp_path / "run", progress=interrupt)
    assert (steps[-1], str(book.left("edge"))) == ("training", "0")
    paid = book.entries
    assert len(paid) > 0
    assert not (tmp_path / "run").exists()
    time.sleep(0.3)
    run = method.train(graph, ledger=book, out=tmp_path / "run")
    assert book.entries == paid, "the same call pays nothing more"
    assert run.predict().shape == (graph.nodes,)


def test_an_interrupted_attack_asks_no_more_questions():
    graph, asked = vg.generate("citation", nodes=300, seed=1), []

    def predict(x):
        asked.append(time.monotonic())
        time.sleep(0.02)
        if len(asked) == 10:
            os.kill(os.getpid(), signal.SIGINT)
        return x[:, :3]

    with pytest.raises(KeyboardInterrupt):
        vg.attack.linkteller(predict=predict, x=graph.x, truth=graph, pairs=200)
    time.sleep(0.3)
    count = len(asked)
    time.sleep(0.3)
    assert len(asked) == count < 100


INTERRUPTED = """
import os, signal, time
import veilgraph as vg
graph, asked = vg.generate("citation", nodes=300, seed=1), []
def predict(x):
    asked.append(1)
    if len(asked) == 3:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
    return x[:, :3]
try:
    vg.attack.linkteller(predict=predict, x=graph.x, truth=graph, pairs=50)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_process_ends_in_order_while_a_callable_is_still_asked():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_a_warning_loses_nothing_that_was_paid_for(tmp_path, monkeypatch):
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: raised.append(it.exc_value))
    private, public = (vg.generate("citation", nodes=300, seed=seed) for seed in (1, 2))
    book = vg.Ledger.create(tmp_path / "book.db", {"node": (4, "0.5")})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = vg.ClassSums(epsilon=4, delta=0.1, epochs=1).train(
            private, public_graph=public, ledger=book, declare_public="split,columns,private-nodes"
        )
    assert [type(it) for it in raised] == [vg.VeilWarning]
    assert run.predict().shape == (300,)
    assert len(book.entries) == 1


def test_a_callback_may_train_another_model(graph):
    inner = []

    def train(*_):
        if not inner:
            inner.append(vg.MLP(epochs=2).train(graph, progress=False))

    vg.LPGNet(epsilon_edges=4, epochs=200).train(graph, progress=train)
    assert inner[0].predict().shape == (graph.nodes,)


def test_a_bar_of_tqdm_shows_the_steps(capsys):
    graph = vg.generate("citation", nodes=2000, seed=1)
    vg.LPGNet(epsilon_edges=4, epochs=100).train(graph, progress=True)
    assert "training" in capsys.readouterr().err


def test_python_runs_meanwhile():
    graph, ticks, done = vg.generate("citation", nodes=2000, seed=1), [], threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    vg.LPGNet(epsilon_edges=4, epochs=60).train(graph, seed=1)
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    assert len(ticks) > seconds / 0.1


def test_a_callback_sees_every_step(graph):
    seen = []
    vg.LPGNet(epsilon_edges=4, epochs=400).train(graph, seed=1, progress=lambda *step: seen.append(step))
    assert {step for step, _, _ in seen} & {"training", "writing"}
    assert all(done <= of or of == 0 for _, done, of in seen)


def test_an_exception_of_a_callback_ends_the_training(graph):
    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        vg.LPGNet(epsilon_edges=4, epochs=100_000).train(graph, seed=1, progress=fail)


def test_eight_threads_never_overspend_one_ledger(tmp_path, graph):
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 5})
    outcomes = []

    def train(number):
        try:
            vg.LPGNet(epsilon_edges=1, epochs=2).train(graph, ledger=book, out=tmp_path / str(number))
            outcomes.append("paid")
        except vg.BudgetError:
            outcomes.append("refused")

    threads = [threading.Thread(target=train, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["paid"] * 5 + ["refused"] * 3
    assert (str(book.spent("edge")), str(book.left("edge"))) == ("5", "0")


FORK = """
import os, sys, warnings
import numpy as np
import veilgraph as vg
warnings.simplefilter("ignore")
edges = np.random.default_rng(1).integers(0, 200, (2, 100_000))
data = lambda: vg.from_arrays(edges, np.eye(200), np.arange(200) % 4, train_mask=np.arange(200) < 100)
# Graphs are built by many threads, of which a fork has none.
data()


def train():
    run = vg.LPGNet(epsilon_edges=4, epochs=3).train(data(), seed=1, declare_public="classes")
    return run.predict()["probabilities"].tobytes()


before = train() if sys.argv[1] == "after" else None
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, train()[:64])
    os._exit(0)
os.wait()
assert os.read(read, 64) == (before or train())[:64]
print("same")
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_fork_trains_before_and_after_its_parent_did(when):
    script = [sys.executable, "-W", "ignore", "-c", FORK, when]
    done = subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "same\n", done.stderr


def test_a_thousand_trainings_leave_no_memory_behind():
    psutil = pytest.importorskip("psutil")
    graph = vg.generate("citation", nodes=300, seed=1)
    process, method, rss = psutil.Process(), vg.LPGNet(epsilon_edges=4, epochs=1, hidden=4), []
    for number in range(1000):
        method.train(graph, seed=1).predict()
        if number % 100 == 99:
            rss.append(process.memory_info().rss)
    assert rss[-1] - rss[1] < 8 << 20, [it >> 20 for it in rss]


def test_import_is_quick_and_light():
    script = (
        "import sys, veilgraph; print(sorted({'torch', 'pandas', 'sklearn', 'scipy', 'pyarrow'} & set(sys.modules)))"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert time.monotonic() - start < 5


def test_seeds_warn():
    graph = vg.generate("citation", nodes=300, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(vg.NotPrivateWarning, match="seed=1"):
            vg.MLP(epochs=1).train(graph, seed=1)
        vg.MLP(epochs=1).train(graph)
