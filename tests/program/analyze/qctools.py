"""Reads a report as QCTools does, and prints its content as JSON.

QCTools splits the text after a "</frame>", and adds the missing closing and opening tags itself. Both parts must then be
complete. Its parser does not support namespaces.
"""

import gzip
import json
import sys
from xml.parsers import expat

JOINT = "</frames></ffprobe:ffprobe><ffprobe:ffprobe><frames>"


def elements(text):
    """Returns the elements with their attributes and the names of enclosing elements."""
    found, around = [], []

    def begin(name, attributes):
        around.append(name)
        found.append(("/".join(around), attributes))

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: around.pop()
    parser.Parse(text, True)
    return found


with gzip.open(sys.argv[1], "rt", encoding="utf-8") as report:
    text = report.read()
cut = text.rindex("</frame>") + len("</frame>")
first, rest = text[:cut] + JOINT[: JOINT.index("<ffprobe:")], JOINT[JOINT.index("<ffprobe:") :] + text[cut:]
frames = []
for path, attributes in elements(first):
    if path == "ffprobe:ffprobe/frames/frame":
        frames.append(attributes | {"tags": {}})
    elif path == "ffprobe:ffprobe/frames/frame/tag":
        frames[-1]["tags"][attributes["key"]] = attributes["value"]
behind = dict(elements(rest))
assert elements(text)[: len(elements(first))] == elements(first)
json.dump(
    {
        "frames": frames,
        "stream": behind["ffprobe:ffprobe/streams/stream"],
        "format": behind["ffprobe:ffprobe/format"],
        "text": text,
    },
    sys.stdout,
)
