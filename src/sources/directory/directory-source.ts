// A folder of manifests as a source. A read answers with the whole folder as it stood at one
// moment, or with the reason why not: two equal looks at the tree enclose the reading of the files,
// and a tree that changed in the last moments is looked at again first. Never a part of it.

import { KeyedLock } from "../../base/async.ts"
import { sleep } from "../../base/clock.ts"
import { toFault } from "../../base/faults.ts"
import { protects } from "../../base/protections.ts"
import type { Source, SourceIssue, SourceSnapshot } from "../../contract/source.ts"
import { sourceIssue } from "../manifests/issue.ts"
import { isChanging } from "./scan-tree.ts"
import { type DirectorySourceOptions, quietMs, TreeReader } from "./tree-reader.ts"
import { watchFolders } from "./watch-tree.ts"

const attempts = 4
const waitMs = [quietMs, 100, 200]

export function createDirectorySource(options: DirectorySourceOptions): Source {
  const reader = new DirectoryReader(options)
  const lock = new KeyedLock()
  const { path } = options
  const watches = new Set<{ follow(paths: ReadonlySet<string>): void }>()
  return {
    description: `directory ${path}`,
    read: (signal) =>
      lock.run("read", async () => {
        const snapshot = await untilAborted(signal, path, reader)
        for (const watch of watches) watch.follow(reader.paths)
        return snapshot
      }),
    watch: (changed) => {
      const watch = watchFolders({ ...options, changed }, reader.paths)
      watches.add(watch)
      return {
        close: () => {
          watches.delete(watch)
          watch.close()
        },
      }
    },
  }
}

/** A disk may hang for ever (a dead network mount); the caller's signal ends the wait. */
async function untilAborted(
  signal: AbortSignal,
  path: string,
  reader: DirectoryReader,
): Promise<SourceSnapshot> {
  const cancelled: SourceSnapshot = {
    kind: "unreadable",
    issues: [sourceIssue("SPT-SOURCE-037", { path })],
  }
  if (signal.aborted) return cancelled
  let stop = () => {}
  const aborted = new Promise<SourceSnapshot>((resolve) => {
    stop = () => resolve(cancelled)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([reader.read(signal), aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

class DirectoryReader {
  readonly #options: DirectorySourceOptions
  readonly #tree: TreeReader

  constructor(options: DirectorySourceOptions) {
    this.#options = options
    this.#tree = new TreeReader(options)
  }

  get paths(): ReadonlySet<string> {
    return this.#tree.paths
  }

  async read(signal: AbortSignal): Promise<SourceSnapshot> {
    const { clock, path } = this.#options
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await this.#tree.attempt(signal)
        } catch (error) {
          if (!isChanging(error) || attempt + 1 >= attempts) throw error
          await sleep(clock, waitMs[attempt] ?? quietMs, signal)
        }
      }
    } catch (error) {
      if (!protects("folder-error-is-not-empty")) return nothing
      return { kind: "unreadable", issues: [toIssue(error, path)] }
    }
  }
}

/** What a failed read must never look like. */
const nothing: SourceSnapshot = { kind: "complete", revision: "nothing", manifests: [] }

/** A missing folder, a refused one and a broken disk each say what they are. */
function toIssue(error: unknown, path: string): SourceIssue {
  const fault = toFault(error)
  if (fault.code.startsWith("SPT-SOURCE-")) {
    return { code: fault.code, message: fault.message, hint: fault.hint }
  }
  const where = fault.details.path ?? path
  const errno = fault.details.errno ?? fault.message
  if (errno === "EACCES" || errno === "EPERM") {
    return sourceIssue("SPT-SOURCE-031", { path: where, errno })
  }
  if (errno === "ENOTDIR") return sourceIssue("SPT-SOURCE-032", { path: where })
  return sourceIssue("SPT-SOURCE-036", { path: where, errno })
}
