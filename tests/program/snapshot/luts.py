#!/usr/bin/env python3
"""Prints the largest difference, in codes, between mapped colours and OpenColorIO's for the same lookup table.

    luts.py LUT BITS COLOURS

COLOURS has the codes of red, green and blue and the three mapped codes, one colour after another, as 16-bit integers. It shares
no code with Histoscope: OpenColorIO reads the file and interpolates in floats.
"""

import sys

import numpy as np
import PyOpenColorIO as ocio

lut, bits, colours = sys.argv[1], int(sys.argv[2]), sys.argv[3]
top = 2**bits - 1
codes = np.fromfile(colours, "<u2").reshape(-1, 6)
pixels = np.ascontiguousarray(codes[:, :3] / top, np.float32)
transform = ocio.FileTransform(lut, interpolation=ocio.INTERP_TETRAHEDRAL)
ocio.Config.CreateRaw().getProcessor(transform).getDefaultCPUProcessor().applyRGB(pixels)
expected = np.round(np.clip(pixels.astype(np.float64), 0, 1) * top)
print(int(np.abs(expected - codes[:, 3:]).max()))
