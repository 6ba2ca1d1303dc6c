#!/usr/bin/env python3
"""Compares the chromaticities or the diamond that `snapshot --scopes vectorscope --diagram DIAGRAM --bins --json` counts with NumPy.

    chromaticity.py CLIP PIX_FMT WIDTH HEIGHT TRANSFER PRIMARIES MATRIX RANGE DIAGRAM FIGURES.json

The diamond has, for each pixel, B' - G' and B' + G', and R' - G' and -(R' + G'), from codes before the clamp: 512 levels for
-2.5 to 2.5 times the highest code, each around its own middle. Chromaticities are computed in double precision from the text of ST 2084, BT.2100, BT.1886 and CIE 15. A pixel whose chromaticity is
within a twentieth of a level from the next level may be counted there. It shares no code with Histoscope.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "analyze"))
import records

clip, pix_fmt, width, height = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
transfer, primaries, matrix, limits, diagram, figures = sys.argv[5:11]
bits = 12 if "12" in pix_fmt else 10 if "10" in pix_fmt else 8
command = ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
raw = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "u1" if bits == 8 else "<u2").astype(np.int64)
is_rgb = pix_fmt.startswith("gbrp")
across = 1 if is_rgb or "444" in pix_fmt else 2
down = 2 if "420" in pix_fmt else 1
planes = []
for rows, columns in [(height, width)] + [(-(-height // down), -(-width // across))] * 2:
    planes.append(raw[: rows * columns].reshape(rows, columns))
    raw = raw[rows * columns :]
if is_rgb:
    green, blue, red = planes
    codes = np.stack([red, green, blue])
else:
    model, _, shifts = records.describe(pix_fmt)
    codes = np.stack(records.to_rgb(planes, model, bits, shifts, matrix, limits, (0, 0, width, height)))
if diagram == "diamond":
    red, green, blue = codes / (2**bits - 1)
    pairs = [(blue - green, blue + green), (red - green, -(red + green))]
    levels, step = 512, 5 / 512
    found = json.load(open(figures))["vectorscope"]
    assert found["levels"] == levels and abs(found["step"] - step) < 1e-12, (found["levels"], found["step"])
    counts = np.array(found["counts"])
    expected, near = np.zeros_like(counts), 0
    for pair in pairs:
        places = [np.clip(part / step + 256.5, 0, 511.9) for part in pair]
        np.add.at(expected, tuple(part.astype(np.int64) for part in places), 1)
        near += sum((np.abs(part - np.round(part)) < 0.01).sum() for part in places)
    outside = ((codes < 0) | (codes > 2**bits - 1)).any(axis=0).sum()
    moved = np.abs(counts - expected).sum() // 2
    assert counts.sum() == 2 * width * height, counts.sum()
    assert moved <= near, f"{moved} pixels are elsewhere, and only {near} are near another level"
    assert moved <= counts.sum() / 100, f"{moved} of {counts.sum()} pairs are elsewhere"
    print(json.dumps({"pairs": int((expected > 0).sum()), "outside": int(outside)}))
    sys.exit()

signal = np.clip(codes, 0, 2**bits - 1) / (2**bits - 1)

if transfer == "pq":
    m1, m2, c1, c2, c3 = 2610 / 16384, 128 * 2523 / 4096, 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096
    power = signal ** (1 / m2)
    light = (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1)
elif transfer == "hlg":
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    light = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    # The system gamma multiplies all three alike.
else:
    light = signal**2.4

white = (0.3127, 0.3290)
corners = {
    "bt709": ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06)),
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
    "smpte432": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
}[primaries]
# The amounts of the primaries that add up to white with a luminance of 1.
columns = np.array([[x / y, 1, (1 - x - y) / y] for x, y in corners]).T
amounts = np.linalg.solve(columns, np.array([white[0] / white[1], 1, (1 - white[0] - white[1]) / white[1]]))
x, y, z = np.tensordot(columns * amounts, light, 1)
with np.errstate(invalid="ignore", divide="ignore"):
    if diagram == "xy":
        first, second, extent = x / (x + y + z), y / (x + y + z), 0.85
    else:
        first, second, extent = 4 * x / (x + 15 * y + 3 * z), 9 * y / (x + 15 * y + 3 * z), 0.63
is_black = light.max(axis=0) == 0
levels = min(2**bits, 512)
places = [np.where(is_black, 0, part / extent * levels) for part in (first, second)]

found = json.load(open(figures))["vectorscope"]
assert found["levels"] == levels and abs(found["step"] - extent / levels) < 1e-12, (found["levels"], found["step"])
counts = np.array(found["counts"])
assert counts.sum() == width * height, counts.sum()
expected = np.zeros_like(counts)
np.add.at(expected, tuple(part.astype(np.int64) for part in places), 1)
near = np.zeros((height, width), bool)
for part in places:
    near |= (np.abs(part - np.round(part)) < 0.05) & ~is_black
moved = np.abs(counts - expected).sum() // 2
assert moved <= near.sum() / 4, f"{moved} pixels are elsewhere, and only {near.sum()} are near another level"
print(json.dumps({"pairs": int((expected > 0).sum()), "moved": int(moved), "near": int(near.sum()), "black": int(is_black.sum())}))
