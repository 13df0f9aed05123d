// How signals look at the world beyond files and HTTP: a program's output, one SQL scalar, what was
// added to a log. Reading only; every call is bounded in time and size, and a failure is thrown.

import type { Json } from "../base/json.ts"

export interface CommandRequest {
  /** Run as it is, never by a shell. */
  readonly argv: readonly string[]
}

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
}

export interface LogCursor {
  /** Device and inode: another one means that the log was rotated. */
  readonly file: string
  readonly offset: number
}

export interface LogPart {
  readonly cursor: LogCursor
  /** Whole lines only; what has no end yet comes with the next part. */
  readonly lines: readonly string[]
  /** There is more than one part may hold: the oldest of it was skipped. */
  readonly skipped: boolean
}

export interface Probes {
  command(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>
  /** The first column of the only row, read in a read-only transaction. */
  sql(connection: string, query: string, signal: AbortSignal): Promise<Json>
  /** What was added since the cursor; without one, nothing but where the log ends now. */
  log(path: string, cursor: LogCursor | undefined, signal: AbortSignal): Promise<LogPart>
}
