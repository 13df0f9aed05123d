// What lies below a directory, as specs of files and directories. It never follows a symlink, never
// leaves the file system it began on, and takes no file that looks as if it held a secret: content
// of a File stands in its manifest in the clear. So what not everyone on the host may read is left
// out unless somebody asks for it. Whatever is not taken is named with its reason.

import type { JsonObject } from "../../base/json.ts"
import type { Found, Importer, Skipped } from "../../contract/importer.ts"
import type { FileStat, FilesRead } from "../../contract/world.ts"
import { ancestorsOf, isNormalPath } from "./bounds.ts"
import { modeText } from "./facts.ts"
import { fileFault } from "./faults.ts"
import type { HostMemory } from "./host-memory.ts"
import { look, type Seen } from "./look.ts"

/** A manifest may have 1 MiB, and base64 takes a third more. */
const bytesMax = 700_000
const bytesInAllMax = 32 * 1024 * 1024
const entriesMax = 20_000
const depthMax = 64

const options = {
  path: { description: "a directory; what lies below it is taken", required: true },
  private: { description: "include: also files that not everyone on this host may read" },
}

type Wanted = "file" | "directory"

export function fileImporter(memory: HostMemory, wanted: Wanted): Importer {
  return {
    options,
    async find({ path = "", private: hidden = "" }, { world: { files }, signal }) {
      const top = path.length > 1 ? path.replace(/\/+$/, "") : path
      if (!isNormalPath(top)) throw refusal(path, "it is not an absolute path without . and ..")
      const walk = new Walk({ files, memory, signal, wanted, hidden: hidden === "include" }, top)
      await walk.run()
      return walk
    },
  }
}

const refusal = (path: string, cause: string) => fileFault("SPT-FILE-004", { path, cause })

interface WalkOptions {
  readonly files: FilesRead
  readonly memory: HostMemory
  readonly signal: AbortSignal
  readonly wanted: Wanted
  readonly hidden: boolean
}

/** Whether everyone on the host may read the file, or reach what is in the directory. */
const isOpen = ({ type, mode }: FileStat): boolean =>
  (mode & (type === "directory" ? 0o001 : 0o004)) !== 0

interface Level {
  readonly depth: number
  /** Everyone may come this far. */
  readonly open: boolean
}

class Walk {
  readonly found: Found[] = []
  readonly skipped: Skipped[] = []
  readonly #options: WalkOptions
  readonly #top: string
  #device = ""
  #entries = 0
  #bytes = 0

  constructor(given: WalkOptions, top: string) {
    this.#options = given
    this.#top = top
  }

  async run(): Promise<void> {
    const sight = await this.#look(this.#top, false)
    if (sight.kind === "absent") throw refusal(this.#top, "it does not exist")
    if (sight.kind === "unknown") throw refusal(this.#top, sight.cause)
    if (sight.stat.type !== "directory") throw refusal(this.#top, "it is not a directory")
    this.#device = sight.stat.device
    this.#takeDirectory(this.#top, sight.stat)
    await this.#below(this.#top, { depth: 1, open: this.#isReachable() })
  }

  /** What lies in a closed directory is private, however open it is itself. */
  #isReachable(): boolean {
    const stats = this.#options.files.lstatMany([...ancestorsOf(this.#top), this.#top])
    return stats.every((stat) => stat !== undefined && !(stat instanceof Error) && isOpen(stat))
  }

  async #below(directory: string, { depth, open }: Level): Promise<void> {
    if (depth > depthMax) return this.#skip(directory, `it is more than ${depthMax} levels deep`)
    const entries = await this.#options.files.list(directory)
    const names = entries.map(({ name }) => name).sort()
    for (const name of names) {
      if (++this.#entries > entriesMax)
        throw refusal(this.#top, `it has over ${entriesMax} entries`)
      if (name.startsWith(".setpoint-")) continue
      await this.#entry(`${directory}/${name}`, { depth, open })
    }
  }

  async #entry(path: string, { depth, open }: Level): Promise<void> {
    const sight = await this.#look(path, this.#options.wanted === "file")
    if (sight.kind === "absent") return this.#skip(path, "it vanished, or its name is no UTF-8")
    if (sight.kind === "unknown") return this.#skip(path, sight.cause)
    const { stat } = sight
    if (stat.type === "directory") {
      if (stat.device !== this.#device) return this.#skip(path, "it is on another file system")
      this.#takeDirectory(path, stat)
      return this.#below(path, { depth: depth + 1, open: open && isOpen(stat) })
    }
    if (this.#options.wanted !== "file") return
    const body = stat.type === "other" ? "it is neither file nor symlink" : this.#body(sight, open)
    if (typeof body === "string") return this.#skip(path, body)
    const mode = stat.type === "symlink" ? {} : { mode: modeText(stat.mode) }
    this.#take(path, { ...body, ...mode, ...this.#owner(stat) })
  }

  /** The content as a spec says it, or why it is not taken. */
  #body({ stat, link, bytes }: Seen, open: boolean): JsonObject | string {
    if (link !== undefined) return { symlink: link }
    if (stat.size > bytesMax || bytes === undefined) return `it is larger than ${bytesMax} bytes`
    const isPrivate = !(open && isOpen(stat)) && stat.size > 0
    if (isPrivate && !this.#options.hidden) {
      return "not everyone may read it, so it may be secret (--scope private=include takes it)"
    }
    const text = plainText(bytes)
    if (text !== undefined && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
      return "it holds a private key, which does not belong into a manifest"
    }
    this.#bytes += bytes.length
    if (this.#bytes > bytesInAllMax) {
      throw refusal(this.#top, `its files have over ${bytesInAllMax} bytes`)
    }
    if (text !== undefined) return { content: text }
    return { contentBase64: Buffer.from(bytes).toString("base64") }
  }

  #owner({ uid, gid }: FileStat): JsonObject {
    const { files } = this.#options
    return {
      owner: files.userName(uid) ?? String(uid),
      group: files.groupName(gid) ?? String(gid),
    }
  }

  #takeDirectory(path: string, stat: FileStat): void {
    if (this.#options.wanted !== "directory") return
    this.#take(path, { mode: modeText(stat.mode), ...this.#owner(stat) })
  }

  #take(path: string, spec: JsonObject): void {
    this.found.push({ name: path.slice(1), spec: { path, ...spec } })
  }

  #skip(what: string, why: string): void {
    this.skipped.push({ what, why })
  }

  #look(path: string, content: boolean) {
    const { files, memory, signal } = this.#options
    return look(files, { path, root: "/" }, memory, { applied: false, content, signal })
  }
}

/** As text when a manifest can hold it so that people can read it. */
function plainText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return /^[\t\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
