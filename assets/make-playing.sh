#!/usr/bin/env bash
# Makes playing.webp, the moving picture of the README, from the sample clip in a window that nobody sees.
#
# The window is paused and steps, and each picture is taken when its frame is on screen. Run it from anywhere:
#
#     assets/make-playing.sh [PROGRAM]      without PROGRAM, the one that cargo builds
set -euo pipefail

program=${1:-}
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# Every second of the frames, of which the sample has 30 a second.
step=2
rate=15
pictures=150
width=800
quality=${PLAYING_QUALITY:-70}

# The position as the window's title has it: seconds of a clip shorter than a minute.
position() {
    tell title
    sed -n 's/.* — 0:\([0-9.]*\) .*/\1/p' <<<"$answer"
}

# A range of the luminance histogram, from the bright half to its end, taken in twelve pictures; then let go.
begin_brush=36 end_brush=48 drop_brush=72
from_x=985 to_x=1245 y=640
# Equalized at the right of a divider.
adjust=84 restore=132

act() { # number of the picture
    if (($1 == begin_brush)); then
        tell move $from_x $y
        tell pass 100
        tell press 1
    elif (($1 > begin_brush && $1 <= end_brush)); then
        tell move $((from_x + (to_x - from_x) * ($1 - begin_brush) / (end_brush - begin_brush))) $y
    elif (($1 == end_brush + 1)); then
        tell release 1
        tell pass 100
        tell leave
    elif (($1 == drop_brush)); then
        keys Escape
        tell pass 500
    elif (($1 == adjust || $1 == restore)); then
        keys e w
        tell pass 1000
    fi
}

open_window 1280 720 "$sample"
# The controls fade.
tell pass 3000
for number in $(seq 0 $((pictures - 1))); do
    if ((number > 0)); then
        for _ in $(seq $step); do keys period; done
    fi
    act "$number"
    tell pass 400
    millis=$(((number * step * 1000 + 15) / 30))
    wanted=$(printf '%02d.%03d' $((millis / 1000)) $((millis % 1000)))
    if [ "$(position)" != "$wanted" ]; then
        echo "the window did not come to $wanted s but to $(position) s" >&2
        exit 1
    fi
    tell save "$work/$(printf '%03d' "$number").png"
done
close_window

ffmpeg -nostdin -hide_banner -loglevel warning -y -framerate $rate -i "$work/%03d.png" \
    -vf "scale=$width:-2:flags=lanczos,format=yuv420p" -c:v libwebp_anim -loop 0 -quality "$quality" -compression_level 6 \
    "$root/assets/playing.webp"
[ -z "${KEEP:-}" ] || cp "$work"/*.png "$KEEP"
ls -l "$root/assets/playing.webp"
