# The library alone: initctl is replaced by a script that writes down what it gets.
# shellcheck shell=sh disable=SC2317,SC2329 # Tests are called by their names.
# shellcheck source=clients/shell/tests/lib.sh
. "$(dirname "$0")/lib.sh"

# Creates an initctl that writes its arguments and its input to files.
fake_initctl() {
  cat >fake <<'END'
#!/bin/sh
printf '%s\n' "$@" >arguments
cat >input
END
  chmod +x fake
  export INITCTL="$PWD/fake"
}

test_requests_are_those_of_initctl() {
  fake_initctl
  . "$root/initd.sh"
  initd_status --json </dev/null
  equal status '--connect-timeout 10s status --json' "$(paste -sd' ' arguments)"
  initd_wait ready --timeout 5s </dev/null
  equal wait '--connect-timeout 10s wait ready --timeout 5s' "$(paste -sd' ' arguments)"
  initd_watch pass </dev/null
  equal watch '--connect-timeout 10s watch --json --reconnect pass' "$(paste -sd' ' arguments)"
  initd_hold ./job 'a b' </dev/null
  equal hold '--connect-timeout 10s run -- ./job a b' "$(paste -sd' ' arguments)"
}

test_declarations_become_a_manifest() {
  fake_initctl
  script 'my worker' <<'END'
f() { :; }
initd_initializer plain f
initd_initializer a --priority appActive --dependency plain --dependency b:c --timeout 30s --retry 3 --retry-delay 1s \
  --retry-factor 1.5 --retry-max-delay 9s --optional --per-process --secret --description 'it'"'"'s "a" \ thing' f
initd_serve --status-fd 3
END
  with_shell './my worker' 'x "y"' 'two
lines'
  equal arguments 'worker --config - --progress-prefix=::initd --connect-timeout 10s --status-fd 3' "$(paste -sd' ' arguments)"
  contains "$(cat input)" "$(printf '"%s/./my worker", "x \\"y\\"", "two\\nlines"]' "$PWD")"
  contains "$(cat input)" '"plain": { command: ['
  contains "$(cat input)" '"a": { priority: "appActive", timeout: "30s", optional: true, perProcess: true, secret: true, description: "it'"'"'s \"a\" \\ thing", dependencies: ["plain", "b:c"], retry: { attempts: 3, delay: "1s", factor: 1.5, maxDelay: "9s" }, command: ['
}

# refused MESSAGE DECLARATION: initd_initializer and initd_serve refuse it.
refused() {
  script worker <<END
f() { :; }
$2 && echo declared
initd_serve
echo "status \$?"
END
  found=$(with_shell ./worker 2>&1)
  contains "$found" "$1"
  contains "$found" 'status 64'
}

test_wrong_declarations_are_refused() {
  fake_initctl
  refused "can't be a name" 'initd_initializer "a b" f'
  refused 'there is no function g; define it first' 'initd_initializer a g'
  refused 'declared twice' 'initd_initializer a f; initd_initializer a f'
  refused 'unknown option --timeot' 'initd_initializer a --timeot 5s f'
  refused "--timeout can't be" "initd_initializer a --timeout '5s, x' f"
  refused 'write initd_initializer NAME' 'initd_initializer a'
  refused 'nothing is declared' ':'
  [ ! -e arguments ] || fail 'initctl was started'
}

test_a_shell_without_a_script_cannot_serve() {
  # shellcheck disable=SC2016 # It is for the other shell.
  found=$(with_shell -c '. "$1"; f() { :; }; initd_initializer a f; initd_serve; echo "status $?"' sh "$root/initd.sh" 2>&1)
  contains "$found" 'runs no script file'
  contains "$found" 'status 64'
}

test_a_run_starts_its_function_and_has_its_status() {
  script worker <<'END'
f() { echo "f of $INITD_INITIALIZER"; return 3; }
g() { echo "g with $1"; }
initd_initializer a f
initd_initializer b g
initd_serve
END
  found=$(in_run a ./worker)
  equal 'its status' 3 $?
  equal 'its output' 'f of a' "$found"
  in_run b ./worker >/dev/null || fail 'b failed'
  found=$(in_run c ./worker)
  equal 'an unknown one' 1 $?
  contains "$found" '::initd fail'
}

test_reports_go_to_the_worker() {
  script worker <<'END'
f() {
  {
    initd_progress 0.5 'half
of it'
    initd_progress 50
    initd_message 'the rest'
    initd_extend 30s
    initd_output --secret hunter2
  } >/dev/null
  for wrong in 'progress half' 'progress 1.2.3' 'extend soon' 'extend -5' extend; do
    # shellcheck disable=SC2086 # Two words.
    if initd_$wrong 2>/dev/null; then initd_fail "$wrong was taken"; fi
  done
  initd_fail 'no "fraction"' 7
}
initd_initializer a f
initd_serve
END
  found=$(in_run a ./worker)
  equal status 7 $?
  equal reports '::initd progress 0.5 half of it
::initd progress 1
::initd message the rest
::initd extend 30s
::initd secret
::initd fail no "fraction"' "$found"
  equal output hunter2 "$(cat output)"
}

test_outside_of_a_run_reports_do_nothing() {
  . "$root/initd.sh"
  equal progress '' "$(initd_progress 0.5 half 2>&1)"
  equal output 5 "$(initd_output 5)"
  contains "$( (initd_fail why) 2>&1)" 'initd.sh: why'
}

test_inputs_are_found_by_name() {
  . "$root/initd.sh"
  export INITD_INPUT_PICK_PORT=8080 INITD_INPUT_A_B_JSON='"x"' INITD_INPUT_EMPTY=
  equal plain 8080 "$(initd_input pick-port)"
  equal json '"x"' "$(initd_input --json a.b)"
  initd_input empty >/dev/null || fail 'an empty input is one'
  contains "$(initd_input other 2>&1 && echo found)" 'other has no output, or isn'
}

test_a_run_passes_its_mark_to_no_other_process() {
  script worker <<'END'
f() { env; }
initd_initializer a f
initd_serve
END
  if in_run a ./worker | grep INITD_SHELL_RUN; then fail 'a nested worker would take itself for a run'; fi
}

# Starts a run of `a` in a group of its own, and sends SIGTERM to the group once it has written the file `begun`.
cancel() {
  # shellcheck disable=SC2086 # The shell is one or two words.
  INITD_SHELL_RUN=1 INITD_INITIALIZER=a setsid $TEST_SHELL ./worker >found 2>/dev/null &
  echo $! >pids
  until_done test -e begun
  kill -TERM "-$!"
  if [ -p go ]; then echo >go; fi
  wait $!
}

test_a_cancel_ends_a_function() {
  script worker <<'END'
f() {
  trap 'echo tidied' EXIT
  : >begun
  sleep 600
  echo 'it went on'
}
initd_initializer a f
initd_serve
END
  cancel
  equal status 143 $?
  equal output tidied "$(cat found)"
}

test_a_cooperative_function_ends_itself() {
  script worker <<'END'
f() {
  until initd_cancelled; do : >begun; sleep 0.05; done
  echo tidied
  return 5
}
initd_initializer a --cooperative f
initd_serve
END
  cancel
  equal status 5 $?
  equal output tidied "$(cat found)"
}

test_a_shielded_command_runs_to_its_end() {
  mkfifo go
  script worker <<'END'
f() {
  # shellcheck disable=SC2016
  initd_shield sh -c ': >begun; read -r _ <go; echo whole'
  echo 'it went on'
}
initd_initializer a f
initd_serve
END
  cancel
  equal status 143 $?
  equal output whole "$(cat found)"
}

run_all
