#!/usr/bin/env python3
"""Checks what `whyperf import` takes in against Hatchet, on files that other tools wrote: those among Hatchet's own tests.

    venv/bin/pip install llnl-hatchet caliper-reader
    venv/bin/python tests/formats/check_inputs.py target/release/whyperf hatchet/hatchet/tests/data

Each line says what both found; where they differ the check ends with status 1.
"""

import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def imported(path, folder, below=""):
    """Seconds by rank and last name of a callpath, alone, as whyperf has them; of all, or of what an outermost name has."""
    store = str(folder / "whyperf.db")
    words = [COMMAND, "import", str(path), "--json", "--store", store]
    run = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["imported"]
    words = [COMMAND, "export", run, "--format", "csv", "--store", store]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    times = {}
    for row in csv.DictReader(io.StringIO(text)):
        if not row["path"].startswith(below):
            continue
        key = (int(row["process"]), row["path"].split(" => ")[-1])
        times[key] = times.get(key, 0.0) + float(row["exclusive_s"])
    return times


def by_rank(times):
    ranks = {}
    for (rank, _), time in times.items():
        ranks[rank] = ranks.get(rank, 0.0) + time
    return ranks


def same(own, other, least):
    assert own.keys() == other.keys(), (sorted(own), sorted(other))
    for key, time in own.items():
        assert abs(time - other[key]) <= 1e-6 * abs(other[key]) + least, (key, time, other[key])


def hpctoolkit(path, folder):
    """Time of each rank, which is that of its outermost frames."""
    import hatchet

    frame = hatchet.GraphFrame.from_hpctoolkit(str(path))
    table = frame.dataframe.reset_index()
    roots = table[table["node"].isin(frame.graph.roots)]
    other = (roots.groupby("rank")["time (inc)"].sum() / 1e6).to_dict()
    own = by_rank(imported(path, folder))
    same(own, {rank: time for rank, time in other.items() if time or rank in own}, 1e-6)
    return f"{len(own)} ranks, {sum(own.values()):.6f} s"


def later(path, folder):
    """Time of main threads, which HPCToolkit has itself at their entry point, with what the other threads have."""
    import hatchet

    frame = hatchet.GraphFrame.from_hpctoolkit_latest(str(path), parallel_profiles_mode=True, metric_scopes=["i"])
    table = frame.dataframe.reset_index()
    other = table[table["name"] == "entry"]["time (inc)"].sum()
    own = sum(time for (_, name), time in imported(path, folder, below="main thread").items())
    assert abs(own - other) <= 1e-6, (own, other)
    return f"{own:.6f} s in main threads"


def caliper(path, folder):
    """Time of each region, alone."""
    import caliperreader

    reader = caliperreader.CaliperReader()
    reader.read(str(path))
    name = "sum#time.duration"
    inclusive = "sum#inclusive#sum#time.duration"
    other, values = {}, {}
    for record in reader.records:
        if "path" in record:
            path_of = record["path"] if isinstance(record["path"], list) else [record["path"]]
            value = float(record.get(name, record.get(inclusive, 0.0)))
            values[tuple(path_of)] = values.get(tuple(path_of), 0.0) + value
            is_inclusive = name not in record
    for names, value in values.items():
        if is_inclusive:
            value -= sum(below for other_names, below in values.items() if other_names[:-1] == names)
        other[(0, names[-1])] = other.get((0, names[-1]), 0.0) + max(value, 0.0)
    own = imported(path, folder)
    same({key: time for key, time in own.items() if time}, {key: time for key, time in other.items() if time}, 2e-6)
    return f"{len(own)} regions, {sum(own.values()):.6f} s"


def main():
    checks = {
        "hpctoolkit-cpi-database": hpctoolkit,
        "hpctoolkit-allgather-database": hpctoolkit,
        "hatchet_cpi_v4_database": later,
        "caliper-lulesh-cali/lulesh-annotation-profile.cali": caliper,
        "caliper-example-cali/example-profile.cali": caliper,
    }
    for name, check in checks.items():
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: {check(DATA / name, Path(folder))}")


if __name__ == "__main__":
    COMMAND, DATA = sys.argv[1], Path(sys.argv[2])
    main()
