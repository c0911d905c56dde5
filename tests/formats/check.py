#!/usr/bin/env python3
"""Checks what `whyperf export` writes with the readers that the field uses.

    python3 -m venv venv
    venv/bin/pip install llnl-hatchet pandas protobuf grpcio-tools prometheus_client pycubexr pyarrow ply
    venv/bin/python tests/formats/check.py target/release/whyperf whyperf.db RUN

Two readers are used where a variable names them: FIREFOX_PROFILER, the command of npm's @firefox-devtools/profiler-cli (which needs Node.js 24),
and PTDF_PARSER, PerfTrack's src/dataStore/ptdfParser.py. Without them only the rules of their formats are looked at.

Each line says what a reader found; a reader that refuses ends the check with status 1.
"""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import types
from pathlib import Path


def exported(form, *more):
    """What the command writes to standard output."""
    words = [COMMAND, "export", RUN, "--store", STORE, "--format", form, *more]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def rows():
    """The callpaths, by csv: what all others are compared with."""
    return list(csv.DictReader(io.StringIO(exported("csv"))))


def close(one, other, part=1e-6):
    return abs(one - other) <= part * max(abs(one), abs(other), 1e-9)


def hatchet_json(total):
    import hatchet

    frame = hatchet.GraphFrame.from_json(exported("hatchet"))
    time = frame.dataframe["time"].sum()
    assert close(time, total), (time, total)
    return f"{len(frame.graph)} nodes, {time:.6f} s"


def hatchet_tau(total, folder):
    import hatchet

    exported("tau", "--output", str(folder))
    frame = hatchet.GraphFrame.from_tau(str(folder))
    times = frame.dataframe.loc[frame.dataframe["name"] != ".TAU application"]
    time = times["time"].sum()
    # TAU's values are whole microseconds, and so is what Hatchet gives.
    assert abs(time / 1e6 - total) <= 1e-6 * len(times) + 1e-9, (time, total)
    return f"{len(frame.graph)} nodes, {time / 1e6:.6f} s"


def hatchet_caliper(total, folder):
    import hatchet

    path = folder / "run.json"
    exported("caliper", "--output", str(path))
    # Its own example has no column of an order, either.
    frame = hatchet.GraphFrame.from_caliper(str(path), node_ordering=False)
    column = next(name for name in frame.dataframe if name in ("time", "sum#time.duration"))
    # Some of its readers turn microseconds into seconds.
    time = frame.dataframe[column].sum()
    assert close(time, total) or close(time, total * 1e6), (time, total)
    return f"{len(frame.graph)} nodes, {column} {time:.6f}"


def cube(total, folder):
    from pycubexr import CubexParser

    path = folder / "run.cubex"
    exported("cube", "--output", str(path))
    with CubexParser(str(path)) as report:
        metric = report.get_metric_by_name("time")
        values = report.get_metric_values(metric=metric)
        time = sum(values.cnode_values(node).sum() for node in report.all_cnodes())
        assert close(time, total), (time, total)
        return f"{len(report.all_cnodes())} callpaths, {len(report.get_locations())} threads, {time:.6f} s"


def openmetrics():
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    families = list(text_string_to_metric_families(exported("openmetrics")))
    assert any(family.samples for family in families)
    return f"{len(families)} families, {sum(len(family.samples) for family in families)} samples"


def collapsed(total):
    lines = exported("collapsed").splitlines()
    form = re.compile(r"^[^;]+(;[^;]+)* [0-9]+$")
    assert all(form.match(line) for line in lines), lines
    time = sum(int(line.rsplit(" ", 1)[1]) for line in lines) / 1e6
    assert abs(time - total) <= 1e-6 * max(len(lines), 1) + 1e-6 * total + 5e-4, (time, total)
    return f"{len(lines)} stacks, {time:.6f} s"


def speedscope(total):
    """The rules of file-format-spec.ts: indices of frames in range, as many weights as samples, and the kind of each member."""
    written = json.loads(exported("speedscope"))
    assert written["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = written["shared"]["frames"]
    assert all(isinstance(frame["name"], str) for frame in frames)
    for profile in written["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= at < len(frames) for stack in profile["samples"] for at in stack)
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
    time = sum(sum(profile["weights"]) for profile in written["profiles"]) / 1e9
    assert close(time, total), (time, total)
    return f"{len(written['profiles'])} profiles, {len(frames)} frames, {time:.6f} s"


def pprof(total, folder):
    """Read by protobuf with the messages of profile.proto, as far as they are written."""
    proto = folder / "profile.proto"
    proto.write_text(PROTO)
    words = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--python_out={folder}", str(proto)]
    subprocess.run(words, check=True)
    sys.path.insert(0, str(folder))
    import profile_pb2

    path = folder / "run.pb"
    exported("pprof", "--output", str(path))
    profile = profile_pb2.Profile()
    profile.ParseFromString(path.read_bytes())
    assert profile.string_table[0] == ""
    kinds = [profile.string_table[kind.type] for kind in profile.sample_type]
    assert kinds == ["calls", "time"], kinds
    known = {location.id for location in profile.location}
    functions = {function.id for function in profile.function}
    assert all(line.function_id in functions for location in profile.location for line in location.line)
    assert all(at in known for sample in profile.sample for at in sample.location_id)
    time = sum(sample.value[1] for sample in profile.sample) / 1e9
    assert close(time, total), (time, total)
    return f"{len(profile.sample)} samples, {len(functions)} functions, {time:.6f} s"


def table(form, folder):
    """The table of callpaths, by pyarrow, with the same rows as csv has."""
    import pyarrow.ipc
    import pyarrow.parquet

    exported(form, "--output", str(folder))
    read = {
        "parquet": lambda path: pyarrow.parquet.read_table(path),
        "arrow": lambda path: pyarrow.ipc.open_file(path).read_all(),
    }[form]
    tables = {name: read(folder / f"{name}.{form}") for name in ("profile", "series", "verdicts")}
    for one in tables.values():
        one.validate(full=True)
        assert one.schema.metadata[b"whyperf.run"], one.schema.metadata
    for own, row in zip(tables["profile"].to_pylist(), rows(), strict=True):
        same = {name: "" if value is None else str(value) for name, value in own.items()}
        assert all(same[name] == row[name] or float(same[name]) == float(row[name]) for name in row), (own, row)
    return ", ".join(f"{one.num_rows} rows of {name}" for name, one in tables.items())


def firefox(total, folder):
    """Columns of one length, stacks after those above them; and what the profiler itself makes of it."""
    path = folder / "run.firefox.json"
    exported("firefox", "--output", str(path))
    threads = json.loads(path.read_text())["threads"]
    for thread in threads:
        for one in thread.values():
            if isinstance(one, dict) and "length" in one:
                assert all(len(column) == one["length"] for column in one.values() if isinstance(column, list)), one
        assert all(above is None or above < at for at, above in enumerate(thread["stackTable"]["prefix"]))
    time = sum(sum(thread["samples"]["weight"]) for thread in threads) / 1e3
    assert close(time, total), (time, total)
    told = f"{len(threads)} threads, {time:.6f} s"
    if "FIREFOX_PROFILER" not in os.environ:
        return told + "; the profiler itself was not asked"
    ask = lambda *words: subprocess.run(
        [*shlex.split(os.environ["FIREFOX_PROFILER"]), *words], check=True, capture_output=True, text=True
    ).stdout
    ask("load", str(path))
    try:
        for number, thread in enumerate(threads):
            ask("thread", "select", f"t-{number}")
            found = json.loads(ask("thread", "functions", "--json"))
            time = sum(function["selfSamples"] for function in found["functions"])
            assert close(time, sum(thread["samples"]["weight"])), (found["friendlyThreadName"], time)
    finally:
        ask("stop", "--all")
    return told + "; the profiler says the same of each"


def ptdf(folder):
    """Each resource is told of before it is named; and PerfTrack's own parser takes each line."""
    text = exported("ptdf")
    known, results = set(), 0
    for line in text.splitlines():
        word, *values = shlex.split(line)
        if word in ("Application", "Execution", "Resource"):
            above = values[0].rpartition("|")[0]
            assert not above or above in known, line
            known.add(values[0])
        elif word == "PerfResult":
            assert len(values) == 8 and all(one in known for one in [values[0], *values[1].split(","), *values[2:4]]), line
            results += 1
    told = f"{len(known)} resources, {results} results"
    if "PTDF_PARSER" not in os.environ:
        return told + "; PerfTrack's parser was not asked"
    # It stores what it reads by a module PTds, which needs a database: this one counts.
    calls = []
    store = types.SimpleNamespace(dataDelim="|", dbDelim="|", filename="run.ptdf")
    for name in ("addApplication", "addResType", "addExecution", "addResource", "addExecResource", "addResourceAttribute", "addPerfResult"):
        setattr(store, name, lambda *values, name=name: calls.append(name))
    sys.modules["PTds"] = types.ModuleType("PTds")
    parser = types.ModuleType("ptdfParser")
    parser.__file__ = os.environ["PTDF_PARSER"]
    exec(compile(Path(parser.__file__).read_text(), parser.__file__, "exec"), parser.__dict__)
    sys.modules["ptdfParser"] = parser
    parser.PTDFParser(store).parse(text)
    assert calls.count("addPerfResult") == results and len(calls) == len(text.splitlines()), len(calls)
    return told + "; PerfTrack's parser takes all of them"


PROTO = """syntax = "proto3";
package perftools.profiles;
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6;
  int64 drop_frames = 7; int64 keep_frames = 8; int64 time_nanos = 9; int64 duration_nanos = 10;
  ValueType period_type = 11; int64 period = 12; repeated int64 comment = 13; int64 default_sample_type = 14;
}
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Mapping { uint64 id = 1; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; bool is_folded = 5; }
message Line { uint64 function_id = 1; int64 line = 2; int64 column = 3; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
"""


def main():
    total = sum(float(row["exclusive_s"]) for row in rows())
    inner = [row for row in rows() if row["path"] != ".TAU application"]
    below_root = sum(float(row["exclusive_s"]) for row in inner)
    print(f"csv: {len(rows())} callpaths, {total:.6f} s")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        checks = {
            "hatchet": lambda: hatchet_json(total),
            "tau": lambda: hatchet_tau(below_root, folder / "tau"),
            "caliper": lambda: hatchet_caliper(total, folder),
            "cube": lambda: cube(total, folder),
            "openmetrics": openmetrics,
            "collapsed": lambda: collapsed(total),
            "speedscope": lambda: speedscope(total),
            "pprof": lambda: pprof(total, folder),
            "parquet": lambda: table("parquet", folder / "parquet"),
            "arrow": lambda: table("arrow", folder / "arrow"),
            "firefox": lambda: firefox(total, folder),
            "ptdf": lambda: ptdf(folder),
        }
        for name, check in checks.items():
            print(f"{name}: {check()}")


if __name__ == "__main__":
    COMMAND, STORE, RUN = sys.argv[1:4]
    main()
