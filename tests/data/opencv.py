#!/usr/bin/env python3
"""Writes opencv.txt in the same folder: the results of OpenCV's createCLAHE and blur for small gray pictures.

It needs the packages numpy and opencv-python-headless (5.0.0.93 made the current file). The pictures come from a generator
that the test has too (crates/render/tests/adjust/opencv.rs), so only the results are stored, as hexadecimal digits.
"""

from pathlib import Path

import cv2
import numpy as np


def picture(width, height, seed):
    """Draws gradients, an edge, and noise from a linear congruential generator."""
    state = seed
    rows = []
    for y in range(height):
        row = []
        for x in range(width):
            state = (state * 1664525 + 1013904223) % 2**32
            base = 40 + 120 * x // width + 60 * y // height
            if 3 * x > width and 2 * y > height:
                base = 220 - base // 3
            row.append(min(255, max(0, base + (state >> 24) % 23 - 11)))
        rows.append(row)
    return np.array(rows, np.uint8)


def main():
    lines = [f"# made by opencv.py with OpenCV {cv2.__version__}"]
    clahe = [
        (64, 48, 8, 8, 2.0),
        (64, 48, 4, 3, 40.0),
        (61, 37, 8, 8, 2.0),
        (64, 37, 8, 8, 3.5),
        (50, 40, 3, 5, 0.0),
        (5, 3, 8, 8, 2.0),
        (1, 1, 8, 8, 2.0),
        (33, 70, 2, 2, 1.0),
        (40, 30, 1, 1, 4.0),
    ]
    for seed, (width, height, across, down, limit) in enumerate(clahe):
        made = cv2.createCLAHE(limit, (across, down)).apply(picture(width, height, seed))
        lines.append(f"clahe {seed} {width} {height} {across} {down} {limit} {made.tobytes().hex()}")
    blur = [(64, 48, 3), (61, 37, 15), (30, 20, 63), (1, 1, 9), (7, 40, 21), (53, 2, 5)]
    for seed, (width, height, size) in enumerate(blur):
        made = cv2.blur(picture(width, height, seed), (size, size), borderType=cv2.BORDER_REPLICATE)
        lines.append(f"blur {seed} {width} {height} {size} {made.tobytes().hex()}")
    (Path(__file__).parent / "opencv.txt").write_text("\n".join(lines) + "\n")


main()
