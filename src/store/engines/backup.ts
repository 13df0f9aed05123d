// A consistent copy of a store in one file, made while the plane runs: a thread of its own copies
// one snapshot, so that writers go on. The file has its name only when it is whole and synced.

import { existsSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { storeFault } from "../faults.ts"
import type { BackupReply, BackupRequest } from "./backup-worker.ts"
import { startWorker } from "./start-worker.ts"

export interface BackupResult {
  /** Absolute. */
  readonly file: string
  readonly bytes: number
  readonly planeId: string
  /** The newest revision in it. */
  readonly revision: number
}

/** The source is a data directory, running or not, or what opening one gave. */
export async function backupStore(
  source: string | { readonly directory: string },
  file: string,
): Promise<BackupResult> {
  const target = resolve(file)
  const directory = resolve(typeof source === "string" ? source : source.directory)
  if (existsSync(target)) throw storeFault("SPT-STORE-030", { file, cause: "it exists already" })
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  const workerData: BackupRequest = { directory, target, partial }
  const worker = startWorker("backup-worker", import.meta.url, workerData)
  const reply = await new Promise<BackupReply>((done) => {
    const failed = (cause: string) => done({ kind: "failed", cause })
    worker.once("message", done)
    worker.once("error", (error) => failed(error.message))
    worker.once("exit", () => failed("the copying thread ended early"))
  })
  if (reply.kind === "failed") {
    rmSync(partial, { force: true })
    throw storeFault("SPT-STORE-030", { file, cause: reply.cause })
  }
  const { bytes, planeId, revision } = reply
  return { file: target, bytes, planeId, revision }
}
