#!/usr/bin/env bash
# Makes the pictures of the lab for the manual: the real window on a display that nobody sees, with each method once, of which the
# panel is cut out, and prefix sums and a blur. Times are those of the machine that it runs on. Run it from anywhere:
#
#     assets/make-lab-pictures.sh [PROGRAM]     without PROGRAM, the one that cargo builds
set -euo pipefail

program=${1:-}
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# take NAME [GEOMETRY]: the window, or a part of it, as a small picture under assets/
take() {
    import -silent -window "$window" "$work/shot.png"
    convert "$work/shot.png" ${2:+-crop "$2" +repage} -dither None -colors 128 -strip \
        -define png:compression-level=9 "PNG8:$root/assets/$1.png"
}

open_window 1280 720 --start 3.2 "$sample"
xdotool mousemove 1919 1079 sleep 2 key shift+l sleep 1 key shift+Up sleep 1 key shift+Up
for method in scalar single race atomics sum pairwise shared subgroup ours-gpu ours-cpu; do
    # Each has counted the frame often enough then for its times to settle.
    sleep 9
    take "lab-$method" 436x500+834+10
    if [ "$method" = race ]; then take lab; fi
    xdotool key shift+Down
done

# Of the other topics: a tree in the middle of its way down, and the blurred picture with tiles and their halo.
open_window 1280 720 --start 3.2 "$sample"
xdotool mousemove 1919 1079 sleep 2 key shift+l sleep 1 key alt+Next sleep 3 key shift+Down sleep 6
take lab-prefix-sum 436x530+834+10
xdotool key shift+Up sleep 4
take lab-hillis-steele 436x530+834+10
xdotool key alt+Next sleep 3 key shift+Down sleep 5
take lab-tiles 436x530+834+10
# A blurred picture has too many colours for a small one.
import -silent -window "$window" "$work/shot.png"
convert "$work/shot.png" -strip -quality 86 "$root/assets/lab-blur.jpg"
close_window
