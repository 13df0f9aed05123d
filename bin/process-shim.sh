#!/bin/sh
# Looks after one program: writes down which process it became before it runs, waits for it, and
# writes down how it ended. It stays when the plane goes. Nothing it is given is interpreted: the
# program and its arguments are passed on as they came. Everything is read before anything runs,
# since an upgrade may replace this file meanwhile.
#
#   process-shim.sh watch DIRECTORY RUN BOOT MV LN SETSID LOG CWD FILES KBYTES PROGRAM [ARGUMENT...]
#
# DIRECTORY/run.N  "PID STARTTIME BOOT SHIM SHIMSTART": made by link, so only one run N can begin.
# DIRECTORY/end.N  "UPTIME": when it ended; who was in its session by then is its own.
# DIRECTORY/exit.N "CODE": 128 and the signal's number when a signal ended it.

# The program's environment is this shell's: variables have names that nothing else has.
start_time() {
  read -r _setpoint_stat < "/proc/$1/stat" || return 1
  # The name in parentheses may hold anything; what follows the last one are plain numbers.
  set -- ${_setpoint_stat##*) }
  _setpoint_start=${20}
}

begin() {
  _setpoint_directory=$1 _setpoint_run=$2 _setpoint_boot=$3 _setpoint_ln=$5 _setpoint_setsid=$6
  _setpoint_log=$7 _setpoint_cwd=$8 _setpoint_files=$9
  shift 9
  _setpoint_kbytes=$1
  shift
  exec >> "$_setpoint_log" 2>&1
  start_time $PPID || exit 125
  _setpoint_shim="$PPID $_setpoint_start"
  start_time $$ || exit 125
  _setpoint_claim="$_setpoint_directory/.run.$_setpoint_run.$$"
  printf '%s %s %s %s\n' $$ "$_setpoint_start" "$_setpoint_boot" "$_setpoint_shim" \
    > "$_setpoint_claim" || exit 125
  "$_setpoint_ln" "$_setpoint_claim" "$_setpoint_directory/run.$_setpoint_run" || exit 125
  [ "$_setpoint_files" = - ] || ulimit -n "$_setpoint_files" || exit 125
  [ "$_setpoint_kbytes" = - ] || ulimit -d "$_setpoint_kbytes" || exit 125
  cd -- "$_setpoint_cwd" || exit 126
  exec "$_setpoint_setsid" "$@"
}

watch() {
  # Only the program is told to stop; the shim stays to say how it ended.
  trap : HUP INT QUIT TERM USR1 USR2 PIPE ALRM
  /bin/sh "$0" begin "$@"
  _setpoint_code=$?
  read -r _setpoint_uptime _setpoint_rest < /proc/uptime
  # Nothing began, or somebody else's run did: then there is no end to write down.
  read -r _setpoint_pid _setpoint_start _setpoint_boot _setpoint_shim _setpoint_rest \
    < "$1/run.$2" || exit 1
  [ "$_setpoint_shim" = $$ ] || exit 1
  printf '%s\n' "$_setpoint_uptime" > "$1/end.$2"
  printf '%s\n' "$_setpoint_code" > "$1/.exit.$2.$$" && "$4" -f "$1/.exit.$2.$$" "$1/exit.$2"
}

main() {
  case $1 in
    begin) shift; begin "$@" ;;
    watch) shift; watch "$@" ;;
  esac
  exit
}

main "$@"
