#!/usr/bin/env bash
# Makes the screenshots of the README from the sample clip: the real window on a display that nobody sees.
#
# Needs what scripts/setup installs: Xvfb, xdotool, ImageMagick and a software Vulkan driver. Run it from anywhere:
#
#     assets/make-screenshots.sh [PROGRAM]      without PROGRAM, the one that cargo builds
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-}
if [ -z "$program" ]; then
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    program=$root/target/release/histoscope
fi
for tool in Xvfb xdotool import convert; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; scripts/setup installs it" >&2; exit 1; }
done

work=$(mktemp -d)
server=
viewer=
finish() {
    for process in $viewer $server; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

# The server picks a free number and writes it down when it is ready.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset 3>"$work/number" 2>/dev/null &
server=$!
read -r number <"$work/number"
export DISPLAY=:$number WGPU_BACKEND=vulkan XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work
unset WAYLAND_DISPLAY

# open WIDTH HEIGHT ARGUMENTS…: a paused window of that size
open_window() {
    local width=$1 height=$2
    shift 2
    "$program" --adapter llvmpipe --no-config --paused "$@" 2>"$work/log" &
    viewer=$!
    window=
    for _ in $(seq 200); do
        window=$(xdotool search --onlyvisible --pid "$viewer" 2>/dev/null | head -n 1 || true)
        [ -n "$window" ] && break
        sleep 0.1
    done
    [ -n "$window" ] || { cat "$work/log" >&2; exit 1; }
    xdotool windowsize "$window" "$width" "$height" windowmove "$window" 0 0 windowfocus "$window"
    sleep 1
}

# take NAME: the window as a picture under assets/
take() {
    sleep 0.7
    import -silent -window "$window" "$work/shot.png"
    convert "$work/shot.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/$1.jpg"
}

point() { xdotool mousemove $(($1 + 5)) "$2" sleep 0.1 mousemove "$1" "$2" sleep 0.2; }

close_window() {
    xdotool key q
    wait "$viewer" || true
    viewer=
}

sample=$root/assets/sample.mp4

open_window 1280 720 "$sample"
xdotool key ctrl+g sleep 0.3 type --delay 40 0:03.2
xdotool key Return sleep 2.5
point 905 235
take controls
# The pixels of the bright end of luminance.
point 1030 640
xdotool mousedown 1 mousemove 1100 640 sleep 0.1 mousemove 1200 640 sleep 0.1 mouseup 1
point 500 260
take brush
xdotool key Escape sleep 2 key question
take keys
close_window

open_window 1920 1080 "$sample"
point 960 400
xdotool key i key n key v key shift+v sleep 2.5
point 965 405
take panels
close_window

open_window 480 270 "$sample"
point 140 110
take small
close_window

# Each adjustment, with what one looks at with it.
adjusted() {
    local name=$1
    shift
    open_window 1280 720 "$sample"
    xdotool key ctrl+g sleep 0.3 type --delay 40 0:03.2
    xdotool key Return sleep 2.5 mousemove 1919 1079
    xdotool key --delay 60 "$@" sleep 5
    take "$name"
    close_window
}
adjusted equalize e w
adjusted clahe k alt+Right alt+Right w j
adjusted otsu x alt+Right alt+Right alt+Up
adjusted posterize z shift+h
adjusted low-pass u alt+Up alt+Up alt+Right alt+Right alt+Right j shift+u
open_window 1280 720 "$sample"
xdotool key ctrl+g sleep 0.3 type --delay 40 0:03.2
xdotool key Return sleep 2.5
point 900 300
xdotool key --delay 60 k u w n sleep 5
point 640 300
xdotool mousedown 1 mousemove 660 300 sleep 0.2 mousemove 680 300 sleep 0.2 mouseup 1
take adjusting
close_window
