"""Compares Parquet files of `histoscope analyze` with the JSON Lines of the same runs: every value, as read by pyarrow and by
DuckDB, and the summary with the last line.

    python parquet.py records.parquet records.jsonl [other.parquet other.jsonl ...]
"""

import json
import sys

import duckdb
import pyarrow.parquet as pq


def columns(record, names):
    """Returns the values of a JSON record by the names of a table's columns. Missing values are null."""
    row = {}
    for name in names:
        channel, _, field = name.partition("_")
        if channel in record["channels"]:
            row[name] = record["channels"][channel].get(field)
        elif channel == "vectorscope":
            row[name] = (record["vectorscope"] or {}).get(field)
        else:
            row[name] = record[name]
    return row


def differ(found, value):
    """Returns true if a value of JSON and one of a table differ, in type too, except that JSON may write a float as an integer."""
    if isinstance(value, list):
        return found != value or set(map(type, found)) - {int}
    if type(found) is float and type(value) in (int, float):
        return found != float(value)
    return type(found) is not type(value) or found != value


def check(reader, names, rows, records):
    assert len(rows) == len(records) > 0, f"{reader}: {len(rows)} rows of {len(records)}"
    for index, (row, record) in enumerate(zip(rows, records)):
        wanted = columns(record, names)
        for name in names:
            assert not differ(row[name], wanted[name]), f"{reader}: row {index}, {name}: {row[name]!r} for {wanted[name]!r}"
        told = sum(value is not None for value in wanted.values())
        there = sum(value is not None for value in flat(record))
        assert told == there, f"{reader}: row {index} tells {told} values of {there}"


def flat(record):
    for key, value in record.items():
        if key == "channels":
            for channel in value.values():
                yield from channel.values()
        elif key == "vectorscope":
            yield from (value or {}).values()
        elif key != "type":
            yield value


def main(table, lines):
    with open(lines, encoding="utf-8") as file:
        *records, summary = map(json.loads, file)
    file = pq.ParquetFile(table)
    names = file.schema_arrow.names
    check("pyarrow", names, file.read().to_pylist(), records)
    found = duckdb.execute("SELECT * FROM read_parquet(?)", [table])
    heads = [column[0] for column in found.description]
    assert heads == names, heads
    check("DuckDB", names, [dict(zip(heads, row)) for row in found.fetchall()], records)
    said = json.loads(file.metadata.metadata[b"histoscope"])
    assert said == summary, f"{said} for {summary}"
    print(f"{len(records)} rows of {len(names)} columns are equal")


if __name__ == "__main__":
    for table, lines in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        main(table, lines)
