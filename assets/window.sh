# For the scripts that make pictures of the window: the program with a window that nobody sees, which does what it is told. Time passes
# in it by `pass` and `settle` alone. To be sourced with `program` set to the program, or empty for the one that cargo builds; it needs
# the feature `test-hooks`.
#
# Needs what scripts/setup installs: ImageMagick, ffmpeg and a software Vulkan driver.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -z "$program" ]; then
    cargo build --quiet --release --locked --features test-hooks --manifest-path "$root/Cargo.toml"
    program=${CARGO_TARGET_DIR:-$root/target}/release/histoscope
fi
for tool in convert ffmpeg; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; scripts/setup installs it" >&2; exit 1; }
done

sample=$root/assets/sample.mp4
work=$(mktemp -d)
viewer_PID=
finish() {
    [ -z "${viewer_PID:-}" ] || kill "$viewer_PID" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
export WGPU_BACKEND=vulkan XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work
unset DISPLAY WAYLAND_DISPLAY

# tell COMMAND…: has the program do something; what it answers is in `answer`
tell() {
    printf '%s\n' "$*" >&"$commands"
    if ! read -r answer <&"$answers" || [ "${answer%% *}" != ok ]; then
        echo "'$*' was not done: $answer" >&2
        tail -n 3 "$work/log" >&2
        exit 1
    fi
    answer=${answer#ok}
    answer=${answer# }
}

# open_window WIDTH HEIGHT ARGUMENTS…: a paused window of that size
open_window() {
    local width=$1 height=$2
    shift 2
    coproc viewer { HISTOSCOPE_SCRIPT=driven exec "$program" --adapter llvmpipe --no-config --paused "$@" 2>"$work/log"; }
    answers=${viewer[0]} commands=${viewer[1]}
    tell resize "$width" "$height"
    tell pass 1000
}

# keys NAME…: presses keys one after the other
keys() {
    local name
    for name in "$@"; do
        tell key "$name"
        tell pass 60
    done
}

# drag X Y X Y…: presses the button at the first place, moves the pointer over the others and lets go
drag() {
    tell move "$1" "$2"
    tell press 1
    shift 2
    while [ $# -gt 0 ]; do
        tell move "$1" "$2"
        tell pass 200
        shift 2
    done
    tell release 1
    tell pass 100
}

# point X Y: rests the pointer there
point() {
    tell move $(($1 + 5)) "$2"
    tell pass 100
    tell move "$1" "$2"
    tell pass 200
}

# go_to TIME: shows the frame of that time, until the note of it has gone
go_to() {
    keys ctrl+g
    tell type "$1"
    keys Return
    tell pass 3000
}

close_window() {
    echo key q >&"$commands"
    wait "$viewer_PID" || true
    viewer_PID=
}
