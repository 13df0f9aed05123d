// Every fault of the file kinds. The errno of a failed system call is always in `details.errno`.

import { defineFaults } from "../../base/faults.ts"

export const fileFault = defineFaults({
  "SPT-FILE-001": {
    fault: "retry",
    text: "cannot {call} {path}: {errno}",
    hint: "it is tried again with backoff; check the path, its permissions and its disk",
  },
  "SPT-FILE-002": {
    fault: "retry",
    text: "cannot read {path}: it is larger than {limit} bytes",
    hint: "File objects hold at most 1 MiB; keep larger things elsewhere",
  },
  "SPT-FILE-003": {
    fault: "retry",
    text: "cannot read {path}: it is not a regular file",
    hint: "a FIFO, socket, device or directory is never opened; move it out of the way",
  },
  "SPT-FILE-004": {
    fault: "stuck",
    text: "cannot import what is below {path}: {cause}",
    hint: "name a directory that can be read, or a smaller part of it",
  },
})

/** The errno of a failed system call, or undefined when the error is something else. */
export function errnoOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("details" in error)) return undefined
  const { details } = error
  if (typeof details !== "object" || details === null || !("errno" in details)) return undefined
  return typeof details.errno === "string" ? details.errno : undefined
}
