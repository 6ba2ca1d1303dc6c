#!/usr/bin/env python3
"""Compares a snapshot of PQ, HLG or SDR with the standards' formulas, computed with NumPy in double precision.

    tone_map.py CLIP PIX_FMT TRANSFER PEAK METHOD STOPS WIDTH HEIGHT PNG

Prints the largest difference in codes of 8 bits. It shares no code with Histoscope: samples come from the ffmpeg command; the
rest is from ST 2084, BT.2100, BT.2390-10, BT.1886 and the chromaticities of BT.2020 and BT.709.
"""

import subprocess
import sys

import numpy as np

WHITE = 203.0
M1, M2 = 2610 / 16384, 128 * 2523 / 4096
C1, C2, C3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096


def pq_light(signal):
    root = signal ** (1 / M2)
    return 10000 * (np.maximum(root - C1, 0) / (C2 - C3 * root)) ** (1 / M1)


def pq_signal(light):
    root = (light / 10000) ** M1
    return ((C1 + C2 * root) / (1 + C3 * root)) ** M2


def hlg_light(signal, peak):
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    return peak * scene * (scene @ [0.2627, 0.678, 0.0593])[..., None] ** (0.2 + 0.42 * np.log10(peak / 1000))


def eetf(light, peak):
    whole = pq_signal(max(peak, WHITE))
    most = pq_signal(WHITE) / whole
    knee = 1.5 * most - 0.5
    e1 = np.minimum(pq_signal(light) / whole, 1)
    t = (e1 - knee) / (1 - knee) if knee < 1 else np.zeros_like(e1)
    spline = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (-2 * t**3 + 3 * t**2) * most
    return pq_light(np.where(e1 < knee, e1, spline) * whole)


def to_xyz(primaries):
    x, y = 0.3127, 0.3290
    columns = np.array([[x, y, 1 - x - y] for x, y in primaries]).T
    return columns * np.linalg.solve(columns, [x / y, 1, (1 - x - y) / y])


def picture(path, pix_fmt, size):
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(raw, "u1" if pix_fmt == "rgb24" else "<u2").reshape(size).astype(float)


clip, pix_fmt, transfer, peak, method, stops, width, height, png = sys.argv[1:]
shape = (int(height), int(width))
planes = picture(clip, pix_fmt, (3, *shape))
bits = int(pix_fmt[-4:-2])
if pix_fmt.startswith("gbrp"):
    signal = planes[[2, 0, 1]] / (2**bits - 1)
else:
    unit = 2 ** (bits - 8)
    y, cb, cr = (planes - np.array([16, 128, 128])[:, None, None] * unit) / (np.array([219, 224, 224])[:, None, None] * unit)
    kr, kb = 0.2627, 0.0593
    red, blue = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    signal = np.stack([red, (y - kr * red - kb * blue) / (1 - kr - kb), blue])
signal = np.moveaxis(np.clip(signal, 0, 1), 0, -1)
if transfer == "pq":
    light = pq_light(signal)
elif transfer == "hlg":
    light = hlg_light(signal, float(peak))
else:
    light = WHITE * signal**2.4
light = light * 2.0 ** float(stops)
if method == "bt2390" and transfer != "sdr":
    largest = light.max(axis=-1, keepdims=True)
    light = light * np.where(largest > 0, eetf(largest, float(peak)) / np.maximum(largest, 1e-30), 1)
if transfer != "sdr":
    to_bt709 = np.linalg.solve(
        to_xyz([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)]), to_xyz([(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)])
    )
    light = light @ to_bt709.T
shown = np.round(255 * np.clip(light / WHITE, 0, 1) ** (1 / 2.4))
print(int(np.abs(shown - picture(png, "rgb24", (*shape, 3))).max()))
