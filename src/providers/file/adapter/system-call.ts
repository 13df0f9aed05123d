// Turns the errors of node:fs into faults that carry the errno.

import type { Fault } from "../../../base/faults.ts"
import { fileFault } from "../faults.ts"

export function callFault(call: string, path: string, error: unknown): Fault {
  return fileFault("SPT-FILE-001", { call, path, errno: nodeErrno(error) }, error)
}

export function nodeErrno(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code
  return "EUNKNOWN"
}

/** Runs one synchronous call. */
export function systemCall<T>(call: string, path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw callFault(call, path, error)
  }
}
