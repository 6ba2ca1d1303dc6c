#!/usr/bin/env python3
"""Compares a snapshot in false colour by light with the standards' formulas, computed with NumPy in double precision.

    false_light.py CLIP PIX_FMT TRANSFER PEAK WIDTH HEIGHT PNG

Prints the number of pixels that have another colour, and the number of colours. It shares no code with Histoscope: samples come
from the ffmpeg command; the light is by ST 2084 or BT.2100. Pixels whose light is within 10⁻⁴ of a limit are not compared.
"""

import subprocess
import sys

import numpy as np

LIMITS = [0.1, 1, 10, 100, 203, 1000, 4000]
COLORS = np.array(
    [[30, 0, 59], [52, 2, 141], [1, 57, 164], [4, 121, 121], [57, 178, 12], [184, 190, 15], [254, 204, 135], [254, 248, 208]]
)


def pq_light(signal):
    m1, m2 = 2610 / 16384, 128 * 2523 / 4096
    c1, c2, c3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096
    root = signal ** (1 / m2)
    return 10000 * (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)


def hlg_light(signal, peak):
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    return peak * scene * (scene @ [0.2627, 0.678, 0.0593])[..., None] ** (0.2 + 0.42 * np.log10(peak / 1000))


def picture(path, pix_fmt, shape):
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(raw, "u1" if pix_fmt == "rgb24" else "<u2").reshape(shape)


clip, pix_fmt, transfer, peak, width, height, png = sys.argv[1:]
shape = (int(height), int(width))
planes = picture(clip, pix_fmt, (3, *shape))
signal = np.moveaxis(planes[[2, 0, 1]] / (2 ** int(pix_fmt[-4:-2]) - 1), 0, -1)
light = (pq_light(signal) if transfer == "pq" else hlg_light(signal, float(peak))).max(axis=-1)
expected = COLORS[np.searchsorted(LIMITS, light, side="right")]
is_clear = np.all(np.abs(light[..., None] / LIMITS - 1) > 1e-4, axis=-1)
shown = picture(png, "rgb24", (*shape, 3))
print((np.any(shown != expected, axis=-1) & is_clear).sum(), len(np.unique(shown.reshape(-1, 3), axis=0)))
