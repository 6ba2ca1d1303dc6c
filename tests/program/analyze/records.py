#!/usr/bin/env python3
"""Compares Histoscope's records with NumPy's results from FFmpeg's raw frames.

    records.py CLIP PIX_FMT MATRIX RANGE RECORDS.jsonl REGION [RECORDS.jsonl REGION ...]

Each REGION is x,y,width,height, or - for the whole picture. It shares no code with Histoscope: the frames
come from the ffmpeg command, their times from ffprobe, and the figures from the definitions in docs/. MATRIX and RANGE say how to
interpret the samples. Any difference ends the script with exit code 1 and a sentence.
"""

import functools
import json
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np

LUMINANCE = {"bt709": (2126, 7152, 722), "bt2020": (2627, 6780, 593)}
KR_KB = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020nc": (0.2627, 0.0593)}
GRIDS = {"420": (1, 1), "422": (1, 0), "444": (0, 0), "440": (0, 1), "411": (2, 0)}
FRACTION_BITS = {8: 20, 10: 18, 12: 16}


def describe(pix_fmt):
    """Returns model, bits and chroma shifts for the name of a planar format."""
    bits = 8
    for depth in (10, 12):
        if pix_fmt.endswith((f"{depth}le", f"{depth}")):
            bits = depth
    if pix_fmt.startswith("gray"):
        return "gray", bits, (0, 0)
    if pix_fmt.startswith(("gbrp", "rgb24")):
        return "rgb", bits, (0, 0)
    return "yuv", bits, GRIDS[pix_fmt.split("p")[0].removeprefix("yuvj").removeprefix("yuv")]


def raw_frames(clip, pix_fmt, width, height):
    """Yields each frame's planes in the order of its components, as integers."""
    model, bits, (sx, sy) = describe(pix_fmt)
    command = ["ffmpeg", "-v", "error", "-nostdin", "-noautorotate", "-i", clip, "-map", "0:v:0"]
    command += ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-"]
    raw = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.uint8)
    raw = raw if bits == 8 else raw.view("<u2")
    chroma = (-(-height >> sy), -(-width >> sx))
    shapes = {"gray": [(height, width)], "rgb": [(height, width)] * 3, "yuv": [(height, width), chroma, chroma]}[model]
    sizes = [rows * columns for rows, columns in shapes]
    for frame in raw.reshape(-1, sum(sizes)):
        if pix_fmt == "rgb24":
            yield [frame.reshape(height, width, 3)[:, :, i].astype(np.int64) for i in range(3)]
            continue
        parts = np.split(frame, np.cumsum(sizes)[:-1])
        planes = [part.reshape(shape).astype(np.int64) for part, shape in zip(parts, shapes)]
        # FFmpeg stores green, blue, red.
        yield [planes[2], planes[0], planes[1]] if model == "rgb" else planes


def rounded(value):
    """Rounds half away from zero."""
    return int(math.floor(abs(value) + 0.5)) * (1 if value >= 0 else -1)


def conversion(model, bits, matrix, limits):
    """Returns integer weights and offsets from components to red, green and blue."""
    top, unit = 2**bits - 1, 2 ** (bits - 8)
    luma_zero, luma_span, chroma_span = (16 * unit, 219 * unit, 224 * unit) if limits == "limited" else (0, top, top)
    luma, chroma = top / luma_span, top / chroma_span
    one = 2 ** FRACTION_BITS[bits]
    if model == "gray":
        real, zeros = [[luma, 0, 0]] * 3, [luma_zero, 0, 0]
    elif model == "rgb":
        real, zeros = [[luma, 0, 0], [0, luma, 0], [0, 0, luma]], [luma_zero] * 3
    else:
        kr, kb = KR_KB[matrix]
        kg = 1 - kr - kb
        real = [
            [luma, 0, 2 * (1 - kr) * chroma],
            [luma, -2 * kb * (1 - kb) / kg * chroma, -2 * kr * (1 - kr) / kg * chroma],
            [luma, 2 * (1 - kb) * chroma, 0],
        ]
        zeros = [luma_zero, 2 ** (bits - 1), 2 ** (bits - 1)]
    return [[rounded(weight * one) for weight in row] for row in real], zeros


def chroma_row(row, rows, shift, interlaced):
    """Returns the chroma row of a luma row, out of `rows`. In interlaced 4:2:0 each field is subsampled separately (ITU-T H.262,
    6.1.1.8): line i of a field, which is row 2 i or 2 i + 1 of the frame, has chroma line i // 2 of this field."""
    if shift != 1 or not interlaced:
        return row >> shift
    field, line = row % 2, row // 2
    lines = len(range(field, rows, 2))
    return 2 * min(line // 2, lines - 1) + field if lines else 0


def to_rgb(planes, model, bits, shifts, matrix, limits, region, interlaced=False):
    """Returns red, green and blue before the clamp, for the pixels of the region."""
    x, y, width, height = region
    rows, columns = np.arange(y, y + height), np.arange(x, x + width)
    sx, sy = shifts
    components = [planes[0][np.ix_(rows, columns)]]
    for plane in planes[1:]:
        chroma_rows = [chroma_row(row, len(plane), sy, interlaced) for row in rows.tolist()]
        components.append(plane[np.ix_(chroma_rows, columns >> sx)])
    while len(components) < 3:
        components.append(np.zeros_like(components[0]))
    weights, zeros = conversion(model, bits, matrix, limits)
    shift = FRACTION_BITS[bits]
    half = 1 << (shift - 1)
    return [
        (sum(weight * (component - zero) for weight, component, zero in zip(row, components, zeros)) + half) >> shift
        for row in weights
    ]


def figures(bins, below, above):
    """Returns the figures of a channel from its bins."""
    bins = [int(count) for count in bins]
    count = sum(bins)
    first = sum(code * n for code, n in enumerate(bins))
    second = sum(code * code * n for code, n in enumerate(bins))
    used = [code for code, n in enumerate(bins) if n]
    samples_up_to = np.cumsum(bins)
    level = lambda percent: int(np.argmax(samples_up_to * 100 >= percent * count)) if count else 0
    result = {
        "count": count,
        "min": used[0] if used else 0,
        "max": used[-1] if used else 0,
        "mean": first / max(count, 1),
        "std_dev": math.sqrt(count * second - first * first) / max(count, 1),
        "median": level(50),
        **{f"p{percent}": level(percent) for percent in (1, 5, 10, 25, 75, 90, 95, 99)},
        "share_lowest": bins[0] / max(count, 1),
        "share_highest": bins[-1] / max(count, 1),
        "share_out_of_range": ((below or 0) + (above or 0)) / max(count, 1),
        "bins": bins,
    }
    if below is not None:
        result |= {"below_range": below, "above_range": above}
    return result


def one_field(planes, shifts, field, interlaced):
    """Returns the planes of one field. If the frame's chroma belongs to fields, the field has its own chroma rows, else every row of
    the frame's chroma."""
    first = ("top", "bottom").index(field)
    luma = planes[0][first::2]
    if shifts[1] == 1 and not interlaced:
        return [luma, *planes[1:]], (shifts[0], 0)
    chroma = [plane[first::2] for plane in planes[1:]]
    rows = -(-len(luma) >> shifts[1])
    return [luma, *(plane[np.minimum(np.arange(rows), len(plane) - 1)] for plane in chroma)], shifts


def channels(planes, pix_fmt, matrix, limits, region, coded, shifts=None, interlaced=False, weights=LUMINANCE["bt709"]):
    """Returns all channels of a frame."""
    model, bits, whole = describe(pix_fmt)
    shifts = whole if shifts is None else shifts
    top = 2**bits - 1
    count = lambda codes: np.bincount(codes.ravel(), minlength=top + 1)
    unclamped = to_rgb(planes, model, bits, shifts, matrix, limits, region, interlaced)
    rgb = [np.clip(channel, 0, top) for channel in unclamped]
    result = {}
    for name, before, codes in zip(("red", "green", "blue"), unclamped, rgb):
        result[name] = figures(count(codes), int((before < 0).sum()), int((before > top).sum()))
    # floor(N (0.2126 r + 0.7152 g + 0.0722 b)), or with other weights, in 64-bit integers.
    weighted = sum(weight * codes for weight, codes in zip(weights, rgb))
    result["luminance"] = figures(count(np.minimum(top, weighted * (top + 1) // (10000 * top))), None, None)
    if coded:
        x, y, width, height = region
        sx, sy = shifts
        for index, name in enumerate(("y", "cb", "cr")):
            if index >= len(planes):
                result[name] = figures([0] * (top + 1), 0, 0)
                continue
            ax, ay = (sx, sy) if index else (0, 0)
            part = planes[index][y >> ay : ((y + height - 1) >> ay) + 1, x >> ax : ((x + width - 1) >> ax) + 1]
            unit = 2 ** (bits - 8)
            low, high = (16 * unit, (240 if index else 235) * unit) if limits == "limited" else (0, top)
            result[name] = figures(count(part), int((part < low).sum()), int((part > high).sum()))
    return result


def saturation(planes, pix_fmt, matrix, limits, region, size):
    """Returns the vectorscope's figures of a frame. None for gray."""
    model, bits, (sx, sy) = describe(pix_fmt)
    x, y, width, height = region
    if model == "gray":
        return None
    if model == "rgb":
        # Cb and Cr of limited range, by the matrix for untagged video of this size, rounded to nearest in fixed point.
        matrix, limits = "bt709" if size[0] >= 1280 or size[1] > 576 else "bt601", "limited"
        red, green, blue = [plane[y : y + height, x : x + width] for plane in planes]
        kr, kb = KR_KB[matrix]
        shift = FRACTION_BITS[bits]
        span = 224 * 2 ** (bits - 8) * 2**shift / (2**bits - 1)
        pairs = []
        for of_red, of_blue in ((-kr / (2 * (1 - kb)), 0.5), (0.5, -kb / (2 * (1 - kr)))):
            of_red, of_blue = rounded(of_red * span), rounded(of_blue * span)
            sum_ = of_red * red - (of_red + of_blue) * green + of_blue * blue
            pairs.append((sum_ + (2 ** (bits - 1) << shift) + (1 << shift - 1)) >> shift)
        cb, cr = pairs
    else:
        cb, cr = [plane[y >> sy : ((y + height - 1) >> sy) + 1, x >> sx : ((x + width - 1) >> sx) + 1] for plane in planes[1:]]
    # At 12 bits, a level of the scope holds four codes.
    surplus = max(bits - 10, 0)
    cb, cr = [plane.ravel() >> surplus << surplus for plane in (cb, cr)]
    middle = 2 ** (bits - 1)
    squares = (cb - middle) ** 2 + (cr - middle) ** 2
    parts = [math.isqrt(4 * 65536 * int(square)) for square in squares]
    parts = [(root + 1) // 2 for root in parts]
    outside = outside_targets(cb - middle, cr - middle, 2**surplus, bits, matrix, limits)
    return {
        "samples": len(parts),
        "saturation_mean": sum(parts) / (256 * len(parts)),
        "saturation_max": max(parts) / 256,
        "outside_targets": outside,
        "share_outside_targets": outside / len(parts),
    }


def outside_targets(cb, cr, codes, bits, matrix, limits):
    """Returns the number of samples that no red, green and blue from 0 to 1 can produce, with all values that round to their codes.

    It does not use the corners of a hexagon: a value can be produced if all three colours are in range for some luma.
    """
    kr, kb = [round(weight * 10000) for weight in KR_KB[matrix]]
    kg = 10000 - kr - kb
    span = 2**bits - 1 if limits == "full" else 224 * 2 ** (bits - 8)
    made = lambda pair: is_made(pair, codes, (kr, kg, kb), span)
    return sum(not made(pair) for pair in zip(cb.tolist(), cr.tolist()))


@functools.cache
def is_made(pair, codes, weights, span):
    """Returns true if a rectangle of half a code around the codes intersects the possible colours. It clips the rectangle."""
    low, high = [Fraction(2 * code - 1, 2 * span) for code in pair], [Fraction(2 * (code + codes) - 1, 2 * span) for code in pair]
    polygon = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    kr, kg, kb = [Fraction(weight, 10000) for weight in weights]
    # Red, green and blue minus luma.
    red = lambda cb, cr: 2 * (1 - kr) * cr
    blue = lambda cb, cr: 2 * (1 - kb) * cb
    green = lambda cb, cr: -(kr * red(cb, cr) + kb * blue(cb, cr)) / kg
    colors = (red, green, blue)
    # The largest and the smallest colour differ by at most 1.
    for larger in colors:
        for smaller in colors:
            if larger is not smaller:
                polygon = cut(polygon, lambda p: 1 - larger(*p) + smaller(*p))
    return bool(polygon)


def cut(polygon, room):
    """Clips a convex polygon to the half-plane where the linear function `room` is at least 0."""
    result = []
    for index, point in enumerate(polygon):
        before = polygon[index - 1]
        a, b = room(before), room(point)
        if (a < 0) != (b < 0):
            part = a / (a - b)
            result.append(tuple(p + part * (q - p) for p, q in zip(before, point)))
        if b >= 0:
            result.append(point)
    return result


def asked_weights(asked, frame):
    """Returns the name of the weights of luminance. With "auto", a frame with primaries of BT.2020, or PQ or HLG without any, has those
    of BT.2020."""
    if asked != "auto":
        return asked
    primaries = frame.get("color_primaries", "unknown")
    if primaries == "unknown" and frame.get("color_transfer") in ("smpte2084", "arib-std-b67"):
        primaries = "bt2020"
    return "bt2020" if primaries == "bt2020" else "bt709"


def probe(clip):
    """Returns times and types of the frames, and the picture's size, as reported by ffprobe."""
    entries = "frame=pts,pict_type,key_frame,width,height,interlaced_frame,top_field_first,color_primaries,color_transfer:stream=time_base"
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "json", clip]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    numerator, denominator = map(int, found["streams"][0]["time_base"].split("/"))
    return found["frames"], numerator / denominator


def main():
    clip, pix_fmt, matrix, limits, *cases = sys.argv[1:]
    frames, tick = probe(clip)
    raw = list(raw_frames(clip, pix_fmt, frames[0]["width"], frames[0]["height"]))
    for records, region in zip(cases[::2], cases[1::2], strict=True):
        try:
            compare(clip, pix_fmt, matrix, limits, frames, tick, raw, records, region)
        except AssertionError as difference:
            sys.exit(f"records.py: {records}, {region}: {difference}")


def compare(clip, pix_fmt, matrix, limits, frames, tick, raw, records, region):
    with open(records) as file:
        lines = [json.loads(line) for line in file]
    summary = lines.pop()
    width, height = frames[0]["width"], frames[0]["height"]
    options = summary["options"]
    field = options.get("field")
    height = height if field is None else len(range(("top", "bottom").index(field), height, 2))
    region = (0, 0, width, height) if region == "-" else tuple(map(int, region.split(",")))
    shifts = describe(pix_fmt)[2]
    assert len(raw) == len(frames) == len(lines) > 0, f"{len(raw)} raw frames, {len(frames)}, and {len(lines)} records"
    assert summary["type"] == "summary" and summary["complete"] and summary["frames"] == len(lines), summary
    has_vectorscope = summary["options"].get("scopes") == "vectorscope"
    coded = summary["options"]["components"] == "rgbl+ycbcr"
    for number, (planes, frame, line) in enumerate(zip(raw, frames, lines)):
        flagged = frame["interlaced_frame"] == 1
        interlaced = {"frame": False, "field": True}.get(options.get("chroma_lines"), flagged)
        order = "top_first" if frame["top_field_first"] else "bottom_first"
        shared = {True: "field", False: "frame"}[interlaced] if describe(pix_fmt)[2][1] == 1 else None
        if field:
            (planes, shifts), interlaced = one_field(planes, describe(pix_fmt)[2], field, interlaced), False
        expected = {
            "schema": 1,
            "type": "frame",
            "input": clip,
            "frame": number,
            "pts_ticks": frame["pts"],
            "pts_seconds": frame["pts"] * tick,
            "time_seconds": (frame["pts"] - frames[0]["pts"]) * tick,
            "key_frame": frame["key_frame"] == 1,
            "picture_type": frame["pict_type"],
            "width": width,
            "height": height,
            "depth": describe(pix_fmt)[1],
            "matrix": matrix,
            "range": limits,
            "scan": order if flagged else "progressive",
            "field": field,
            "chroma_lines": shared,
            "count": region[2] * region[3],
        }
        for name, value in expected.items():
            assert line[name] == value, f"{pix_fmt} frame {number}: {name} is {line[name]}, not {value}"
        asked = options.get("luminance_weights")
        weights = asked_weights(asked or "bt709", frame)
        assert line.get("luminance_weights") == (asked and weights), f"{pix_fmt} frame {number}: the weights are {line.get('luminance_weights')}"
        assert f"({weights.upper().replace('BT', 'BT.')})" in summary["luminance"], f"luminance is {summary['luminance']}, not {weights}"
        assert ("vectorscope" in line) == has_vectorscope, f"the fields are {list(line)}"
        if has_vectorscope:
            found, scope = line["vectorscope"], saturation(planes, pix_fmt, matrix, limits, region, (width, height))
            assert found == scope, f"{pix_fmt} frame {number}: the vectorscope has {found}, not {scope}"
        wanted = channels(planes, pix_fmt, matrix, limits, region, coded, shifts, interlaced, LUMINANCE[weights])
        assert list(line["channels"]) == list(wanted), f"the channels are {list(line['channels'])}"
        for channel, values in wanted.items():
            found = line["channels"][channel]
            assert set(found) == set(values), f"{channel} has the fields {sorted(found)}, not {sorted(values)}"
            for name, value in values.items():
                message = f"{pix_fmt} frame {number}: {name} of {channel} is {found[name]}, not {value}"
                assert found[name] == value, message[:400]
    print(f"{len(lines)} records of {pix_fmt} are equal")


if __name__ == "__main__":
    main()
