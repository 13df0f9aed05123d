// The port to the git program: one call with its arguments, in a folder of its own that is gone
// afterwards. What is put into a call is made by pure code (locked-git.ts, signatures.ts).

/** Never in arguments or variables. */
export interface GitCredentials {
  readonly username?: string
  readonly password?: string
  /** Private key for ssh. */
  readonly identity?: string
  readonly knownHosts?: string
  /** Certificates of the server's authority, as PEM. */
  readonly authority?: string
}

export interface GitRequest {
  /** Everything after the program's name. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
  /** Two lines that its askpass reads, one for each question. */
  readonly answers?: readonly string[]
  /** Written for this call alone; only we can read them. Names without a path. */
  readonly files?: Readonly<Record<string, string>>
  /** Public keys that gpg is to know in this call. */
  readonly publicKeys?: readonly string[]
  readonly timeoutMs: number
  readonly outputBytesMax: number
  /** The copy that the call writes to, and how large it may become. */
  readonly grows?: { readonly copy: string; readonly bytesMax: number }
}

export interface GitResult {
  readonly code: number
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** Why a call did not come to its own end. */
export class GitCut extends Error {
  readonly cut: "missing" | "late" | "output" | "size" | "aborted" | "killed"

  constructor(cut: GitCut["cut"], message: string) {
    super(message)
    this.cut = cut
  }
}

export interface GitProgram {
  /** Rejects with GitCut when the program could not be run to its end. */
  run(request: GitRequest, signal: AbortSignal): Promise<GitResult>
  /** Where the copy of this name lies; made by `git init` when it is missing. */
  place(copy: string): string
  has(copy: string): Promise<boolean>
  /** Throws the copy away. */
  remove(copy: string): Promise<void>
  /** Names of all copies that lie here. */
  copies(): Promise<readonly string[]>
  bytes(copy: string): Promise<number>
  /** Locks that a call left behind when it was ended. */
  unlock(copy: string): Promise<void>
}
