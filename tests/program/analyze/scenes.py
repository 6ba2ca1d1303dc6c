#!/usr/bin/env python3
"""Prints the light of a PQ clip's frames and scenes, as NumPy computes it from FFmpeg's raw frames and SMPTE ST 2084.

    scenes.py CLIP PIX_FMT MATRIX RANGE WIDTHxHEIGHT X,Y,WIDTH,HEIGHT|- FIRST...

FIRST are the numbers of the scenes' first frames. The result is an object of frames and scenes, in cd/m² and PQ signals.
The conversion to R'G'B' codes is that of records.py.
"""

import json
import os
import sys

import numpy as np

# The interpreter may be isolated, and then does not look next to the script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from records import describe, raw_frames, to_rgb

M1, M2 = 2610 / 16384, 128 * 2523 / 4096
C1, C2, C3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096


def light_of(signal):
    root = signal ** (1 / M2)
    return 10000 * (np.maximum(root - C1, 0) / (C2 - C3 * root)) ** (1 / M1)


def signal_of(light):
    root = (light / 10000) ** M1
    return ((C1 + C2 * root) / (1 + C3 * root)) ** M2


def not_exceeded(light, share):
    """The smallest light that at least this share of the pixels do not exceed."""
    return float(np.sort(light, axis=None)[-(-light.size * round(10000 * share) // 10000) - 1])


def main():
    clip, pix_fmt, matrix, limits, size, region, *firsts = sys.argv[1:]
    width, height = map(int, size.split("x"))
    x, y, w, h = map(int, region.split(",")) if region != "-" else (0, 0, width, height)
    model, bits, shifts = describe(pix_fmt)
    top = 2**bits - 1
    # 64 bins up to 100 cd/m², 192 above; equally wide in PQ.
    low = signal_of(100)
    edges = np.concatenate([np.linspace(0, low, 65)[:-1], np.linspace(low, 1, 193)])
    frames, lights = [], []
    for planes in raw_frames(clip, pix_fmt, width, height):
        rgb = to_rgb(planes, model, bits, shifts, matrix, limits, (x, y, w, h))
        signal = np.stack([np.clip(c, 0, top) for c in rgb]) / top
        linear = light_of(signal)
        bins, _ = np.histogram(signal.max(0), edges)
        frames.append({"peak_pq": signal.max(), "percent": list(100 * bins / signal[0].size), "average": linear.max(0).mean()})
        lights.append(linear)
    firsts = list(map(int, firsts))
    scenes = []
    for first, end in zip(firsts, firsts[1:] + [len(lights)]):
        linear = np.stack(lights[first:end])
        light = linear.max(1)
        shares = (0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.9998, 0.9999)
        scenes.append({
            "max": [linear[:, channel].max() for channel in range(3)],
            "average": light.mean(),
            "percentiles": [not_exceeded(light, share) for share in shares],
            "percent_to_100": 100 * (light <= 100).mean(),
        })
    print(json.dumps({"frames": frames, "scenes": scenes}))


main()
