#!/usr/bin/env python3
"""Writes camera_logs.txt in the same folder: the curves and gamuts of cameras, as colour-science computes them.

It needs the packages numpy and colour-science (0.4.7 made the current file). Each line is one of

    curve NAME CODE LIGHT                          the scene light of a 10-bit code
    colour NAME RED GREEN BLUE R G B               the signal of BT.709, gamma 2.4, of three 10-bit codes, not limited to 0 to 1
"""

import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import colour  # noqa: E402
import numpy as np  # noqa: E402

LOGS = {
    "s-log3": ("log_decoding_SLog3", "log_encoding_SLog3", "S-Gamut3.Cine"),
    "logc3": ("log_decoding_ARRILogC3", "log_encoding_ARRILogC3", "ARRI Wide Gamut 3"),
    "logc4": ("log_decoding_ARRILogC4", "log_encoding_ARRILogC4", "ARRI Wide Gamut 4"),
    "v-log": ("log_decoding_VLog", "log_encoding_VLog", "V-Gamut"),
    "canon-log2": ("log_decoding_CanonLog2", "log_encoding_CanonLog2", "Cinema Gamut"),
    "canon-log3": ("log_decoding_CanonLog3", "log_encoding_CanonLog3", "Cinema Gamut"),
    "n-log": ("log_decoding_NLog", "log_encoding_NLog", "N-Gamut"),
    "f-log2": ("log_decoding_FLog2", "log_encoding_FLog2", "F-Gamut"),
    "log3g10": ("log_decoding_Log3G10", "log_encoding_Log3G10", "REDWideGamutRGB"),
    "blackmagic-gen5": ("oetf_inverse_BlackmagicFilmGeneration5", "oetf_BlackmagicFilmGeneration5", "Blackmagic Wide Gamut"),
    "acescct": ("log_decoding_ACEScct", "log_encoding_ACEScct", "ACEScct"),
}

display = colour.RGB_COLOURSPACES["ITU-R BT.709"]
random = np.random.default_rng(48)
lines = []
for name, (decoding, encoding, gamut) in LOGS.items():
    decode, encode = getattr(colour.models, decoding), getattr(colour.models, encoding)
    for code in range(0, 1024, 11):
        lines.append(f"curve {name} {code} {float(decode(code / 1023)):.9e}")
    own = colour.RGB_COLOURSPACES[gamut]
    # Colours of every hue and saturation that BT.709 has, from deep shadows to above white.
    wanted = random.uniform(0, 1, (40, 3)) ** 2.2 * random.choice([0.05, 0.3, 1.0, 1.5], (40, 1))
    scene = colour.RGB_to_RGB(wanted, display, own, chromatic_adaptation_transform="Bradford")
    codes = np.clip(np.round(encode(scene) * 1023), 0, 1023).astype(int)
    light = colour.RGB_to_RGB(decode(codes / 1023), own, display, chromatic_adaptation_transform="Bradford")
    signals = np.sign(light) * np.abs(light) ** (1 / 2.4)
    for three, signal in zip(codes, signals):
        lines.append(" ".join(["colour", name, *map(str, three), *(f"{value:.7f}" for value in signal)]))
(Path(__file__).parent / "camera_logs.txt").write_text("\n".join(lines) + "\n")
