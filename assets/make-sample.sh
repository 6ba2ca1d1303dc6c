#!/usr/bin/env bash
# Makes sample.mp4 with nothing but FFmpeg's own sources and filters.
#
#     assets/make-sample.sh [OUTPUT]
#
# A lake at dusk. Three lights, one red, one green and one blue, drift over the water and mix where they meet, so that
# the three colour histograms part and cross. The exposure of the whole view rises and falls once in the ten seconds, so
# that all four histograms slide together. Over it stand colour bars and a grey wedge that never change: they are the
# peaks that hold their place. Everything has a period of ten seconds, so the clip loops without a seam.
#
# The same FFmpeg and x264 make the same file, byte for byte, on every run. It takes a few minutes.
set -euo pipefail

out=${1:-"$(dirname "${BASH_SOURCE[0]}")/sample.mp4"}

# Preview aid: fewer frames a second make the same moments in less time.
rate=${SAMPLE_RATE:-30}

# ---- The view, in linear light -------------------------------------------------------------------------------------
# Coordinates: x is 0 in the middle and 0.89 at the right edge, y is 0 at the top and 1 at the bottom, both in units of
# the picture's height. The water begins at 0.60 and mirrors what is above it, shaken by two trains of waves that get
# denser towards the shore. `w` is one turn in ten seconds.
#   registers: 0 w, 1 x, 2 height above the water (0 at the shore), 3 depth into the water (0 at the shore, 1 at the
#   bottom, 0 above the shore), 4 the waves
place="st(0,2*PI*T/10)"
place+=";st(1,(X-W/2)/H)"
place+=";st(3,max(0,(Y/H-0.60)/0.40))"
place+=";st(4,if(gt(ld(3),0),sin(15/(ld(3)+0.25)+9*ld(1)+8*ld(0))+0.7*sin(23/(ld(3)+0.27)-17*ld(1)+13*ld(0))))"
place+=";st(1,ld(1)+0.008*(0.3+ld(3))*ld(4))"
place+=";st(2,abs(0.60-Y/H)*if(gt(ld(3),0),0.95,1)+0.020*(0.25+ld(3))*ld(4)*gt(ld(3),0))"
place+=";st(2,max(0,ld(2)))"

# The sky is a floor of night, a broad violet band and a narrow band of afterglow that is strongest in the middle and
# wanders a little; the weights of red, green and blue differ, and they drift against each other in time.
sky() { # floor, phase, violet, afterglow
  printf '(%s+(1+0.5*sin(ld(0)+%s))*(%s*exp(-ld(2)/0.30)+%s*exp(-ld(2)/0.085)/(1+1.6*pow(ld(1)-0.25*sin(ld(0)),2))))' "$@"
}

# A light: a bright core in a wide halo. `q` is the squared distance in units of the core's radius.
light() { # x, y above the water, radius squared, weight
  printf '+%s*(st(5,(pow(ld(1)-(%s),2)+pow(ld(2)-(%s),2))/%s);2.6/(1+pow(ld(5),2))+0.42/(1+0.11*ld(5)))' "$4" "$1" "$2" "$3"
}
red_at=("0.52*sin(ld(0)+0.4)" "0.27+0.12*sin(2*ld(0)+0.4)" 0.0019)
green_at=("0.50*sin(ld(0)+2.5)" "0.29+0.12*sin(2*ld(0)+2.5)" 0.0017)
blue_at=("0.54*sin(ld(0)+4.6)" "0.28+0.12*sin(2*ld(0)+4.6)" 0.0021)

# Water gives back a part of the light; exposure swings a good stop up and down; a film-like shoulder keeps the
# lights from burning out at once, and the last step is the gamma that codes are made with.
channel() { # sky term, weight of each light in this channel, share that the water gives back
  local scene
  scene="$1$(light "${red_at[@]}" "$2")$(light "${green_at[@]}" "$3")$(light "${blue_at[@]}" "$4")"
  printf '%s;65535*pow(1-exp(-pow(2,0.20+1.15*sin(ld(0)))*(%s)*if(gt(ld(3),0),%s*(1+0.10*ld(4))*(1-0.6*ld(3)),1)),1/2.2)' \
    "$place" "$scene" "$5"
}
red=$(channel "$(sky 0.008 5.6 0.085 1.25)" 1.0 0.02 0.05 0.50)
green=$(channel "$(sky 0.012 1.4 0.036 0.42)" 0.05 0.75 0.12 0.56)
blue=$(channel "$(sky 0.035 3.6 0.130 0.12)" 0.04 0.09 1.35 0.66)

# ---- What stands still ---------------------------------------------------------------------------------------------
# Two ridges along the far shore and their mirror images, as a factor for the view: a far one in haze, a near one almost
# black. Each is a sum of waves; distances are in pixels of 1280x720, so that edges are sharp to the pixel.
ridge="st(0,abs(Y-432))"
ridge+=";st(1,26+13*sin(X/97+0.6)+8*sin(X/41+2.1)+5*sin(X/19+0.3)+2*sin(X/7.3)+34*pow((X-640)/640,2))"
ridge+=";st(2,3+26*pow(abs(X-700)/640,1.6)+6*sin(X/83+1.1)+4*sin(X/29+4)+1.6*sin(X/5.1)+1.2*sin(X/2.7+1))"
ridge+=";st(3,clip(ld(1)-ld(0)+0.5,0,1));st(4,clip(ld(2)-ld(0)+0.5,0,1))"
factor() { printf '%s;65535*(1-ld(3)*(1-%s))*(1-ld(4)*(1-%s))' "$ridge" "$1" "$2"; }

# The strip along the top, as wide as the two histograms and above them: 75 % bars over the colours, eleven equal steps
# from black to white over the luminance. It stands over the view, so it gets a mask of its own.
bar="st(0,floor((X-32)/576*7))"
in_bars='between(X,32,607)'
in_wedge='between(X,672,1247)'
wedge='floor((X-672)/576*11)/10'
strip() { # expression of the bar's component, 0 or 1
  printf '%s;65535*if(%s,0.75*(%s),if(%s,%s,0))' "$bar" "$in_bars" "$1" "$in_wedge" "$wedge"
}
strip_red=$(strip 'eq(ld(0),0)+eq(ld(0),1)+eq(ld(0),4)+eq(ld(0),5)')
strip_green=$(strip 'lt(ld(0),4)')
strip_blue=$(strip 'eq(ld(0),0)+eq(ld(0),2)+eq(ld(0),4)+eq(ld(0),6)')
mask="65535*between(Y,24,55)*($in_bars+$in_wedge)"

one_frame="nullsrc=s=1280x720:r=$rate,trim=end_frame=1"
hold="loop=loop=-1:size=1:start=0"
# The view is soft everywhere, so a quarter of the pixels is enough and the upscaler does the rest.
graph="
nullsrc=s=640x360:r=$rate:d=10,format=gbrp16le,geq=r='$red':g='$green':b='$blue',scale=1280:720:flags=bicubic+accurate_rnd[view];
$one_frame,format=gbrp16le,geq=r='$(factor 0.42 0.10)':g='$(factor 0.40 0.12)':b='$(factor 0.55 0.18)',${hold}[ridges];
$one_frame,format=gbrp16le,geq=r='$strip_red':g='$strip_green':b='$strip_blue',${hold}[strip];
$one_frame,format=gbrp16le,geq=r='$mask':g='$mask':b='$mask',${hold}[mask];
[view][ridges]blend=all_mode=multiply:shortest=1[scene];
[scene][strip][mask]maskedmerge,trim=duration=10,
scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd+full_chroma_int,format=yuv420p,
setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709[out]
"

# One encoder thread, because the number of threads changes what x264 writes.
ffmpeg -nostdin -hide_banner -loglevel warning -stats -y \
  -filter_complex "$graph" -map '[out]' \
  -c:v libx264 -profile:v high -preset slow -crf "${SAMPLE_CRF:-17}" -x264-params threads=1:keyint=60 \
  -pix_fmt yuv420p -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 \
  -map_metadata -1 -fflags +bitexact -flags:v +bitexact -movflags +faststart "$out"
