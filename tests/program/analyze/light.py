#!/usr/bin/env python3
"""Compares the light in Histoscope's records with double precision, from FFmpeg's raw frames and the standards' formulas.

    light.py CLIP PIX_FMT MATRIX RANGE pq|hlg PEAK X,Y,WIDTH,HEIGHT|- RECORDS.jsonl

The conversion to R'G'B' codes is that of records.py. From there on, everything is written from SMPTE ST 2084 and
ITU-R BT.2100. Any difference ends the script with exit code 1 and a sentence.
"""

import json
import os
import sys

import numpy as np

# The interpreter may be isolated, and then does not look next to the script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from records import describe, raw_frames, to_rgb


def pq(signal):
    m1, m2 = 2610 / 16384, 128 * 2523 / 4096
    c1, c2, c3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096
    root = signal ** (1 / m2)
    return 10000 * (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)


def hlg_scene(signal):
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)


def rgb_codes(planes, pix_fmt, matrix, limits, region):
    model, bits, shifts = describe(pix_fmt)
    top = 2**bits - 1
    return np.stack([np.clip(c, 0, top) for c in to_rgb(planes, model, bits, shifts, matrix, limits, region)]), top


def main():
    clip, pix_fmt, matrix, limits, transfer, peak, region, records = sys.argv[1:]
    lines = [json.loads(line) for line in open(records)]
    frames, summary = lines[:-1], lines[-1]
    width, height = frames[0]["width"], frames[0]["height"]
    if any((frame["matrix"], frame["range"]) != (matrix, limits) for frame in frames):
        sys.exit(f"the clip is not of {matrix} in {limits} range")
    allowed = 1e-6 if transfer == "pq" else 1e-4
    truth = []
    for frame, planes in zip(frames, raw_frames(clip, pix_fmt, width, height), strict=True):
        x, y, w, h = map(int, region.split(",")) if region != "-" else (0, 0, width, height)
        codes, top = rgb_codes(planes, pix_fmt, matrix, limits, (x, y, w, h))
        signal = codes / top
        if transfer == "pq":
            linear = pq(signal)
            light = linear.max(0)
        else:
            linear = hlg_scene(signal)
            lw = float(peak)
            gamma = 1.2 + 0.42 * np.log10(lw / 1000)
            luminance = 0.2627 * linear[0] + 0.6780 * linear[1] + 0.0593 * linear[2]
            with np.errstate(divide="ignore", invalid="ignore"):
                light = np.where(luminance > 0, lw * linear.max(0) * luminance ** (gamma - 1), 0)
        found = frame["light"]
        # Several pixels may be equally bright; HLG's are equal within rounding.
        brightest = light[found["max_y"] - y, found["max_x"] - x]
        shares = {limit: float((light > limit).mean()) for limit in (100, 203, 1000, 4000)}
        expected = {"max_cd_m2": light.max(), "average_cd_m2": light.mean()}
        for name, value in expected.items():
            if abs(found[name] - value) > allowed * value + 1e-9:
                sys.exit(f"frame {frame['frame']}: {name} is {found[name]}, not {value}")
        if abs(brightest - light.max()) > allowed * light.max():
            sys.exit(f"frame {frame['frame']}: the brightest pixel has {brightest}, not {light.max()}")
        if transfer == "pq":
            first = np.unravel_index(np.argmax(codes.max(0)), light.shape)
            if (found["max_y"] - y, found["max_x"] - x) != first:
                sys.exit(f"frame {frame['frame']}: the first brightest pixel is at {first[::-1]}, not as recorded")
            for limit, share in shares.items():
                if abs(found[f"share_above_{limit}"] - share) > 1e-12:
                    sys.exit(f"frame {frame['frame']}: above {limit} are {found[f'share_above_{limit}']}, not {share}")
            p9999 = np.sort(light, axis=None)[-(-light.size * 9999 // 10000) - 1]
            if abs(found["p9999_cd_m2"] - p9999) > allowed * p9999:
                sys.exit(f"frame {frame['frame']}: p9999 is {found['p9999_cd_m2']}, not {p9999}")
        if found["share_outside_p3"] is not None:
            to_p3 = np.array([[1.343578, -0.282180, -0.061399], [-0.065297, 1.075788, -0.010490], [0.002822, -0.019598, 1.016777]])
            p3 = np.tensordot(to_p3, linear, 1)
            scale = linear.max(0)
            outside = (p3 < 0).any(0)
            # Within 1e-4 of the boundary, rounding decides.
            near = (np.abs(p3) <= 1e-4 * scale).any(0) & (scale > 0)
            if abs(found["share_outside_p3"] - outside.mean()) > near.mean() + 1e-12:
                sys.exit(f"frame {frame['frame']}: outside P3 are {found['share_outside_p3']}, not {outside.mean()}")
        truth.append((light.max(), light.mean()))
    for name, value in [("max_cll", max(m for m, _ in truth)), ("max_fall", max(a for _, a in truth))]:
        if abs(summary["light"][name] - value) > allowed * value + 1e-9:
            sys.exit(f"{name} is {summary['light'][name]}, not {value}")
    print(f"{len(truth)} frames are equal")


main()
