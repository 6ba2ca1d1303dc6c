#!/usr/bin/env bash
# Makes the pictures of the README and the manual from the sample clip: a snapshot, and the window. Run it from anywhere:
#
#     assets/make-screenshots.sh [PROGRAM]      without PROGRAM, the one that cargo builds
set -euo pipefail

program=${1:-}
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# take NAME: the window as a picture under assets/
take() {
    tell pass 700
    tell save "$work/shot.png"
    convert "$work/shot.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/$1.jpg"
}

"$program" snapshot "$sample" --adapter llvmpipe --at 3.2 -o "$root/assets/snapshot.png" >/dev/null

"$program" snapshot "$sample" --adapter llvmpipe --at 3 --scopes histogram,waveform,parade,vectorscope -o "$work/wall.png" >/dev/null
convert "$work/wall.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/wall.jpg"

# A photograph in Histoscope, and beside it FFmpeg's histograms of red, green and blue.
photograph=$root/assets/learn-coffee.png
"$program" snapshot "$photograph" --adapter llvmpipe --size 768x512 -o "$work/ours.png" >/dev/null
ffmpeg -v error -y -i "$work/ours.png" -i "$photograph" -frames:v 1 -filter_complex "
[1:v]format=gbrp,histogram=display_mode=stack:level_height=170:scale_height=0,pad=264:512:8:1:gray,format=rgb24[other];
[0:v]format=rgb24[ours];[ours][other]hstack" "$work/beside.png"
convert "$work/beside.png" -sampling-factor 4:4:4 -quality 86 "$root/assets/learn-beside.jpg"

open_window 1280 720 "$sample"
go_to 0:03.2
point 905 235
take controls
# The pixels of the bright end of luminance.
point 1030 640
drag 1030 640 1100 640 1200 640
point 500 260
take brush
# The sheet is whole in a window that is a little higher.
tell resize 1280 960
keys Escape
tell pass 2000
keys question
take keys
close_window

open_window 1920 1080 "$sample"
point 960 400
keys i n v shift+v
tell pass 2500
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
    go_to 0:03.2
    keys "$@"
    tell pass 5000
    take "$name"
    close_window
}
adjusted equalize e w
adjusted clahe k alt+Right alt+Right w j
adjusted otsu x alt+Right alt+Right alt+Up
adjusted posterize z shift+h
adjusted low-pass u alt+Up alt+Up alt+Right alt+Right alt+Right j shift+u
# A log clip as coded, and mapped. The sample becomes light by a gamma of 2.4, in BT.709's primaries. The matrix is that of BT.709
# to S-Gamut3.Cine, the curve S-Log3.
light="65535*pow(val/65535,2.4)"
log="65535/1023*if(gte(val/65535,0.01125),420+261.5*log((val/65535+0.01)/0.19)/log(10),95+val/65535*76.21029469/0.01125)"
gamut=rr=0.64568:rg=0.25911:rb=0.09521:gr=0.08753:gg=0.75970:gb=0.15277:br=0.03696:bg=0.12928:bb=0.83376
ffmpeg -v error -ss 3.2 -i "$sample" -frames:v 1 -vf "
format=gbrp16le,lutrgb=r='$light':g='$light':b='$light',colorchannelmixer=$gamut,lutrgb=r='$log':g='$log':b='$log',
scale=out_color_matrix=bt709:out_range=full,format=yuv422p10le" -colorspace bt709 -color_range pc -c:v ffv1 "$work/log.mkv"
open_window 960 540 "$work/log.mkv"
tell pass 3000
point 480 300
take log-coded
keys shift+z
tell pass 5000
point 480 300
take log-mapped
close_window

open_window 1280 720 "$sample"
go_to 0:03.2
point 900 300
keys k u w n
tell pass 5000
point 640 300
drag 640 300 660 300 680 300
take adjusting
close_window
