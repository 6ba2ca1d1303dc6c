#!/usr/bin/env bash
# Makes playing.webp, the moving picture of the README, from the sample clip: the real window on a display that nobody sees.
#
# The window is paused and steps, and each picture is taken when its frame is on screen: a slow machine, whose software
# adapter could not play that fast, makes the same pictures. Run it from anywhere; it takes some minutes:
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
position_of() { xdotool getwindowname "$window" | sed -n 's/.* — 0:\([0-9.]*\) .*/\1/p'; }

wait_for() { # position
    for _ in $(seq 100); do
        [ "$(position_of)" = "$1" ] && { sleep 0.35; return; }
        sleep 0.05
    done
    echo "the window did not come to $1 s but to $(position_of) s" >&2
    exit 1
}

# A range of the luminance histogram, from the bright half to its end, taken in twelve pictures; then let go.
begin_brush=36 end_brush=48 drop_brush=72
from_x=985 to_x=1245 y=640
# Equalized at the right of a divider.
adjust=84 restore=132

act() { # number of the picture
    if (($1 == begin_brush)); then
        xdotool mousemove $from_x $y sleep 0.1 mousedown 1
    elif (($1 > begin_brush && $1 <= end_brush)); then
        xdotool mousemove $((from_x + (to_x - from_x) * ($1 - begin_brush) / (end_brush - begin_brush))) $y
    elif (($1 == end_brush + 1)); then
        xdotool mouseup 1 sleep 0.1 mousemove 1919 1079
    elif (($1 == drop_brush)); then
        xdotool key Escape sleep 0.5
    elif (($1 == adjust)); then
        xdotool key --delay 100 e w sleep 1
    elif (($1 == restore)); then
        xdotool key --delay 100 e w sleep 1
    fi
}

open_window 1280 720 "$sample"
xdotool mousemove 1919 1079
wait_for 00.000
# The controls fade.
sleep 3
for number in $(seq 0 $((pictures - 1))); do
    if ((number > 0)); then
        for _ in $(seq $step); do xdotool key period; done
    fi
    act "$number"
    millis=$(((number * step * 1000 + 15) / 30))
    wait_for "$(printf '%02d.%03d' $((millis / 1000)) $((millis % 1000)))"
    ffmpeg -nostdin -loglevel error -f x11grab -video_size 1280x720 -i "$DISPLAY" -frames:v 1 -update 1 \
        "$work/$(printf '%03d' "$number").png"
done
close_window

ffmpeg -nostdin -hide_banner -loglevel warning -y -framerate $rate -i "$work/%03d.png" \
    -vf "scale=$width:-2:flags=lanczos,format=yuv420p" -c:v libwebp_anim -loop 0 -quality "$quality" -compression_level 6 \
    "$root/assets/playing.webp"
[ -z "${KEEP:-}" ] || cp "$work"/*.png "$KEEP"
ls -l "$root/assets/playing.webp"
