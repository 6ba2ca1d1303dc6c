#!/usr/bin/env python3
"""Prints the luminance of linear light of a clip's first frame, bin by bin, computed with NumPy and `decimal`.

    linear.py CLIP PIX_FMT TRANSFER WIDTH HEIGHT

It shares no code with Histoscope: R'G'B' comes from the ffmpeg command, the light of codes from the formulas with 50 digits.
"""

import json
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal, getcontext

import numpy as np

getcontext().prec = 50


def power(base, exponent):
    return (exponent * base.ln()).exp() if base > 0 else Decimal(0)


def light(transfer, signal):
    if transfer == "bt1886":
        return power(signal, Decimal("2.4"))
    if transfer == "srgb":
        toe = signal <= Decimal("0.04045")
        return signal / Decimal("12.92") if toe else power((signal + Decimal("0.055")) / Decimal("1.055"), Decimal("2.4"))
    if transfer == "pq":
        m1, m2 = Decimal(2610) / 16384, Decimal(2523) * 128 / 4096
        c1, c2, c3 = Decimal(3424) / 4096, Decimal(2413) * 32 / 4096, Decimal(2392) * 32 / 4096
        root = power(signal, 1 / m2)
        return power(max(root - c1, Decimal(0)) / (c2 - c3 * root), 1 / m1)
    a, b, c = Decimal("0.17883277"), Decimal("0.28466892"), Decimal("0.55991073")
    return signal * signal / 3 if signal <= Decimal("0.5") else (((signal - c) / a).exp() + b) / 12


clip, pix_fmt, transfer, width, height = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
bits = {"gbrp": 8, "gbrp10le": 10, "gbrp12le": 12}[pix_fmt]
command = ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
raw = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "u1" if bits == 8 else "<u2")
green, blue, red = raw.reshape(3, width * height)
top = 2**bits - 1
most = 2**32 - 1
table = [min(most, int((light(transfer, Decimal(code) / top) * most).to_integral_value(ROUND_HALF_UP))) for code in range(top + 1)]
table = np.array(table, np.uint64)
weighed = sum(np.uint64(weight) * table[codes] for weight, codes in ((2126, red), (7152, green), (722, blue)))
codes = np.searchsorted(table, weighed // np.uint64(10000), side="right") - 1
print(json.dumps(np.bincount(codes, minlength=top + 1).tolist()))
