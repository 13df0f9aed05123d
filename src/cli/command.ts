// What a command is: it registers itself with the parser and answers with an exit code. A command's
// module is loaded at every start of the program: what it needs beyond types comes by `await
// import(...)` inside its action.

import type { Command as Parser } from "commander"
import type { HttpClient } from "../client/http/http-client.ts"
import type { Terminal } from "./terminal.ts"

/** Options that every command understands. */
export interface GlobalOptions {
  readonly data: string
  /** `name` and `wide` are for `get`, `markdown` is for `plan`; others print for people then. */
  readonly output?: "json" | "yaml" | "name" | "wide" | "markdown"
  readonly namespace: string
  /** A file with the token to speak with; the owner's own when missing. */
  readonly token?: string
  /** The plane is the one that this file names, not the one on the data directory. */
  readonly kubeconfig?: string
  readonly context?: string
  readonly verbose?: boolean
}

export interface Cli {
  readonly terminal: Terminal
  /** Global options as given on this run. */
  options(): GlobalOptions
  /** A client of the plane that is named; a clear fault when there is none. */
  connect(): HttpClient
  /** Runs a command's work; its answer becomes the exit code, its faults one line and a hint. */
  run(work: () => Promise<number>): Promise<void>
}

export interface CliCommand {
  register(parser: Parser, cli: Cli): void
}
