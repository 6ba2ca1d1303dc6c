#!/usr/bin/env python3
"""Prints the waveform and the vectorscope of a clip's first frame counted with NumPy, in the format of `snapshot --scopes`.

    scopes.py CLIP PIX_FMT WIDTH HEIGHT COMPONENTS [MATRIX RANGE [LEVELS]]

MATRIX and RANGE say how to interpret the samples when red, green and blue are counted. With LEVELS the picture is first posterized
to this many levels of equal width. It shares no code with Histoscope: planes come from the ffmpeg command, and R'G'B' from the
integer formulas of ../analyze/records.py.
"""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "analyze"))
import records

clip, pix_fmt, width, height, components = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
bits = 12 if "12" in pix_fmt else 10 if "10" in pix_fmt else 8
command = ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
raw = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "u1" if bits == 8 else "<u2").astype(np.int64)
matrix, limits = sys.argv[6:8] if len(sys.argv) > 6 else (None, None)
posterized = int(sys.argv[8]) if len(sys.argv) > 8 else None
is_rgb = pix_fmt.startswith("gbrp")
is_gray = pix_fmt.startswith("gray")
across = 1 if is_rgb or "444" in pix_fmt or is_gray else 2
down = 2 if "420" in pix_fmt else 1
shapes = [(height, width)] + ([] if is_gray else [(-(-height // down), -(-width // across))] * 2)
planes = []
for rows, columns in shapes:
    planes.append(raw[: rows * columns].reshape(rows, columns))
    raw = raw[rows * columns :]
levels = min(2**bits, 1024)
shift = max(bits - 10, 0)


def waveform(codes):
    samples = codes.shape[1]
    columns = min(samples, 1024)
    counts = np.zeros((columns, levels), np.int64)
    place = np.broadcast_to(np.arange(samples) * columns // samples, codes.shape)
    np.add.at(counts, (place, codes >> shift), 1)
    return counts.tolist()


def luminance(rgb):
    top = 2**bits - 1
    weighed = 2126 * rgb[0] + 7152 * rgb[1] + 722 * rgb[2]
    return np.minimum(top, 2**bits * weighed // (10000 * top))


if is_rgb:
    green, blue, red = planes
elif components == "rgbl":
    model, _, shifts = records.describe(pix_fmt)
    before = records.to_rgb(planes, model, bits, shifts, matrix, limits, (0, 0, width, height))
    red, green, blue = [np.clip(codes, 0, 2**bits - 1) for codes in before]
if posterized:
    tones = (np.arange(posterized) * (2**bits - 1) + (posterized - 1) // 2) // (posterized - 1)
    red, green, blue = [tones[codes * posterized // 2**bits] for codes in (red, green, blue)]
channels = dict(zip(("y", "cb", "cr"), planes))
if components == "rgbl":
    channels = {"red": red, "green": green, "blue": blue, "luminance": luminance((red, green, blue))}
is_computed = is_rgb or posterized is not None
if is_computed:
    # The matrix for untagged video of this size, BT.709 or BT.601, or the matrix of a posterized source. Limited range, rounded to
    # nearest in fixed point with as many fractional bits as the conversion to R'G'B'. The weights of a difference add up to zero.
    if is_rgb:
        matrix = "bt709" if width >= 1280 or height > 576 else "bt601"
    kr, kb = [Fraction(str(weight)) for weight in records.KR_KB[matrix]]
    shift_of = {8: 20, 10: 18, 12: 16}[bits]
    span = Fraction(224 * 2 ** (bits - 8) * 2**shift_of, 2**bits - 1)

    def difference(of_red, of_blue):
        of_red, of_blue = (int(weight * span + Fraction(1, 2)) if weight > 0 else -int(-weight * span + Fraction(1, 2)) for weight in (of_red, of_blue))
        of_green = -(of_red + of_blue)
        return (of_red * red + of_green * green + of_blue * blue + (2 ** (bits - 1) << shift_of) + (1 << shift_of - 1)) >> shift_of

    half = Fraction(1, 2)
    cb, cr = difference(-half * kr / (1 - kb), half), difference(half, -half * kb / (1 - kr))
elif not is_gray:
    cb, cr = planes[1:]
scope = None
if is_computed or not is_gray:
    pairs = np.zeros((levels, levels), np.int64)
    np.add.at(pairs, (cb >> shift, cr >> shift), 1)
    scope = {"levels": levels, "counts": pairs.tolist()}
print(
    json.dumps(
        {
            "waveform": {
                "columns": min(width, 1024),
                "levels": levels,
                "channels": {name: waveform(codes) for name, codes in channels.items()},
            },
            "vectorscope": scope,
        }
    )
)
