# For the scripts that make pictures of the real window: a display that nobody sees, and a window on it. To be sourced with
# `program` set to the program, or empty for the one that cargo builds.
#
# Needs what scripts/setup installs: Xvfb, xdotool, ImageMagick and a software Vulkan driver.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -z "$program" ]; then
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    program=${CARGO_TARGET_DIR:-$root/target}/release/histoscope
fi
for tool in Xvfb xdotool import convert ffmpeg; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; scripts/setup installs it" >&2; exit 1; }
done

sample=$root/assets/sample.mp4
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

# open_window WIDTH HEIGHT ARGUMENTS…: a paused window of that size
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

point() { xdotool mousemove $(($1 + 5)) "$2" sleep 0.1 mousemove "$1" "$2" sleep 0.2; }

close_window() {
    xdotool key q
    wait "$viewer" || true
    viewer=
}
