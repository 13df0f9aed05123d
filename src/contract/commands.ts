// The handle for programs of this host: argument vectors, never a shell. That a program only looks
// is the provider's word when it uses `look` and `ask`; what may change something goes through
// `run` and `tell`, which only acting handles have and which ask the gate before every call.

import type { Closeable } from "./world.ts"

export interface CommandRequest {
  /** The program, by absolute path or a name found on PATH, and its arguments. */
  readonly argv: readonly string[]
  readonly input?: string
  /** Added to an environment that holds nothing but PATH, LANG and SHLVL. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly timeoutMs?: number
  /** Of stdout and of stderr, each; more is a fault, never a shortened answer. */
  readonly outputBytesMax?: number
}

/** How a program ended; a program that could not be started or was cut off is a thrown fault. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandsRead {
  look(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>
  /** One line to a program that stays, one line back; started when needed, one per request text. */
  ask(request: CommandRequest, message: string, signal: AbortSignal): Promise<string>
  /**
   * Every line of a program that goes on (`nft monitor`), until closed or ended. It gets its
   * input as one line, and its end when it is closed.
   */
  follow(
    request: CommandRequest,
    line: (text: string) => void,
    ended: (cause: string) => void,
  ): Closeable
}

export interface CommandsAct extends CommandsRead {
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>
  /**
   * Like `ask`. A program that stays takes one message at a time: `begin` is called in the turn in
   * which this one is sent, however long it waited, and when it throws nothing is sent.
   */
  tell(
    request: CommandRequest,
    message: string,
    signal: AbortSignal,
    begin?: () => void,
  ): Promise<string>
}
