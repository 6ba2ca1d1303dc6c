#!/usr/bin/env python3
"""Counts an archive of video on a Dask cluster: one Parquet dataset of all frames, and a table of failures.

    dask_archive.py /films dataset --scheduler tcp://scheduler:8786   # an existing cluster
    dask_archive.py list.txt dataset --workers 3                      # this machine; the list has one file per line

All machines need the same histoscope, ffprobe, and the archive and dataset under the same paths. After an interruption, run the
same command again. Workers run the functions up to join. docs/archives.md says more, and what to change for Ray and Slurm."""

import argparse
import csv
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq  # type: ignore[import-untyped]
from distributed import Client, LocalCluster, as_completed, get_worker

ENDINGS = set(".avi .flv .m2ts .m4v .mkv .mov .mp4 .mpg .mxf .ogv .ts .webm .wmv .y4m".split())
CHECK = "version=$(histoscope --version) && ffprobe -version >/dev/null && echo \"$version\" | head -n 2"


class Run(NamedTuple):  # The settings of all tasks. The same settings make the same run when it is started again.
    archive: str
    dataset: str
    version: str
    share_secs: float
    options: list[str]
    def target(self, path: str) -> Path:
        return Path(self.dataset, "frames", f"{Path(path).stem[:60]}-{hashlib.sha1(path.encode()).hexdigest()[:12]}.parquet")


class Result(NamedTuple):  # The outcome for a file. One that an earlier run has counted takes no time.
    path: str
    reason: str
    frames: int = 0
    video_secs: float = 0.0
    wall_secs: float = 0.0


class WorkerTrouble(Exception):
    """A machine that cannot count any file: its address, and the reason."""


def check_program(version: str) -> None:
    """Raises WorkerTrouble if a worker lacks a program, or its histoscope has another version or schema."""
    worker: Any = get_worker()
    if getattr(worker, "checked", "") != version and (found := subprocess.getoutput(CHECK)) != version:
        raise WorkerTrouble(worker.address, f"'{CHECK}' prints {found!r} there instead of {version!r}")
    worker.checked = version


def histoscope(run: Run, *arguments: str) -> tuple[Path, str]:
    """Runs the program with an output file of its own. Returns that file and the error message, empty on success."""
    check_program(run.version)
    output = Path(run.dataset, "work", f"{os.urandom(16).hex()}.parquet")
    done = subprocess.run(["histoscope", *arguments, "-o", str(output)], capture_output=True, text=True)
    message = (done.stderr.strip().splitlines() or ["no reason given"])[-1].removeprefix("histoscope: ")
    if done.returncode == 1 and "cannot be written" in message:  # For example a full disk: other workers may have room.
        for part in output.parent.glob(f"{output.name}*"):
            part.unlink() if part.is_file() else shutil.rmtree(part)
        raise WorkerTrouble(get_worker().address, message.split("; the records so far")[0])
    if done.returncode not in (0, 1):
        raise RuntimeError(f"histoscope ended with code {done.returncode}: {message}")  # For example a signal: Dask tries again.
    return output, message if done.returncode else ""


def identity(path: str) -> dict[str, Any]:
    """Size and fingerprint of a file as histoscope computes them: 64-bit FNV-1a of the first and the last 64 KiB."""
    with open(path, "rb") as file:
        data, size = file.read(1 << 16), file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 16)))
        data += file.read(1 << 16)
    hashed = functools.reduce(lambda hashed, byte: (hashed ^ byte) * 0x100000001B3 % (1 << 64), data, 0xCBF29CE484222325)
    return {"bytes": size, "fingerprint": f"{hashed:016x}"}


def result_of(path: str, output: Path, wall_secs: float) -> Result | None:
    """The result of a file that has been counted; None if it has not, or has changed since."""
    summary = json.loads(pq.read_metadata(output).metadata[b"histoscope"]) if output.exists() else None
    if summary is None or summary["source"] != identity(path):
        return None
    ends = pq.read_table(output, columns=["time_seconds", "duration_seconds"])
    video_secs = sum(sum(row.values()) for row in ends.slice(max(0, len(ends) - 1)).to_pylist())
    return Result(path, summary["reason"] or "", len(ends), video_secs, wall_secs)


def count(run: Run, path: str, began: float, shares: list[str]) -> Result:
    """Puts a file's frames into the dataset, counted or joined from shares, unless the file changed meanwhile."""
    output, reason = histoscope(run, *(["merge", *shares] if shares else ["analyze", path, "-q", *run.options]))
    if not output.exists():
        run.target(path).unlink(missing_ok=True)  # It belongs to an earlier version of the file.
        return Result(path, reason.removeprefix(f"{path}: "), wall_secs=time.time() - began)
    if (result := result_of(path, output, time.time() - began)) is None:
        raise RuntimeError("the file changed while it was counted")  # Dask tries again.
    output.replace(run.target(path))
    return result


def begin(run: Run, path: str) -> Result | list[list[str]]:
    """Counts a file unless that was done. For a long file, returns the spans of its shares instead."""
    check_program(run.version)
    if (kept := result_of(path, run.target(path), 0.0)) is not None:
        return kept
    probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path]
    secs = subprocess.run(probe, capture_output=True, text=True).stdout.strip()
    if not secs.replace(".", "", 1).isdigit() or float(secs) < 1.5 * run.share_secs:
        return count(run, path, time.time(), [])
    starts = [str(index * run.share_secs) for index in range(round(float(secs) / run.share_secs))]
    return [["--from", first, "--to", end] for first, end in zip(starts, starts[1:], strict=False)] + [["--from", starts[-1]]]


def share(run: Run, path: str, *span: str) -> tuple[str, float]:
    """Counts a part of a file, unless that was done. The returned name is empty if it failed."""
    began, key = time.time(), json.dumps([run, path, span, identity(path)])
    kept = Path(run.dataset, "work", f"share-{hashlib.sha1(key.encode()).hexdigest()}.parquet")
    if not kept.exists():
        output, reason = histoscope(run, "analyze", path, "-q", *span, *run.options)
        if reason:
            return "", time.time() - began
        output.replace(kept)
    return str(kept), time.time() - began


def join(run: Run, path: str, shares: list[tuple[str, float]]) -> Result:
    """Joins a file's shares. If that fails, counts the file in one run, which reports the reason."""
    names, began = [name for name, _ in shares], time.time() - sum(secs for _, secs in shares)
    joined = count(run, path, began, names) if all(names) else None
    return joined if joined and not joined.reason else count(run, path, began, [])


def drive(client: Client, run: Run, paths: list[str]) -> list[Result]:
    """Has all files counted, prints the progress, and updates the table of failures."""
    files, results, began, printed = dict[Any, str](), list[Result](), time.time(), time.time()

    def submit(path: str, function: Any, *arguments: Any) -> Any:
        files[(future := client.submit(function, run, path, *arguments, retries=2, pure=False)).key] = path
        return future
    for future in (pool := as_completed([submit(path, begin) for path in paths])):
        path, error = files.pop(future.key), future.exception()
        if isinstance(error, WorkerTrouble):
            if error.args[0] in (workers := client.scheduler_info(n_workers=-1)["workers"]):
                print(f"{error.args[0]} is left out: {error.args[1]}", file=sys.stderr)
                client.retire_workers([error.args[0]])
            if not workers.keys() - {error.args[0]}:
                sys.exit("no worker is left; fix the workers and run this again: what is done is kept")
            pool.add(submit(path, begin))
        elif isinstance(result := Result(path, str(error)) if error else future.result(), list):
            pool.add(submit(path, join, [submit(path, share, *span) for span in result]))
        else:
            results.append(result)
        if time.time() > printed + 5 or len(results) == len(paths):
            printed, secs = time.time(), sum(one.video_secs for one in results)
            failed = sorted((one.path, one.reason, one.frames) for one in results if one.reason)
            pace = f"{secs / 3600:.2f} h of video, {secs / (printed - began):.1f} h an hour"
            print(f"{len(results)} of {len(paths)} files, {pace}, {len(failed)} failed", flush=True)
            with open(Path(run.dataset, "failures.csv"), "w", newline="") as table:
                csv.writer(table).writerows([("path", "reason", "frames_kept"), *failed])
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts an archive of video on a Dask cluster.")
    parser.add_argument("archive", type=Path, help="a folder, or a list with one file per line")
    parser.add_argument("dataset", type=Path, help="the folder to create, or that of this run, to continue it")
    parser.add_argument("--scheduler", help="the cluster's scheduler, for example tcp://scheduler:8786")
    parser.add_argument("--workers", type=int, help="without a cluster: processes on this machine (one per core)")
    parser.add_argument("--share-minutes", type=float, default=10.0, help="length of the shares of long files")
    parser.add_argument("--options", default="", help="options of analyze, for example '--bins --engine cpu'")
    args = parser.parse_args()
    archive, dataset = args.archive.resolve(), args.dataset.resolve()
    run = Run(str(archive), str(dataset), subprocess.getoutput(CHECK), args.share_minutes * 60, args.options.split())
    found = archive.rglob("*") if archive.is_dir() else map(Path, archive.read_text().splitlines())
    paths = sorted({str(path.absolute()) for path in found if not archive.is_dir() or path.suffix.lower() in ENDINGS})
    about, known, new = json.dumps(run._asdict(), indent=1), dataset / "run.json", dataset.with_name(f"{dataset.name}.new")
    if not dataset.exists():  # The folder appears together with run.json, or not at all.
        (new / "frames").mkdir(parents=True, exist_ok=True)
        (new / "run.json").write_text(about)
        new.rename(dataset)
    if not (known.exists() and known.read_text() == about):
        sys.exit(f"{dataset} exists and belongs to another run; name another folder, or use the same options")
    (dataset / "work").mkdir(exist_ok=True)
    with Client(args.scheduler or LocalCluster(n_workers=args.workers, threads_per_worker=1, silence_logs=50)) as client:
        print(f"{len(paths)} files; dashboard: {client.dashboard_link}", flush=True)
        results = drive(client, run, paths)
    shutil.rmtree(dataset / "work", ignore_errors=True)
    for one in sorted(results, key=lambda one: -one.wall_secs)[:5]:
        print(f"slow: {one.wall_secs:.1f} s for {one.video_secs:.1f} s of video, {one.path}")
    sys.exit(1 if any(one.reason for one in results) else 0)


if __name__ == "__main__":
    main()
