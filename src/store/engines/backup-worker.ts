// Copies one snapshot of a store into a file, in its own thread. Ends after one copy.

import { chmodSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { revisionOf } from "../engine.ts"
import { createPrivateFile, syncPath } from "./private-files.ts"
import { openSnapshot } from "./snapshot.ts"
import { readMeta } from "./sqlite-schema.ts"

export interface BackupRequest {
  readonly directory: string
  readonly target: string
  readonly partial: string
}

export type BackupReply =
  | {
      readonly kind: "done"
      readonly bytes: number
      readonly planeId: string
      readonly revision: number
    }
  | { readonly kind: "failed"; readonly cause: string }

function copy({ directory, target, partial }: BackupRequest): BackupReply {
  createPrivateFile(partial)
  const snapshot = openSnapshot(directory)
  snapshot.db.prepare("VACUUM INTO ?").run(partial)
  snapshot.db.close()
  if (!snapshot.stillValid()) return { kind: "failed", cause: "a plane started; try again" }
  chmodSync(partial, 0o600)
  // What is told is read from the copy, so the copy can be read.
  const made = new DatabaseSync(partial, { readOnly: true })
  const { planeId, compacted } = readMeta(made)
  const newest = Number(made.prepare("SELECT max(place) AS place FROM rows").get()?.place ?? 0)
  made.close()
  syncPath(partial)
  renameSync(partial, target)
  syncPath(dirname(target))
  const revision = Math.max(compacted, revisionOf(newest))
  return { kind: "done", bytes: statSync(target).size, planeId, revision }
}

let reply: BackupReply
try {
  reply = copy(workerData as BackupRequest)
} catch (error) {
  reply = { kind: "failed", cause: error instanceof Error ? error.message : String(error) }
}
parentPort?.postMessage(reply)
