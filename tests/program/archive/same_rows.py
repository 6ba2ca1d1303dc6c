"""Compares the rows in two folders of Parquet files, whatever the files' names."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def rows(folder):
    tables = [pq.read_table(path) for path in sorted(Path(folder).glob("*.parquet"))]
    return pa.concat_tables(tables).sort_by([("input", "ascending"), ("frame", "ascending")])


ours, theirs = map(rows, sys.argv[1:])
pairs = list(zip(*(ours[name].to_pylist() for name in ("input", "frame")), strict=True))
assert len(set(pairs)) == len(pairs), "a frame is there twice"
if not ours.equals(theirs):
    lists = [table.select(["input", "frame"]).to_pylist() for table in (ours, theirs)]
    differing = [row for row in lists[0] if row not in lists[1]] + [row for row in lists[1] if row not in lists[0]]
    sys.exit(f"{len(ours)} rows, not {len(theirs)}; {differing[:5]}")
print(f"the same rows, {len(ours)} of {len(set(ours['input'].to_pylist()))} files")
