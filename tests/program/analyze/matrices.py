"""Compares the red, green and blue bins of records with the matrices of the standards, in floating point.

    matrices.py CLIP FORMAT MATRIX TRANSFER PRIMARIES RANGE RECORDS MOST

FORMAT is FFmpeg's name of the clip's pixel format. The other formulas are from ITU-T H.273 and BT.2100. The chroma of a pixel is
the sample that covers it. Prints the share of each channel's pixels that are in a different bin, and fails if one exceeds MOST.
"""

import json
import subprocess
import sys

import numpy as np

ALPHA, BETA = 1.09929682680944, 0.018053968510807

PRIMARIES = {
    "bt709": ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), (0.3127, 0.3290)),
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), (0.3127, 0.3290)),
    "smpte432": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.3127, 0.3290)),
    "film": ((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), (0.310, 0.316)),
}


def pq_light(signal):
    m1, m2 = 2610 / 16384, 128 * 2523 / 4096
    c1, c2, c3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096
    root = np.clip(signal, 0, 1) ** (1 / m2)
    return (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)


def pq_signal(light):
    m1, m2 = 2610 / 16384, 128 * 2523 / 4096
    c1, c2, c3 = 3424 / 4096, 32 * 2413 / 4096, 32 * 2392 / 4096
    power = np.clip(light, 0, 1) ** m1
    return ((c1 + c2 * power) / (1 + c3 * power)) ** m2


A, B, C = 0.17883277, 0.28466892, 0.55991073


def hlg_light(signal):
    signal = np.clip(signal, 0, 1)
    return np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - C) / A) + B) / 12)


def hlg_signal(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 1 / 12, np.sqrt(3 * light), A * np.log(np.maximum(12 * light - B, 1e-9)) + C)


def camera_light(signal):
    signal = np.clip(signal, 0, 1)
    return np.where(signal < 4.5 * BETA, signal / 4.5, ((signal + ALPHA - 1) / ALPHA) ** (1 / 0.45))


def camera_signal(light):
    light = np.clip(light, 0, 1)
    return np.where(light < BETA, 4.5 * light, ALPHA * light**0.45 - (ALPHA - 1))


CURVES = {
    "smpte2084": (pq_light, pq_signal),
    "arib-std-b67": (hlg_light, hlg_signal),
    "bt2020-10": (camera_light, camera_signal),
    "bt709": (camera_light, camera_signal),
}


def luma_weights(primaries):
    """Returns the shares of red and blue in white's luminance, by solving for the amount of each primary in white."""
    xyz = [[x / y, 1, (1 - x - y) / y] for x, y in PRIMARIES[primaries]]
    kr, _, kb = np.linalg.solve(np.array(xyz[:3]).T, np.array(xyz[3]))
    return kr, kb


def linear(y, cb, cr, kr, kb):
    red, blue = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    return red, (y - kr * red - kb * blue) / (1 - kr - kb), blue


def constant(y, cb, cr, weights, curve):
    light, signal = CURVES[curve]
    kr, kb = weights

    def differing(chroma, weight):
        negative, positive = signal(np.float64(1 - weight)), 1 - signal(np.float64(weight))
        return y + chroma * 2 * np.where(chroma > 0, positive, negative)

    red, blue = differing(cr, kr), differing(cb, kb)
    green = (light(y) - kr * light(red) - kb * light(blue)) / (1 - kr - kb)
    return red, signal(green), blue


def ictcp(i, ct, cp, curve):
    light, signal = CURVES[curve]
    cones = np.array([[1688, 2146, 262], [683, 2951, 462], [99, 309, 3688]]) / 4096
    differences = {
        "smpte2084": [[2048, 2048, 0], [6610, -13613, 7003], [17933, -17390, -543]],
        "arib-std-b67": [[2048, 2048, 0], [3625, -7465, 3840], [9500, -9212, -288]],
    }[curve]
    signals = np.linalg.inv(np.array(differences) / 4096) @ np.stack([i, ct, cp])
    return signal(np.linalg.inv(cones) @ light(signals))


def convert(planes, matrix, transfer, primaries):
    y, cb, cr = planes
    if matrix == "chroma-derived-nc":
        return linear(y, cb, cr, *luma_weights(primaries))
    if matrix == "smpte2085":
        return 2 * cr + 0.991902 * y, y, (2 * cb + y) / 0.986566
    if matrix == "bt2020c":
        return constant(y, cb, cr, (0.2627, 0.0593), transfer)
    if matrix == "chroma-derived-c":
        return constant(y, cb, cr, luma_weights(primaries), transfer)
    return ictcp(y.ravel(), cb.ravel(), cr.ravel(), transfer)


def main():
    clip, pixel_format, matrix, transfer, primaries, coded_range, records, most = sys.argv[1:]
    record = json.loads(open(records, encoding="utf-8").readline())
    width, height = record["width"], record["height"]
    bits = int(pixel_format.split("p")[1].removesuffix("le") or 8)
    assert record["depth"] == bits and record["matrix"] == matrix and record["matrix_source"] == "tagged", record
    assert record["range"] == coded_range, record["range"]
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-frames:v", "1", "-f", "rawvideo"]
    raw = subprocess.run([*command, "-pix_fmt", pixel_format, "-"], check=True, capture_output=True).stdout
    samples = np.frombuffer(raw, np.uint8 if bits == 8 else "<u2").astype(np.float64)
    down, across = {"420": (2, 2), "422": (1, 2), "444": (1, 1)}[pixel_format[3:6]]
    rows, columns = -(-height // down), -(-width // across)
    luma, chroma = np.split(samples, [width * height])
    chroma = chroma.reshape(2, rows, columns).repeat(down, 1).repeat(across, 2)[:, :height, :width]
    top, unit = 2**bits - 1, 2 ** (bits - 8)
    black, luma_span, chroma_span = (16 * unit, 219 * unit, 224 * unit) if coded_range == "limited" else (0, top, top)
    planes = [(luma.reshape(height, width) - black) / luma_span, *((chroma - 2 ** (bits - 1)) / chroma_span)]
    for name, signal in zip(("red", "green", "blue"), convert(planes, matrix, transfer, primaries)):
        codes = np.clip(np.floor(np.ravel(signal) * top + 0.5), 0, top).astype(int)
        expected = np.bincount(codes, minlength=top + 1)
        counted = np.array(record["channels"][name]["bins"])
        assert counted.sum() == width * height, name
        share = np.abs(counted - expected).sum() / 2 / (width * height)
        print(f"{name}: {share:.6f}")
        if share > float(most):
            sys.exit(f"{share:.6f} of the pixels' {name} lie in another bin")


if __name__ == "__main__":
    main()
