# initd.sh: a client and worker library for initd, for POSIX shells on Linux. It needs only initctl.
#
#   . ./initd.sh
#
# README.md has the reference. Names that begin with _initd_ and the descriptors 7 to 9 are the library's own.
# shellcheck shell=sh

# Set in the environment of a run, by initd_serve; processes that a run starts must not take it for theirs.
_initd_is_run=${INITD_SHELL_RUN-}
unset INITD_SHELL_RUN
# A run begins in the directory where the script began.
_initd_start=$PWD
_initd_declared=
_initd_names=' '
_initd_is_wrong=
_initd_function=
_initd_is_cooperative=
_initd_is_cancelled=

# --- The client

_initd_ctl() { "${INITCTL:-initctl}" --connect-timeout "${INITD_CONNECT_TIMEOUT:-30s}" "$@"; }

_initd_complain() { printf 'initd.sh: %s\n' "$*" >&2; }

# initd_status [--json]: prints the status.
initd_status() { _initd_ctl status "$@"; }

# initd_wait [TARGET...] [--timeout DURATION]: waits for ready, launch, active, composite, or an initializer.
initd_wait() { _initd_ctl wait "$@"; }

# initd_launch, initd_activate, initd_deactivate [--wait] [--timeout DURATION]
initd_launch() { _initd_ctl launch "$@"; }
initd_activate() { _initd_ctl activate "$@"; }
initd_deactivate() { _initd_ctl deactivate "$@"; }

# initd_watch [TOPIC...]: prints a snapshot and then each event, as a line of JSON. The watch continues with the next supervisor.
initd_watch() { _initd_ctl watch --json --reconnect "$@"; }

# initd_hold COMMAND [ARGUMENT...]: holds the app active while a program or a function runs, which starts once the app is ready.
initd_hold() {
  if [ $# -eq 0 ]; then
    _initd_complain 'initd_hold needs a command, e.g. initd_hold ./batch-job'
    return 64
  fi
  case $1 in
  */*) _initd_ctl run -- "$@" ;;
  *) # For a function, command -v prints only its name.
    if [ "$(command -v -- "$1")" = "$1" ]; then _initd_hold_function "$@"; else _initd_ctl run -- "$@"; fi ;;
  esac
}

# The hold belongs to a process that ends when we write a line, or when we end for any reason: both end its standard input.
_initd_hold_function() {
  _initd_pipes=$(mktemp -d "${TMPDIR:-/tmp}/initd-hold.XXXXXX") || return
  mkfifo "$_initd_pipes/begun" "$_initd_pipes/end" || return
  exec 7<>"$_initd_pipes/begun" 8<>"$_initd_pipes/end"
  {
    _initd_ctl run -- sh -c 'echo begun; read -r _ || :'
    echo $?
  } <"$_initd_pipes/end" >"$_initd_pipes/begun" 7>&- 8>&- &
  read -r _initd_answer <&7
  rm -rf "$_initd_pipes"
  if [ "$_initd_answer" != begun ]; then
    exec 7>&- 8>&-
    return "$_initd_answer"
  fi
  "$@" 7>&- 8>&-
  set -- $?
  echo >&8
  # Released: the supervisor has answered.
  read -r _initd_answer <&7
  exec 7>&- 8>&-
  return "$1"
}

# --- The worker

# initd_initializer NAME [OPTION...] FUNCTION: declares that FUNCTION runs NAME. README.md has the options.
initd_initializer() {
  _initd_name=${1-}
  _initd_fields=
  _initd_dependencies=
  _initd_retry=
  _initd_takes_charge=
  case $_initd_name in
  '' | *[!A-Za-z0-9._:/@+-]*) _initd_refuse "it can't be a name" || return ;;
  esac
  case $_initd_names in
  *" $_initd_name "*) _initd_refuse 'it is declared twice; remove one of them' || return ;;
  esac
  _initd_names="$_initd_names$_initd_name "
  shift
  while [ $# -gt 1 ]; do
    case $1 in
    --optional | --secret) _initd_fields="$_initd_fields${1#--}: true, " && shift ;;
    --per-process) _initd_fields="${_initd_fields}perProcess: true, " && shift ;;
    --cooperative) _initd_takes_charge=1 && shift ;;
    --*)
      _initd_option "$1" "$2" || return
      shift 2
      ;;
    *) break ;;
    esac
  done
  if [ $# -ne 1 ]; then _initd_refuse 'write initd_initializer NAME [OPTION...] FUNCTION' || return; fi
  if ! command -v -- "$1" >/dev/null; then _initd_refuse "there is no function $1; define it first" || return; fi
  if [ -n "$_initd_dependencies" ]; then
    _initd_fields="${_initd_fields}dependencies: [${_initd_dependencies%, }], "
  fi
  if [ -n "$_initd_retry" ]; then _initd_fields="${_initd_fields}retry: { ${_initd_retry%, } }, "; fi
  _initd_declared="$_initd_declared  \"$_initd_name\": { $_initd_fields
"
  if [ "$_initd_name" = "${INITD_INITIALIZER-}" ]; then
    _initd_function=$1
    _initd_is_cooperative=$_initd_takes_charge
  fi
}

# Reads an option of initd_initializer that has a value. The supervisor checks the value; here, only quotes and the like are refused.
_initd_option() {
  case $2 in
  '' | *[!A-Za-z0-9._:/@+-]*)
    if [ "$1" != --description ]; then _initd_refuse "$1 can't be \"$2\"" || return; fi
    ;;
  esac
  case $1 in
  --priority | --timeout) _initd_fields="$_initd_fields${1#--}: \"$2\", " ;;
  --description) _initd_fields="${_initd_fields}description: $(_initd_quote "$2"), " ;;
  --dependency) _initd_dependencies="$_initd_dependencies\"$2\", " ;;
  --retry) _initd_retry="${_initd_retry}attempts: $2, " ;;
  --retry-delay) _initd_retry="${_initd_retry}delay: \"$2\", " ;;
  --retry-factor) _initd_retry="${_initd_retry}factor: $2, " ;;
  --retry-max-delay) _initd_retry="${_initd_retry}maxDelay: \"$2\", " ;;
  *) _initd_refuse "unknown option $1" ;;
  esac
}

# Refuses a wrong declaration: prints the reason, and keeps initd_serve from serving.
_initd_refuse() {
  _initd_complain "cannot declare \"$_initd_name\": $1"
  _initd_is_wrong=1
  return 64
}

# initd_serve [OPTION...]: registers all declared initializers, and runs their functions when the supervisor asks for them, until SIGTERM or
# SIGINT. The options are those of initctl worker. It doesn't return: initctl replaces this shell.
initd_serve() {
  if initd_in_run; then _initd_perform; fi
  if [ -n "$_initd_is_wrong" ]; then return 64; fi
  if [ -z "$_initd_declared" ]; then
    _initd_complain 'nothing is declared; write initd_initializer NAME FUNCTION before initd_serve'
    return 64
  fi
  _initd_command=$(_initd_own_command) || return
  _initd_manifest=$(printf %s "$_initd_declared" | while IFS= read -r _initd_line; do
    printf '%scommand: %s }\n' "$_initd_line" "$_initd_command"
  done)
  cd "$_initd_start" || return
  exec "${INITCTL:-initctl}" worker --config - --progress-prefix=::initd \
    --connect-timeout "${INITD_CONNECT_TIMEOUT:-8760h}" "$@" <<END
version: 1
environment: { INITD_SHELL_RUN: "1" }
initializers:
$_initd_manifest
END
}

# initd_in_run: succeeds in a run, which has started the script again, and fails in the worker itself.
initd_in_run() { [ -n "$_initd_is_run" ]; }

# Prints the command line of this script, as a list for the manifest: a run starts the script again.
_initd_own_command() {
  _initd_words=
  _initd_script=
  _initd_newline=$(printf '\001')
  while IFS= read -r _initd_word; do
    if [ -z "$_initd_script" ] && [ -n "$_initd_words" ] && [ "$_initd_word" = "$0" ]; then
      case $0 in
      /*) _initd_script=$0 ;;
      *) _initd_script=$_initd_start/$0 ;;
      esac
      _initd_word=$_initd_script
    fi
    _initd_words="$_initd_words, $(_initd_quote "$_initd_word" | sed "s/$_initd_newline/\\\\n/g")"
  done <<END
$(LC_ALL=C tr '\000\n' '\n\001' <"/proc/$$/cmdline")
END
  if [ ! -r "$_initd_script" ]; then
    _initd_complain 'cannot serve: this shell runs no script file; write a file, and run it'
    return 64
  fi
  printf '[%s]' "${_initd_words#, }"
}

# Prints a text in double quotes, for a manifest.
_initd_quote() { printf '"%s"' "$(printf '%s\n' "$1" | sed 's/[\\"]/\\&/g; $!s/$/\\n/' | tr -d '\n')"; }

# --- A run

# Runs the function of this run, and exits with its status.
_initd_perform() {
  # Reports go to the worker, even if the function redirects its output.
  exec 9>&1
  if [ -z "$_initd_function" ]; then initd_fail "$0 declares no function for ${INITD_INITIALIZER-}"; fi
  if [ -n "$_initd_is_cooperative" ]; then
    trap '_initd_is_cancelled=1' TERM
  else
    trap '_initd_is_cancelled=1; exit 143' TERM
  fi
  "$_initd_function"
  exit
}

# Writes a report to the worker; outside of a run this has no effect.
_initd_report() {
  if initd_in_run; then printf '::initd %s\n' "$(printf %s "$*" | tr '\n' ' ')" >&9; fi
}

# initd_progress FRACTION [MESSAGE]: reports progress, from 0 to 1.
initd_progress() {
  if [ $# -eq 0 ]; then set -- ''; fi
  case ${1#-} in
  '' | . | *[!0-9.]* | *.*.*)
    _initd_complain "initd_progress: \"${1-}\" isn't a fraction; write a number from 0 to 1"
    return 64
    ;;
  0 | 0.* | .*) _initd_fraction=${1#-} ;;
  *) _initd_fraction=1 ;;
  esac
  case $1 in -*) _initd_fraction=0 ;; esac
  shift
  _initd_report progress "$_initd_fraction" "$@"
}

# initd_message MESSAGE: reports the current step.
initd_message() { _initd_report message "${1-}"; }

# initd_extend DURATION: moves the deadline of this run to this time from now.
initd_extend() {
  case ${1-} in
  '' | [!0-9]* | *[!0-9.dhms]*)
    _initd_complain "initd_extend: \"${1-}\" isn't a duration; write e.g. 30s or 5m"
    return 64
    ;;
  esac
  _initd_report extend "$1"
}

# initd_output [--secret] VALUE: sets the output for dependents: JSON, otherwise a text.
initd_output() {
  if [ "${1-}" = --secret ]; then
    _initd_report secret
    shift
  fi
  printf '%s\n' "${1-}" >"${INITD_OUTPUT:-/dev/stdout}"
}

# initd_input [--json] NAME: prints the output of a dependency. Fails if it has none.
initd_input() {
  _initd_suffix=
  if [ "${1-}" = --json ]; then
    _initd_suffix=_JSON
    shift
  fi
  _initd_variable=INITD_INPUT_$(printf %s "$1" | LC_ALL=C tr '[:lower:]' '[:upper:]' | LC_ALL=C tr -c A-Z0-9 _)$_initd_suffix
  if ! eval "[ -n \"\${$_initd_variable+set}\" ]"; then
    _initd_complain "initd_input: $1 has no output, or isn't a dependency of ${INITD_INITIALIZER-this program}"
    return 1
  fi
  eval "printf '%s\\n' \"\$$_initd_variable\""
}

# initd_inputs: prints the JSON object of all inputs.
initd_inputs() { if [ -n "${INITD_INPUTS-}" ]; then cat "$INITD_INPUTS"; else echo '{}'; fi; }

# initd_fail MESSAGE [STATUS]: ends the run as failed, with this reason.
initd_fail() {
  if initd_in_run; then _initd_report fail "${1:-failed without a message}"; else _initd_complain "${1-}"; fi
  exit "${2:-1}"
}

# initd_cancelled: succeeds if this run was cancelled. Only a cooperative function continues after that.
initd_cancelled() { [ -n "$_initd_is_cancelled" ]; }

# initd_shield COMMAND [ARGUMENT...]: runs a command until it ends, even if the run is cancelled in the meantime.
initd_shield() { (trap '' TERM && "$@"); }
