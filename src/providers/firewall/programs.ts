// The fixed programs that the firewall kind runs. Everything that varies comes in as an argument or
// on standard input, never as a part of a program's text. The change, the check right before it and
// the watchdog are one program, so that they live on when the plane does not.

/** What `nft -f -` can't do with a socket it can do with a pipe. */
const load = "cat | nft -j -f -"

/** family, table: loads what comes in where nothing else is, and says how nft keeps it. */
export const normalProgram = `${load} && nft -j list table "$1" "$2"`

/** Ends with whoever started it, also when that one was killed: its input ends then. */
export const monitorProgram = `
exec 3<&0
nft -j monitor < /dev/null & monitor=$!
(cat <&3 > /dev/null; kill $monitor) 2>/dev/null > /dev/null &
wait $monitor
`

export const exits = {
  stale: 10,
  refused: 11,
  noWatchdog: 12,
  tooLate: 13,
  notRestored: 14,
  noWayBack: 15,
} as const

/** seconds, pending file, place of the outcome, ready file. Whoever moves the file away decides. */
const watchdog = `
: > "$4"
left=$(($1 * 5))
while [ "$left" -gt 0 ]; do
  [ -e "$2" ] || exit 0
  sleep 0.2
  left=$((left - 1))
done
mv "$2" "$3.restoring" 2>/dev/null || exit 0
if nft -j -f "$3.restoring"; then mv "$3.restoring" "$3.restored"
else mv "$3.restoring" "$3.failed"; fi
`

/** What nobody decided on for longer than any confirmation takes has lost its watchdog. */
const pendingMaxSeconds = 90

/**
 * family, table, expected token ("" = none is there), folder, key, seconds (0 = no watchdog), bytes
 * of the old rules at the beginning of the input; the rest of the input is the change. Says on its
 * output which file to move away to keep the change. Nothing is changed by any end but 0.
 * What nft would not take back is not changed where the old rules may have to come back.
 * A change that waits for its proof hands its old rules on, and they come back when the next one
 * can't be made; a change that asks for no proof ends the waiting.
 */
export const applyProgram = `
umask 077
stale=${exits.stale} refused=${exits.refused} none=${exits.noWatchdog}
pending= taken=
drop() {
  [ -n "$pending" ] || return
  [ -z "$taken" ] || nft -j -f "$pending"
  rm -f "$pending.new" "$pending"
}
if [ "$6" -gt 0 ]; then
  mkdir -p "$4" || exit $none
  pending="$4/$5.pending.$$.$(date +%s%N)"
  head -c "$7" > "$pending.new" || exit $none
  nft -c -j -f "$pending.new" || { drop; exit ${exits.noWayBack}; }
else head -c "$7" > /dev/null; fi
change=$(cat)
printf '%s' "$change" | nft -c -j -f - || { drop; exit $refused; }
if [ -n "$3" ]; then
  now=$(nft -j list table "$1" "$2" | sed -E -e 's/"packets": [0-9]+, "bytes": [0-9]+//g' \\
    -e 's/"expires": [0-9]+//g' | sha256sum | cut -c 1-64)
  [ "$now" = "$3" ] || { drop; exit $stale; }
fi
for old in "$4/$5".pending.*; do
  [ -e "$old" ] && [ "$old" != "$pending.new" ] || continue
  if [ -z "$pending" ] || [ "\${old%.new}" != "$old" ]; then rm -f "$old"; continue; fi
  age=$((($(date +%s%N) - \${old##*.}) / 1000000000))
  if [ "$age" -gt ${pendingMaxSeconds} ]; then rm -f "$old"
  else mv "$old" "$pending.new" && taken=1; fi
done
if [ -n "$pending" ]; then
  mv "$pending.new" "$pending" || exit $none
  ready="$4/$5.ready.$$"
  setsid sh -c '${watchdog.replaceAll("'", "'\\''")}' \\
    setpoint-watchdog "$6" "$pending" "$4/$5" "$ready" < /dev/null > /dev/null 2>&1 &
  tries=500
  while [ ! -e "$ready" ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { drop; exit $none; }
    sleep 0.01
  done
  rm -f "$ready"
fi
if printf '%s' "$change" | nft -j -f -; then printf '%s' "$pending"
else drop; exit $refused; fi
`

/** pending file. */
export const confirmProgram = `rm "$1" 2>/dev/null || exit ${exits.tooLate}`

/** pending file, place of the outcome. */
export const restoreProgram = `
mv "$1" "$2.restoring" 2>/dev/null || exit ${exits.tooLate}
nft -j -f "$2.restoring" || exit ${exits.notRestored}
mv "$2.restoring" "$2.restored"
`

/** "tcp" address port, or "http" url; then milliseconds. Tries until it succeeds or time is up. */
export const probeProgram = `
const [kind, ...rest] = process.argv.slice(1)
const end = Date.now() + Number(rest.at(-1))
const left = () => Math.max(100, Math.min(1000, end - Date.now()))
const tcp = () => new Promise((resolve) => {
  const socket = require("node:net").connect({ host: rest[0], port: Number(rest[1]) })
  const finish = (ok) => { socket.destroy(); resolve(ok) }
  socket.setTimeout(left(), () => finish(false))
  socket.on("connect", () => finish(true)).on("error", () => finish(false))
})
const http = () => fetch(rest[0], { redirect: "manual", signal: AbortSignal.timeout(left()) })
  .then(({ status }) => status < 400, () => false)
const attempt = async () => {
  if (await (kind === "tcp" ? tcp() : http())) process.exit(0)
  if (Date.now() >= end) process.exit(1)
  setTimeout(attempt, 100)
}
attempt()
`
