#!/bin/sh
# Answers one hook of another agent: through the resident process where one listens, else by starting Karyi.
#   sh hook.sh NODE HOME AGENT before|after [MODE]   (the payload on stdin)
# Ends with 0 or 2 and nothing else: with anything other some agent would let the call run.
node=$1 home=$2 agent=$3 when=$4 mode=${5-}
karyi=${0%/*}/karyi.js
payload=$(cat)

# An agent must not run what was not judged. What is done already is only not written down.
refuse() {
  [ "$when" = after ] && exit 0
  case ${LC_ALL:-${LC_MESSAGES:-${LANG-}}} in
    zh*) echo 'Karyi 未能判断此调用，已拒绝。' >&2 ;;
    *) echo 'Karyi could not judge this call; it is refused.' >&2 ;;
  esac
  exit 2
}

resident=
if command -v curl >/dev/null 2>&1; then
  resident=--resident
  if [ -f "$home/run/hook.curl" ]; then
    answer=$(
      cd "$home/run" &&
        printf '%s\000' "$agent" "$when" "$mode" "${CLAUDE_PROJECT_DIR-}" "${CLAUDE_CODE_SHELL-}" "${HOME-}" "${TMPDIR-}" \
          "${PATH-}" "${KARYI_MODE-}" "${KARYI_DURABILITY-}" "$payload" |
        curl -q -K hook.curl --data-binary @- 2>/dev/null
    )
    # The exit code of curl, then the first character of the answer.
    case $?$answer in
      00*) printf '%s' "${answer#0}" && exit 0 ;;
      02*) printf '%s\n' "${answer#2}" >&2 && exit 2 ;;
      03*) resident= ;;
      28*) refuse ;;
    esac
  fi
fi

printf '%s' "$payload" | "$node" "$karyi" hook "$agent" --home "$home" --when "$when" ${mode:+--mode "$mode"} $resident
case $? in
  0) exit 0 ;;
  2) exit 2 ;;
  *) refuse ;;
esac
