"""Runs an experiment file (experiments/*.toml) and keeps every run's figures in target/reproduce/NAME.jsonl.

    python3 scripts/reproduce.py experiments/graphprivatizer-table-6.toml --data cora=../shared/data/cora

A file names data, parameters of `veil train`, cases (each overrides parameters), a grid whose product with the cases is run, seeds,
and attacks. Runs that are in the results already are not run again. One run per core (--cores), each with one thread.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
VEIL = pathlib.Path(os.environ.get("VEIL", ROOT / "target/release/veil"))


def flags(parameters):
    """As words; what is `true` is a flag without a value."""
    return [word for key, value in parameters.items() for word in ([f"--{key}"] if value is True else [f"--{key}", str(value)])]


def veil(*words):
    environment = dict(os.environ, RAYON_NUM_THREADS="1")
    done = subprocess.run([str(VEIL), *map(str, words), "--json"], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return {"error": done.stderr.strip()}
    return json.loads(done.stdout)


def runs(experiment):
    """Every (data, case, grid point, seed), with its parameters; one data set alone is no part of the key."""
    grid = experiment.get("grid", {})
    if isinstance(experiment["data"], list):
        grid = {"data": experiment["data"], **grid}
    for case in experiment["cases"]:
        case = dict(case)
        name = case.pop("name")
        own = {**grid, **case.pop("grid", {})}
        for point in itertools.product(*own.values()):
            point = dict(zip(own.keys(), point))
            for seed in range(1, experiment["seeds"] + 1):
                yield {"case": name, **point, "seed": seed}, {**experiment["parameters"], **case, **point}


def run(experiment, paths, key, parameters):
    parameters = dict(parameters)
    name = parameters.pop("data", experiment["data"])
    data = paths.get(name, name)
    for other in ("inference-data", "validation-data"):
        if other in parameters:
            parameters[other] = paths.get(parameters[other], parameters[other])
    for other in ("public", "inference-data"):
        if str(parameters.get(other, "")).startswith(".."):
            # Beside the private graph: `veil data split-private` makes both.
            parameters[other] = pathlib.Path(data) / parameters[other]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        trained = veil("train", data, *flags(parameters), "--seed", key["seed"], "--out", out)
        if "error" in trained:
            return {**key, **trained}
        kept = ("test_accuracy", "validation_accuracy", "validation_loss", "best_epoch", "edges_before", "edges_after", "edges_kept", "seconds")
        result = {**key, **{name: trained[name] for name in kept}}
        for place, found in (("", trained), ("inference_", trained.get("inference"))):
            rare = found and found["classification"] and found["classification"]["rare"]
            if rare:
                result.update({f"{place}rare_{name}": rare[name] for name in rare})
                result[f"{place}macro_f1"] = found["classification"]["macro_f1"]
        if trained.get("inference") and trained["inference"]["classification"]:
            result["inference_accuracy"] = trained["inference"]["classification"]["accuracy"]
        attacked, truth = out, data
        if trained.get("inference"):
            attacked, truth = trained["inference"]["out"], parameters["inference-data"]
        for attack in experiment.get("attacks", []):
            attack = dict(attack)
            name, kind, where = attack.pop("name"), attack.pop("kind"), attack.pop("where", {})
            if any(key[word] not in values for word, values in where.items()):
                continue
            found = veil("attack", kind, attacked, "--truth", truth, *flags(attack), "--seed", key["seed"])
            result[name] = found.get("auc", found.get("error"))
            result[name + "_edge_free"] = found.get("auc_edge_free")
        return result


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("experiment", type=pathlib.Path)
    arguments.add_argument("--data", action="append", default=[], metavar="NAME=PATH")
    arguments.add_argument("--seeds", type=int)
    arguments.add_argument("--cores", type=int, default=os.cpu_count())
    arguments = arguments.parse_args()
    experiment = tomllib.loads(arguments.experiment.read_text())
    if arguments.seeds:
        experiment["seeds"] = arguments.seeds
    paths = dict(pair.split("=", 1) for pair in arguments.data)
    results = ROOT / "target/reproduce" / (arguments.experiment.stem + ".jsonl")
    results.parent.mkdir(parents=True, exist_ok=True)
    identity = lambda row: json.dumps({k: row[k] for k in row if k in wanted_keys}, sort_keys=True)
    todo = list(runs(experiment))
    wanted_keys = {name for key, _ in todo for name in key}
    done = set()
    if results.exists():
        done = {identity(json.loads(line)) for line in results.read_text().splitlines()}
    todo = [(key, parameters) for key, parameters in todo if identity(key) not in done]
    print(f"{len(done)} runs are there, {len(todo)} to do")
    lock = threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(arguments.cores) as pool, results.open("a") as file:

        def one(job):
            row = run(experiment, paths, *job)
            with lock:
                file.write(json.dumps(row) + "\n")
                file.flush()
            if "error" in row:
                print(row)

        list(pool.map(one, todo))


if __name__ == "__main__":
    main()
