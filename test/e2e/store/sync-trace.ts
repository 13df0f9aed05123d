// Reads an strace of a writer and judges it: was every acknowledgement preceded by a sync of the
// write-ahead log that began after the write which holds it and had completed? Was every new file
// synced, and its directory after it?

export interface SyncJudgement {
  readonly acknowledgements: number
  readonly logWrites: number
  readonly logSyncs: number
  /** Acknowledgements that left too early, or whose write was not found. */
  readonly unsynced: readonly string[]
}

interface Call {
  readonly name: string
  readonly text: string
  /** Line numbers at which the call began and had returned. */
  readonly began: number
  readonly ended: number
  readonly failed: boolean
}

/** Threads interleave: a call may begin on one line ("unfinished") and end on another. */
export function parseTrace(trace: string): Call[] {
  const open = new Map<string, { name: string; text: string; began: number }>()
  const calls: Call[] = []
  for (const [at, line] of trace.split("\n").entries()) {
    const match = /^(\d+) +(.*)$/s.exec(line)
    if (match === null) continue
    const [, thread = "", body = ""] = match
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(body)
    const name = resumed?.[1] ?? /^(\w+)\(/.exec(body)?.[1]
    if (name === undefined) continue
    if (body.endsWith("<unfinished ...>")) {
      open.set(thread, { name, text: body, began: at })
      continue
    }
    const begun = resumed === null ? undefined : open.get(thread)
    const text = `${begun?.text ?? ""}${body}`
    const failed = / = -1 [A-Z]+ /.test(body)
    calls.push({ name, text, began: begun?.began ?? at, ended: at, failed })
  }
  return calls
}

const isSync = (call: Call) => (call.name === "fsync" || call.name === "fdatasync") && !call.failed

export function judgeAcknowledgements(trace: string): SyncJudgement {
  const calls = parseTrace(trace)
  const onLog = calls.filter((call) => call.text.includes("/store.db-wal>"))
  const writes = onLog.filter((call) => call.name === "pwrite64" || call.name === "write")
  const syncs = onLog.filter(isSync)
  const unsynced: string[] = []
  let acknowledgements = 0
  for (const call of calls) {
    const ack = /^write\(1<.*"ack \d+ (\S+) (\d+)\\n"/.exec(call.text)
    if (ack === null) continue
    acknowledgements++
    const marker = `marker-${ack[1]}-${ack[2]}-`
    const write = writes.find((candidate) => candidate.text.includes(marker))
    const synced =
      write !== undefined &&
      syncs.some((sync) => sync.began > write.ended && sync.ended < call.began)
    if (!synced) unsynced.push(marker)
  }
  return { acknowledgements, logWrites: writes.length, logSyncs: syncs.length, unsynced }
}

/** Names of what was made in the directory and not synced, or whose directory was not, in time. */
export function judgeCreation(trace: string, directory: string): string[] {
  const calls = parseTrace(trace)
  const firstAck = calls.find((call) => call.text.includes('"ack '))?.began ?? 0
  const syncedBetween = (path: string, from: number) =>
    calls.some(
      (call) =>
        isSync(call) &&
        call.text.includes(`<${path}>`) &&
        call.began > from &&
        call.ended < firstAck,
    )
  const missing: string[] = []
  const parent = directory.slice(0, directory.lastIndexOf("/"))
  const made = calls.find((call) => call.name === "mkdir" && call.text.includes(`"${directory}"`))
  if (made === undefined || !syncedBetween(parent, made.ended)) missing.push("the directory itself")
  for (const file of ["store.db", "store.db-wal"]) {
    const path = `${directory}/${file}`
    const creates = (call: Call) => call.text.includes(`"${path}"`) && /O_CREAT/.test(call.text)
    const created = calls.find((call) => call.name === "openat" && creates(call))
    if (created === undefined || !syncedBetween(path, created.ended)) missing.push(file)
    if (created === undefined || !syncedBetween(directory, created.ended))
      missing.push(`the directory after ${file}`)
  }
  const named = calls.find(
    (call) => call.name.startsWith("rename") && call.text.includes(`"${directory}/identity.json"`),
  )
  const content = calls.find(
    (call) => isSync(call) && call.text.includes(`<${directory}/identity.json.partial>`),
  )
  if (named === undefined || content === undefined || content.ended > named.began)
    missing.push("identity.json")
  if (named === undefined || !syncedBetween(directory, named.ended))
    missing.push("the directory after identity.json")
  return missing
}
