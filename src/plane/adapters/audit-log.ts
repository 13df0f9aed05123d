// The log of requests: DIR/audit/requests-TIME.jsonl, the owner's alone. A line is with the system
// before the answer goes out, so it outlives the process; it is on the disk a moment later, so that
// no request waits for a second sync. Files are bounded in size and number; the oldest goes first.

import { randomUUID } from "node:crypto"
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import type { AuditLine, AuditLog } from "../../api/http/audit-request.ts"
import { type Fault, toFault } from "../../base/faults.ts"

export interface AuditLogOptions {
  readonly directory: string
  now(): number
  readonly fileBytesMax?: number
  readonly filesMax?: number
}

export interface OpenAuditLog extends AuditLog {
  close(): void
}

const fileForm = /^requests-\d+\.jsonl$/
const folderOf = (directory: string) => join(directory, "audit")

export function openAuditLog(options: AuditLogOptions): OpenAuditLog {
  return new FileAuditLog(options)
}

/** What a loss of power may take. */
const syncMs = 100

class FileAuditLog implements OpenAuditLog {
  readonly #options: AuditLogOptions
  readonly #folder: string
  #file: number | undefined
  #size = 0
  #trouble: Fault | undefined
  #timer: NodeJS.Timeout | undefined
  #syncing = false
  /** What was told since the last write, and the promise of the next. */
  #text = ""
  #flushed: Promise<void> | undefined
  #isClosed = false

  constructor(options: AuditLogOptions) {
    this.#options = options
    this.#folder = folderOf(options.directory)
  }

  newId(): string {
    return randomUUID()
  }

  trouble(): Fault | undefined {
    try {
      this.#open()
      if (this.#trouble !== undefined) this.#probe()
      this.#trouble = undefined
    } catch (error) {
      this.#fail(error)
    }
    return this.#trouble
  }

  /** Lines of requests that end together go out in one write; each answer waits for its own. */
  write(line: AuditLine): Promise<void> {
    this.#text += `${JSON.stringify(line)}\n`
    this.#flushed ??= new Promise((resolve, reject) => {
      process.nextTick(() => this.#flush(resolve, reject))
    })
    return this.#flushed
  }

  #flush(resolve: () => void, reject: (error: unknown) => void): void {
    this.#flushed = undefined
    try {
      this.#writeOut()
    } catch (error) {
      this.#fail(error)
      reject(error)
      return
    }
    if (!this.#isClosed) this.#timer ??= setTimeout(() => this.#sync(), syncMs)
    resolve()
  }

  #writeOut(): void {
    const text = this.#text
    this.#text = ""
    if (text !== "") this.#append(text)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    try {
      this.#writeOut()
    } catch (error) {
      this.#fail(error)
    }
    this.#drop()
  }

  #sync(): void {
    this.#timer = undefined
    if (this.#file === undefined || this.#syncing) return
    this.#syncing = true
    fdatasync(this.#file, (error) => {
      this.#syncing = false
      if (error !== null) this.#fail(error)
    })
  }

  #append(text: string): void {
    const bytes = Buffer.from(text)
    const file = this.#open(bytes.byteLength)
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done)
    this.#size += bytes.byteLength
  }

  /** An empty line is passed over by readers, and shows that there is room. */
  #probe(): void {
    this.#append("\n")
    fdatasyncSync(this.#open())
  }

  #fail(error: unknown): void {
    this.#trouble = toFault(error)
    this.#drop()
  }

  /** Made durable first: nobody comes back to this file. */
  #drop(): void {
    if (this.#file === undefined) return
    try {
      fdatasyncSync(this.#file)
      closeSync(this.#file)
    } catch {} // It is told as trouble already, or by the next write.
    this.#file = undefined
  }

  #open(more = 0): number {
    const { fileBytesMax = 16 * 1024 * 1024, now } = this.#options
    if (this.#file !== undefined && this.#size + more > fileBytesMax && !this.#syncing) this.#drop()
    if (this.#file !== undefined) return this.#file
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const last = auditFiles(this.#options.directory).at(-1)
    const fresh = join(this.#folder, `requests-${String(now()).padStart(15, "0")}.jsonl`)
    const file = openSync(last ?? fresh, "a", 0o600)
    this.#size = fstatSync(file).size
    this.#file = file
    if (this.#size + more <= fileBytesMax) {
      this.#endCutLine(last ?? fresh, file)
      return file
    }
    closeSync(file)
    this.#file = openSync(fresh, "a", 0o600)
    this.#size = fstatSync(this.#file).size
    this.#prune()
    return this.#file
  }

  /** A line that a crash cut off must not take the next one with it. */
  #endCutLine(path: string, file: number): void {
    if (this.#size === 0 || readFileSync(path).at(-1) === 10) return
    this.#size += writeSync(file, "\n")
  }

  #prune(): void {
    const { filesMax = 16, directory } = this.#options
    for (const file of auditFiles(directory).slice(0, -filesMax)) unlinkSync(file)
  }
}

/** Oldest first. */
export function auditFiles(directory: string): string[] {
  const folder = folderOf(directory)
  try {
    const names = readdirSync(folder).filter((name) => fileForm.test(name))
    return names.sort().map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Lines that can't be read were cut off by a crash, and are left out. */
export function* readAuditLines(directory: string, since: number): Iterable<AuditLine> {
  for (const file of auditFiles(directory)) {
    for (const text of readFileSync(file, "utf8").split("\n")) {
      const line = parseLine(text)
      if (line !== undefined && Date.parse(line.time) >= since) yield line
    }
  }
}

function parseLine(text: string): AuditLine | undefined {
  if (text === "") return undefined
  try {
    return JSON.parse(text) as AuditLine
  } catch {
    return undefined
  }
}
