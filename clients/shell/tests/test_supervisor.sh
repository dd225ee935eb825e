# With a supervisor, if $INITD names the program.
# shellcheck shell=sh disable=SC2317,SC2329 # Tests are called by their names.
# shellcheck source=clients/shell/tests/lib.sh
. "$(dirname "$0")/lib.sh"

# Starts a supervisor, and takes the library's functions.
supervise() {
  export INITD_SOCKET="$PWD/initd.sock"
  "$INITD" --log-level error "$@" 2>>log &
  supervisor=$!
  echo $! >>pids
  . "$root/initd.sh"
}

# Whether the status, as JSON, has a text.
status_has() { initd_status --json | grep -q "$1"; }

# Starts the script ./worker.
serve() {
  # shellcheck disable=SC2086 # The shell is one or two words.
  $TEST_SHELL ./worker >>out 2>>err &
  worker=$!
  echo $! >>pids
}

test_runs_report_and_pass_on_outputs() {
  supervise --activate
  script worker <<'END'
pick_port() {
  initd_progress 0.5 'half of it'
  initd_output 8080
}
serve() {
  initd_input pick-port >port.new
  mv port.new port
}
initd_initializer pick-port pick_port
initd_initializer serve --priority appActive --dependency pick-port serve
initd_serve
END
  # initctl ends when its reader has gone; a kill of the function's own subshell would leave it behind.
  initd_watch initializer | cat >events &
  echo $! >>pids
  until_done grep -q snapshot events
  serve
  initd_wait serve --appear --timeout 10s || fail "$(cat err)"
  equal port 8080 "$(cat port)"
  until_done grep -q '"fraction":0.5,"message":"half of it"' events
}

test_a_failure_has_its_message_and_is_retried() {
  supervise --no-launch
  script worker <<'END'
flaky() { [ "$INITD_ATTEMPT" = 2 ] || initd_fail 'no such "table"'; }
broken() { initd_fail 'no space left'; }
initd_initializer flaky --retry 2 --retry-delay 10ms flaky
initd_initializer broken --dependency flaky broken
initd_serve
END
  serve
  until_done status_has '"name":"broken"'
  initd_launch --wait --timeout 10s 2>failure
  equal status 1 $?
  contains "$(cat failure)" 'no space left'
  initd_wait flaky || fail 'it was not retried'
}

test_a_cancel_ends_a_run() {
  supervise --activate
  script worker <<'END'
f() {
  trap 'echo >tidied' EXIT
  echo >begun
  sleep 600
}
initd_initializer a --priority appActive f
initd_serve
END
  serve
  until_done test -e begun
  initd_deactivate --wait --timeout 10s 2>/dev/null
  [ -e tidied ] || fail 'its trap was not run'
}

test_a_worker_unregisters_on_a_signal() {
  supervise
  script worker <<'END'
f() { echo >begun; sleep 600; }
initd_initializer a f
initd_serve
END
  serve
  until_done test -e begun
  kill -TERM "$worker"
  wait "$worker" || fail "exit status $?: $(cat err)"
  if status_has '"name":"a"'; then fail 'it is still registered'; fi
}

test_a_worker_is_registered_again_after_a_loss() {
  supervise
  script worker <<'END'
f() { echo >>runs; }
initd_initializer a f
initd_serve
END
  serve
  initd_wait a --appear --timeout 10s
  kill -KILL "$supervisor"
  wait "$supervisor"
  supervise
  initd_wait a --appear --timeout 10s || fail "$(cat err)"
  equal runs 2 "$(wc -l <runs | tr -d ' ')"
}

test_a_hold_is_a_scope() {
  supervise
  seen=
  note() {
    seen="$1 $(initd_status --json | sed 's/.*"lifecycle":"\([a-z]*\)".*/\1/')"
    return 4
  }
  initd_hold note 'in the scope'
  equal status 4 $?
  equal 'in the scope' 'in the scope active' "$seen"
  status_has '"lifecycle":"inactive"' || fail 'the hold is not released'
  # shellcheck disable=SC2016 # It is for the other shell.
  initd_hold sh -c 'exit 5'
  equal 'status of a program' 5 $?
}

test_a_hold_ends_with_its_shell() {
  supervise
  # shellcheck disable=SC2016 # It is for the other shell.
  # shellcheck disable=SC2086
  $TEST_SHELL -c '. "$1"; f() { echo >begun; sleep 600; }; initd_hold f' sh "$root/initd.sh" &
  echo $! >>pids
  until_done test -e begun
  kill -KILL $!
  until_done status_has '"lifecycle":"inactive"'
}

test_a_hold_of_an_app_that_fails_runs_nothing() {
  supervise
  script worker <<'END'
f() { return 1; }
initd_initializer a --priority appActive f
initd_serve
END
  serve
  until_done status_has '"name":"a"'
  f() { echo >ran; }
  initd_hold f 2>/dev/null
  equal status 1 $?
  [ ! -e ran ] || fail 'it ran'
}

if [ -n "${INITD-}" ]; then run_all; else echo '0 passed'; fi
