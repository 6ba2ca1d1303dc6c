#!/usr/bin/env bash
# Counts an archive of video with GNU parallel: one Parquet dataset of all frames, and a table of failures.
#
#     parallel_archive.sh /films dataset                                # this machine, one job per core
#     parallel_archive.sh list.txt dataset --sshloginfile hosts.txt     # further options go to parallel
#
# The dataset has the same form as that of dask_archive.py. All machines need the same histoscope, ffprobe, and this script,
# archive and dataset under the same paths. After an interruption, run the same command again: histoscope's --resume finds
# what is done, and counts changed files again. OPTIONS are options of analyze (OPTIONS='--bins --engine cpu'). SHARE_SECS is
# the length of the shares of long files (600).
set -euo pipefail

script=$(realpath -- "${BASH_SOURCE[0]}")
export DATASET=${DATASET:-} VERSION=${VERSION:-} OPTIONS=${OPTIONS:-} SHARE_SECS=${SHARE_SECS:-600}
check='version=$(histoscope --version) && ffprobe -version >/dev/null && echo "$version" | head -n 2'

# ---- Jobs ----------------------------------------------------------------------------------------------------------------

# Twelve hexadecimal digits that distinguish files of the same name in different folders.
key() { # file
  printf %s "$1" | sha1sum | cut -c -12
}

target() { # file
  local name=${1##*/}
  name=${name%.*}
  echo "$DATASET/frames/${name:0:60}-$(key "$1").parquet"
}

# The jobs of a file, one per line: file, number of the share, its start and end, its length in seconds.
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
  # The last share extends to the end of the file.
  printf '%s\t%s\t%s\tend\t%s\n' "$1" "$first" $((first * SHARE_SECS)) $((secs - first * SHARE_SECS))
}

# Runs histoscope and prints why the file cannot be counted, if so. Fails if the machine is the reason.
histoscope_says() { # arguments...
  local said code=0
  [[ $(bash -c "$check" 2>&1) == "$VERSION" ]] || { echo "$HOSTNAME has another histoscope, or none" >&2; return 1; }
  said=$(histoscope "$@" 2>&1 >/dev/null) || code=$?
  ((code <= 1)) && [[ $said != *'cannot be written'* ]] || { echo "$HOSTNAME: $said" >&2; return 1; }
  ((code == 0)) || tail -n 1 <<<"${said#histoscope: }"
}

# Counts a file, or a share of it, into an output file.
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

# Records the reason why a file failed, or deletes the record if it did not.
conclude() { # file, reason
  local note=$DATASET/work/failed-$(key "$1") kept=no
  [[ -e $(target "$1") ]] && kept=yes
  rm -f -- "$note"
  [[ -z $2 ]] || printf '"%s","%s",%s\n' "${1//\"/\"\"}" "${2//\"/\"\"}" "$kept" >"$note"
}

# Counts a whole file, or a share. A share that fails leaves nothing; its file is counted in one run when the shares are joined.
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

# Joins a file's shares. If the machine is the reason for a failure, the shares stay.
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

# ---- The calling machine -------------------------------------------------------------------------------------------------

(($# >= 2)) || { echo "usage: ${0##*/} ARCHIVE DATASET [OPTIONS OF PARALLEL]" >&2; exit 2; }
archive=$(realpath -- "$1") DATASET=$(realpath -m -- "$2")
shift 2
VERSION=$(bash -c "$check" 2>&1) || { echo "histoscope and ffprobe must be in PATH: $VERSION" >&2; exit 1; }

about=$(printf '%s\n' "$archive" "$VERSION" "$OPTIONS" "$SHARE_SECS")
if [[ -e $DATASET && $(cat -- "$DATASET/run.txt" 2>/dev/null) != "$about" ]]; then
  echo "$DATASET exists and belongs to another run; name another folder, or use the same options" >&2
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
# A job that failed because of its machine is tried three times, on another machine if there is one.
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
# Jobs that failed because of a machine remain; running the command again continues with them.
((failed == 0)) && rm -r -- "$work"
(($(wc -l <"$DATASET/failures.csv") == 1 && failed == 0))
