#!/usr/bin/env bash
# Counts an archive of video with GNU parallel: one Parquet dataset of all frames, and a table of what failed.
#
#     parallel_archive.sh /films dataset                                # this machine, a job a core
#     parallel_archive.sh list.txt dataset --sshloginfile hosts.txt     # options of parallel stand behind
#
# The dataset has the form of dask_archive.py's. All machines see this script, archive and dataset under the same names, and
# have the same histoscope, and ffprobe. However it ended, the same command goes on: histoscope's own --resume finds what is
# done, and counts a file anew that is no longer the same. OPTIONS are those of analyze (OPTIONS='--bins --engine cpu'), and
# SHARE_SECS is the length of the shares of long files (600).
set -euo pipefail

script=$(realpath -- "${BASH_SOURCE[0]}")
export DATASET=${DATASET:-} VERSION=${VERSION:-} OPTIONS=${OPTIONS:-} SHARE_SECS=${SHARE_SECS:-600}
check='told=$(histoscope --version) && ffprobe -version >/dev/null && echo "$told" | head -n 2'

# ---- What a job does -----------------------------------------------------------------------------------------------------

# Twelve hexadecimal digits that tell files of one name in several folders from each other.
key() { # file
  printf %s "$1" | sha1sum | cut -c -12
}

target() { # file
  local name=${1##*/}
  name=${name%.*}
  echo "$DATASET/frames/${name:0:60}-$(key "$1").parquet"
}

# The jobs that a file takes, a line each: the file, the number of the share, where it begins and ends, its length in seconds.
units() { # file
  local secs=0 shares first
  [[ $1 == *$'\t'* ]] || secs=$(ffprobe -v error -show_entries format=duration -of csv=p=0 -- "$1" 2>/dev/null) || true
  secs=${secs%%.*}
  [[ $secs =~ ^[0-9]+$ ]] || secs=0
  shares=$(((secs + SHARE_SECS / 2) / SHARE_SECS))
  if ((secs * 2 < SHARE_SECS * 3)) || [[ -e $(target "$1") ]]; then
    printf '%s\t-\t0\tend\t%s\n' "$1" "$secs"
    return
  fi
  for ((first = 0; first < shares - 1; first++)); do
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$first" $((first * SHARE_SECS)) $(((first + 1) * SHARE_SECS)) "$SHARE_SECS"
  done
  # The last one goes to the end, wherever that is.
  printf '%s\t%s\t%s\tend\t%s\n' "$1" "$first" $((first * SHARE_SECS)) $((secs - first * SHARE_SECS))
}

# Runs histoscope, and says what came of it: nothing, or why the file cannot be counted. It fails where the machine is to blame.
histoscope_says() { # arguments...
  local said code=0
  [[ $(bash -c "$check" 2>&1) == "$VERSION" ]] || { echo "$HOSTNAME has another histoscope, or none" >&2; return 1; }
  said=$(histoscope "$@" 2>&1 >/dev/null) || code=$?
  ((code <= 1)) && [[ $said != *'cannot be written'* ]] || { echo "$HOSTNAME: $said" >&2; return 1; }
  ((code == 0)) || tail -n 1 <<<"${said#histoscope: }"
}

# Counts a file, or a share of it, into that output.
count() { # file, output, arguments...
  local file=$1 output=$2 before said
  shift 2
  before=$(stat -L -c '%s %y' -- "$file" 2>&1) || true
  said=$(histoscope_says analyze "$file" -q --resume -o "$output" "$@" $OPTIONS) || return
  if [[ $said == *'or of another file'* ]]; then
    rm -f -- "$output" "$output".*.part
    said=$(histoscope_says analyze "$file" -q -o "$output" "$@" $OPTIONS) || return
  fi
  [[ $(stat -L -c '%s %y' -- "$file" 2>&1) == "$before" ]] || {
    rm -f -- "$output"
    echo "$file changed while it was counted" >&2
    return 1
  }
  printf %s "$said"
}

# Writes down why a file failed, or that it did not.
conclude() { # file, reason
  local note=$DATASET/work/failed-$(key "$1") kept=no
  [[ -e $(target "$1") ]] && kept=yes
  rm -f -- "$note"
  [[ -z $2 ]] || printf '"%s","%s",%s\n' "${1//\"/\"\"}" "${2//\"/\"\"}" "$kept" >"$note"
}

# A whole file, or a share. A share that fails leaves nothing, and its file is counted in one run when shares are joined.
unit() { # file, number of the share, begin, end
  local reason span=(--from "$3" --to "$4") share=$DATASET/work/$(key "$1")-$2.parquet
  [[ $4 != end ]] || span=(--from "$3")
  if [[ $2 == - ]]; then
    reason=$(count "$1" "$(target "$1")") || return
    conclude "$1" "$reason"
  else
    reason=$(count "$1" "$share" "${span[@]}") || return
    [[ -z $reason ]] || rm -f -- "$share"
  fi
}

# Joins a file's shares. They stay where the machine is to blame that they were not joined.
join() { # file, number of shares
  local shares=() number said
  for ((number = 0; number < $2; number++)); do
    shares+=("$DATASET/work/$(key "$1")-$number.parquet")
  done
  said=$(histoscope_says merge "${shares[@]}" -o "$(target "$1")") || return
  if [[ -z $said ]]; then
    rm -f -- "${shares[@]}"
    conclude "$1" ''
  else
    unit "$1" - 0 end
  fi
}

case ${1:-} in
--units | --unit | --join)
  "${1#--}" "${@:2}"
  exit
  ;;
esac

# ---- What the machine does on which it was called --------------------------------------------------------------------------

(($# >= 2)) || { echo "usage: ${0##*/} ARCHIVE DATASET [OPTIONS OF PARALLEL]" >&2; exit 2; }
archive=$(realpath -- "$1") DATASET=$(realpath -m -- "$2")
shift 2
VERSION=$(bash -c "$check" 2>&1) || { echo "histoscope and ffprobe must be in PATH: $VERSION" >&2; exit 1; }

about=$(printf '%s\n' "$archive" "$VERSION" "$OPTIONS" "$SHARE_SECS")
if [[ -e $DATASET && $(cat -- "$DATASET/run.txt" 2>/dev/null) != "$about" ]]; then
  echo "$DATASET is there already, and not of this run; name another folder, or give the same options" >&2
  exit 1
fi
mkdir -p -- "$DATASET/frames" "$DATASET/work"
printf '%s\n' "$about" >"$DATASET/run.txt"
work=$DATASET/work

jobs=(parallel --env DATASET --env VERSION --env OPTIONS --env SHARE_SECS --colsep '\t' "$@")
if [[ -d $archive ]]; then
  find -L "$archive" -type f -regextype posix-extended \
    -iregex '.*\.(avi|flv|m2ts|m4v|mkv|mov|mp4|mpg|mxf|ogv|ts|webm|wmv|y4m)' | sort >"$work/files"
else
  sort -u -- "$archive" | sed '/^$/d' >"$work/files"
fi
"${jobs[@]}" --keep-order "$script" --units {1} :::: "$work/files" >"$work/units"
begin=$SECONDS failed=0
# A job that a machine is to blame for is tried three times, on another machine where there is one.
"${jobs[@]}" --retries 3 --joblog "$work/log" ${PROGRESS:---eta} "$script" --unit {1} {2} {3} {4} :::: "$work/units" || failed=$?
cut -f 1,2 "$work/units" | grep -v $'\t-$' | cut -f 1 | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2\t\1/' >"$work/long" || true
"${jobs[@]}" --retries 3 "$script" --join {1} {2} :::: "$work/long" || failed=$?

{
  echo path,reason,frames_kept
  find "$work" -name 'failed-*' -exec cat -- {} + | sort
} >"$DATASET/failures.csv"
awk -F '\t' -v took=$((SECONDS - begin)) '{ secs += $5 }
  END { printf "%.2f h of video, %.1f h an hour\n", secs / 3600, secs / (took ? took : 1) }' "$work/units"
echo "$(wc -l <"$work/files") files, $(($(wc -l <"$DATASET/failures.csv") - 1)) failed; the slowest jobs, in seconds:"
sort -t $'\t' -k 4 -n -r "$work/log" | awk -F '\t' 'NR <= 5 { print $4 "\t" $9 }'
# What a machine is to blame for is not done: the same command goes on with it.
((failed == 0)) && rm -r -- "$work"
(($(wc -l <"$DATASET/failures.csv") == 1 && failed == 0))
