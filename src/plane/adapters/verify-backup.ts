// Whether a backup could be restored: looks at every row, the identity and every journal, and
// changes nothing.

import { statSync } from "node:fs"
import { resolve } from "node:path"
import { startWorker } from "../../store/engines/start-worker.ts"
import { storeFault } from "../../store/faults.ts"
import type { VerifiedBackup, VerifyReply } from "./verify-backup-worker.ts"

export async function verifyBackup(file: string): Promise<VerifiedBackup> {
  const path = resolve(file)
  requireFile(path)
  const worker = startWorker("verify-backup-worker", import.meta.url, path)
  const reply = await new Promise<VerifyReply>((done) => {
    const failed = (cause: string) => done({ kind: "bad", cause })
    worker.once("message", done)
    worker.once("error", (error) => failed(error instanceof Error ? error.message : String(error)))
    worker.once("exit", () => failed("the verifying thread ended early"))
  })
  if (reply.kind === "bad") throw storeFault("SPT-STORE-033", { file, cause: reply.cause })
  const { planeId, revision, counts, journals } = reply
  return { planeId, revision, counts, journals }
}

function requireFile(file: string): void {
  const refuse = (cause: string) => storeFault("SPT-STORE-033", { file, cause })
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts === undefined) throw refuse("there is no such file")
  if (!facts.isFile()) throw refuse("it is not a file")
  if (facts.size === 0) throw refuse("it is empty")
}
