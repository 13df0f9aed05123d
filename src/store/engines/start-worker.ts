// Starts a thread of our own: from the module beside the one that asks, or from the text that the
// single executable holds.

import { Worker } from "node:worker_threads"
import { moduleBeside, partText } from "../../base/parts.ts"

/** NAME-worker: its module lies beside `base`, the module that asks. */
export function startWorker(name: string, base: string, workerData: unknown): Worker {
  const text = partText(`workers/${name}.js`)
  if (text !== undefined) return new Worker(text, { eval: true, workerData })
  return new Worker(moduleBeside(name, base), { workerData })
}
