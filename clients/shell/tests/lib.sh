# Helpers of the tests: each function test_… of a file is a test, in a directory of its own.
# shellcheck shell=sh
root=$(cd "$(dirname "$0")/.." && pwd)
export INITD_CONNECT_TIMEOUT=10s

# Fails the test.
fail() {
  echo "FAILED $test: $*" >&2
  exit 1
}

# equal WHAT EXPECTED FOUND
equal() { [ "$2" = "$3" ] || fail "$1: expected $2, found $3"; }

# contains TEXT PART
contains() {
  case $1 in
  *"$2"*) ;;
  *) fail "expected $2 in: $1" ;;
  esac
}

# until_done COMMAND...: repeats the command until it succeeds.
until_done() {
  tries=0
  until "$@" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "not within 15 s: $*"
    sleep 0.05
  done
}

# script NAME: writes a script, from standard input, that has the library.
script() {
  {
    printf '#!/bin/sh\n. %s/initd.sh\n' "$root"
    cat
  } >"$1"
  chmod +x "$1"
}

# Starts a script with the shell of this test.
# shellcheck disable=SC2086 # The shell is one or two words.
with_shell() { $TEST_SHELL "$@"; }

# in_run NAME SCRIPT: starts a script as the worker would start it for a run.
in_run() {
  run=$1
  shift
  INITD_SHELL_RUN=1 INITD_INITIALIZER=$run INITD_OUTPUT=$PWD/output with_shell "$@"
}

# Runs the tests of a file.
run_all() {
  count=0
  # shellcheck disable=SC2013 # A name is a word.
  for test in $(sed -n 's/^\(test_[a-z_]*\)() .*/\1/p' "$0"); do
    directory=$(mktemp -d)
    (
      cd "$directory" || exit
      trap 'clean' EXIT
      "$test"
    ) || exit 1
    rm -rf "$directory"
    count=$((count + 1))
  done
  echo "$count passed"
}

# Ends the processes that a test has started.
clean() {
  # shellcheck disable=SC2046 # Each process is a word.
  kill $(cat pids 2>/dev/null) 2>/dev/null
  wait
}
