#!/usr/bin/env python3
"""Compares the records of a comparison with NumPy's results from FFmpeg's raw frames, and with FFmpeg's psnr and
ssim filters.

    against.py RECORDS.jsonl CLIP PIX_FMT MATRIX RANGE OTHER PIX_FMT MATRIX RANGE [x,y,width,height]

If both formats are equal and no region is given, the filters' figures are compared too. Any difference ends the script with
exit code 1 and a sentence.
"""

import json
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import records  # noqa: E402


def size(clip):
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0", clip]
    return [int(number) for number in subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().strip(",").split(",")]


def filter_figures(clip, other):
    """Returns FFmpeg's figures for every frame, by name."""
    graph = "[0:v][1:v]psnr[psnr];[psnr][1:v]ssim,metadata=print:file=-"
    # Without -cpuflags 0, FFmpeg's ssim filter errs where a row has 4k + 2 blocks of 4 samples (seen in 5.1).
    command = ["ffmpeg", "-v", "error", "-nostdin", "-cpuflags", "0", "-noautorotate", "-i", clip, "-noautorotate", "-i", other, "-lavfi", graph, "-f", "null", "/dev/null"]
    frames = []
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if line.startswith("frame:"):
            frames.append({})
        elif line.startswith(("lavfi.psnr.psnr", "lavfi.ssim.")) and ".dB=" not in line:
            name, value = line.split("=")
            name = "ssim_all" if name == "lavfi.ssim.All" else name.removeprefix("lavfi.psnr.").removeprefix("lavfi.")
            frames[-1][name.replace(".", "_").lower()] = float(value)
    return frames


def distance(a, b):
    """Returns the area between two cumulative curves over levels from 0 to 1, as a fraction. None if nothing is counted."""
    if sum(a) == 0 or sum(b) == 0:
        return None
    tops = len(a) - 1, len(b) - 1
    if tops[0] == tops[1] and sum(a) == sum(b):
        moved = np.abs(np.cumsum(np.array(a, np.int64)) - np.cumsum(np.array(b, np.int64)))
        return Fraction(int(moved[:-1].sum()), sum(a) * tops[0])
    levels = sorted({Fraction(code, top) for top in tops for code in range(top + 1)})
    share = lambda bins, top, below: Fraction(int(below[min(math.floor(level * top), top)]), sum(bins))
    below = np.cumsum(a), np.cumsum(b)
    area = Fraction(0)
    for level, after in zip(levels, levels[1:]):
        area += abs(share(a, tops[0], below[0]) - share(b, tops[1], below[1])) * (after - level)
    return area


def similarity(a, b, bits):
    """Returns the mean structural similarity of windows of 8×8 samples at steps of 4. None if the plane has none."""
    if min(a.shape) < 8:
        return None
    rows, columns = (size // 4 * 4 for size in a.shape)
    windows = [np.lib.stride_tricks.sliding_window_view(part[:rows, :columns], (8, 8))[::4, ::4].reshape(-1, 64).astype(np.float64) for part in (a, b)]
    means = [part.mean(axis=1) for part in windows]
    variances = sum(part.var(axis=1, ddof=1) for part in windows)
    covariances = ((windows[0] - means[0][:, None]) * (windows[1] - means[1][:, None])).sum(axis=1) / 63
    # The filter rounds its constants to integers. It adds the first one to squared sums, which are 64² squared means, but
    # scales it by 64 only.
    top = 2**bits - 1
    c1 = math.floor((0.01 * top) ** 2 * 64 + 0.5) / 64**2
    c2 = math.floor((0.03 * top) ** 2 * 64 * 63 + 0.5) / (64 * 63)
    result = (2 * means[0] * means[1] + c1) * (2 * covariances + c2) / ((means[0] ** 2 + means[1] ** 2 + c1) * (variances + c2))
    return float(result.mean())


def expected(ours, theirs, alike, region):
    """Returns the fields of a frame from both files' (planes, pix_fmt, matrix, limits, size)."""
    result = {"compared_as": "codes" if alike else "pictures", "identical": alike}
    histograms = []
    for planes, pix_fmt, matrix, limits, (width, height) in (ours, theirs):
        part = region or (0, 0, width, height)
        histograms.append(records.channels(planes, pix_fmt, matrix, limits, part, pix_fmt[:3] not in ("gbr", "rgb")))
    for name in histograms[0]:
        found = distance(histograms[0][name]["bins"], histograms[1].get(name, {"bins": [0]})["bins"])
        top = len(histograms[0][name]["bins"]) - 1
        result[f"distance_{name}"] = float(found * top) if alike and found is not None else None
        result[f"distance_percent_{name}"] = None if found is None else float(found * 100)
    model, bits, shifts = records.describe(ours[1])
    names = "rgb" if model == "rgb" else "yuv"
    squares, samples, similar = 0, 0, []
    for index, name in enumerate(names):
        noise = largest = mean = ssim = None
        if alike and index < len(ours[0]):
            parts = []
            for planes in (ours[0], theirs[0]):
                (sx, sy), (x, y, width, height) = shifts if index else (0, 0), region or (0, 0, *ours[4])
                parts.append(planes[index][y >> sy : ((y + height - 1) >> sy) + 1, x >> sx : ((x + width - 1) >> sx) + 1])
            off = np.abs(parts[0] - parts[1])
            largest, mean = int(off.max()), float(off.sum() / off.size)
            error = float((off * off).sum() / off.size)
            squares, samples = squares + int((off * off).sum()), samples + off.size
            result["identical"] &= largest == 0
            noise = 10 * math.log10((2**bits - 1) ** 2 / error) if error else None
            ssim = similarity(*parts, bits)
            similar.append((off.size, ssim))
        result |= {f"difference_max_{name}": largest, f"difference_mean_{name}": mean, f"psnr_{name}": noise, f"ssim_{name}": ssim}
    result["psnr_avg"] = 10 * math.log10((2**bits - 1) ** 2 * samples / squares) if squares else None
    has_all = similar and all(ssim is not None for _, ssim in similar)
    result["ssim_all"] = sum(size * ssim for size, ssim in similar) / samples if has_all else None
    return result


def is_close(found, wanted):
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)
    return type(found) is type(wanted) and found == wanted


def main():
    path, *words = sys.argv[1:]
    region = [int(number) for number in words.pop().split(",")] if len(words) == 9 else None
    ours, theirs = words[:4], words[4:8]
    sizes = size(ours[0]), size(theirs[0])
    frames = [list(records.raw_frames(clip, pix_fmt, *size_)) for (clip, pix_fmt, *_), size_ in zip((ours, theirs), sizes)]
    alike = (ours[1:], sizes[0]) == (theirs[1:], sizes[1])
    filtered = filter_figures(ours[0], theirs[0]) if alike and region is None else None
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    found = [line for line in lines if line["type"] == "frame"]
    if not found:
        sys.exit("no records")
    for record in found:
        number = record["frame"]
        one = (frames[0][number], *ours[1:], sizes[0])
        other = (frames[1][record["against_frame"]], *theirs[1:], sizes[1])
        wanted = expected(one, other, alike, region)
        for name, value in wanted.items():
            if name in record and not is_close(record[name], value):
                sys.exit(f"frame {number}: {name} is {record[name]}, not {value}")
        missing = [name for name in wanted if name not in record and not name.endswith(("_y", "_cb", "_cr"))]
        if missing:
            sys.exit(f"frame {number} has no {missing}")
        if filtered is None or number != record["against_frame"]:
            continue
        figures = filtered[number]
        if len(figures) != 2 * (1 + len(frames[0][0])):
            sys.exit(f"the filters report {figures}")
        for name, value in figures.items():
            if name.startswith("ssim"):
                if abs(record[name] - value) > 1e-5:
                    sys.exit(f"frame {number}: {name} is {record[name]}, but the filter's is {value}")
                continue
            ours_ = math.inf if record[name] is None else record[name]
            if ours_ != value and abs(ours_ - value) > 5.1e-7 * max(1, abs(value)):
                sys.exit(f"frame {number}: {name} is {record[name]}, but the filter's is {value}")
    print(f"{len(found)} records are equal" + (", to the filter's too" if filtered else ""))


main()
