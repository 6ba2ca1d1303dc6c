#!/usr/bin/env bash
# Makes the pictures of the lab for the manual: the window with each method once, of which the panel is cut out, the pages before the
# methods, the drawing of bars, and prefix sums and a blur. Times are those of the machine that it runs on. Run it from anywhere:
#
#     assets/make-lab-pictures.sh [PROGRAM]     without PROGRAM, the one that cargo builds
set -euo pipefail

program=${1:-}
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# take NAME [GEOMETRY]: the window, or a part of it, as a small picture under assets/
take() {
    tell save "$work/shot.png"
    convert "$work/shot.png" ${2:+-crop "$2" +repage} -dither None -colors 128 -strip \
        -define png:compression-level=9 "PNG8:$root/assets/$1.png"
}

# keys_with_time NAME SECONDS…: presses each key and lets so much time pass
keys_with_time() {
    while [ $# -gt 0 ]; do
        tell key "$1"
        tell pass "${2}000"
        shift 2
    done
}

# Opens the lab with its diagram paused at the first step. Methods and pages of a topic stand at the same step.
open_lab() {
    open_window 1280 720 --start 3.2 "$sample"
    tell pass 2000
    keys_with_time shift+l 0 shift+d 0
}

# Of the methods, the third step: the race has lost its counts then.
open_lab
keys_with_time alt+Next 0 alt+Prior 1 '>' 0 '>' 0 shift+Up 1 shift+Up 0
for method in scalar single race atomics sum pairwise shared subgroup ours-gpu ours-cpu; do
    # Each has counted the frame often enough then for its times to settle.
    tell pass 9000
    take "lab-$method" 642x404+629+73
    if [ "$method" = race ]; then take lab; fi
    if [ "$method" = shared ]; then
        keys_with_time ctrl+u 0 ctrl+u 3
        take lab-code
        tell key ctrl+u
    fi
    tell key shift+Down
done
close_window

# The pages before the methods, and the columns of a drawing.
open_lab
keys_with_time alt+Prior 0 '>' 0 '>' 0 '>' 9
take lab-by-hand 642x356+629+73
keys_with_time shift+Down 0 '<' 9
take lab-ids 642x358+629+73
keys_with_time shift+Down 0 '<' 9
take lab-barrier 642x366+629+73
keys_with_time alt+Prior 0 shift+Down 0 '>' 9
take lab-drawing 642x404+629+73
close_window

# Of the other topics: Hillis and Steele's last step, a tree in the middle of its way up in the whole window, where all of it
# has room, and the blurred picture with tiles and their halo.
open_lab
keys_with_time alt+Next 0 '>' 0 '>' 0 '>' 0 '>' 9
take lab-hillis-steele 642x404+629+73
keys_with_time shift+Down 0 ctrl+u 6
take lab-prefix-sum
keys_with_time ctrl+u 0 ctrl+u 0 alt+Next 0 shift+Down 0 '>' 0 '>' 0 '>' 5
take lab-tiles 642x404+629+73
# A blurred picture has too many colours for a small one.
tell save "$work/shot.png"
convert "$work/shot.png" -strip -quality 86 "$root/assets/lab-blur.jpg"
close_window
