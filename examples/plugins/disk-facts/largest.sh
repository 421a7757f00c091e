#!/usr/bin/env bash
set -euo pipefail
input=$(cat)
count=10
[[ $input =~ \"count\":\ *([0-9]+) ]] && count=${BASH_REMATCH[1]}
cd "$KARYI_WORKSPACE"
find . -type f -not -path './.git/*' -printf '%s %P\n' | sort -k1,1nr -k2 | sed "${count}q"
