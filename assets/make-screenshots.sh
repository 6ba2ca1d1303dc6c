#!/usr/bin/env bash
# Makes the pictures of the README and the manual from the sample clip: a snapshot, and the real window on a display that
# nobody sees. Run it from anywhere:
#
#     assets/make-screenshots.sh [PROGRAM]      without PROGRAM, the one that cargo builds
set -euo pipefail

program=${1:-}
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# take NAME: the window as a picture under assets/
take() {
    sleep 0.7
    import -silent -window "$window" "$work/shot.png"
    convert "$work/shot.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/$1.jpg"
}

"$program" snapshot "$sample" --adapter llvmpipe --at 3.2 -o "$root/assets/snapshot.png" >/dev/null

"$program" snapshot "$sample" --adapter llvmpipe --at 3 --scopes histogram,waveform,parade,vectorscope -o "$work/wall.png" >/dev/null
convert "$work/wall.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/wall.jpg"

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
# The sheet is whole in a window that is a little higher.
xdotool windowsize "$window" 1280 960
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
