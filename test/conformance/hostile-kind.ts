// A provider that tries to change things wherever it must not, written against nothing but what
// authors import as "setpoint/provider". What it may do, it does: `create` makes the file of its
// object. Every attempt is noted with how it ended.

import { z } from "zod"
import {
  type ActContext,
  type ActWorld,
  absent,
  defineKind,
  type KindProvider,
  present,
  type ReadWorld,
} from "../../src/provider/index.ts"

const spec = z.strictObject({ path: z.string().max(100), how: z.string().max(20).default("") })

/** Where everything that must not be made would be. */
export const loot = "/loot"

/** From one place: it is asked often, and has nothing new to try. */
const attacksMax = 3

export interface Attempt {
  readonly from: string
  readonly how: string
  /** What it was refused with; undefined when it went through. */
  refusal: string | undefined
  ended: boolean
}

export class Hostile {
  readonly attempts: Attempt[] = []
  readonly kind: KindProvider
  /** Handles of acts that have ended, kept for later. */
  readonly kept: ActWorld[] = []
  /** Set by a test: what `create` does besides its work. */
  duringCreate: (context: ActContext) => Promise<void> = async () => {}
  #files = 0
  readonly #attacks = new Map<string, number>()

  constructor() {
    this.kind = this.#define()
  }

  refusals(from: string): (string | undefined)[] {
    return this.attempts.filter((one) => one.from === from).map((one) => one.refusal)
  }

  /** All the ways there are to get something changed through a handle that came from somewhere. */
  attack(from: string, world: ReadWorld | ActWorld): void {
    const times = (this.#attacks.get(from) ?? 0) + 1
    this.#attacks.set(from, times)
    if (times > attacksMax) return
    const acting = world as ActWorld
    const { signal } = new AbortController()
    const path = () => `${loot}/${from}-${++this.#files}`
    const bytes = new TextEncoder().encode("mine")
    this.note(from, "write", () => acting.files.writeTemporary(loot, bytes, 0o644))
    this.note(from, "mkdir", () => acting.files.mkdir(path(), 0o755))
    this.note(from, "unlink", () => acting.files.unlink("/targets/victim"))
    this.note(from, "rename", () => acting.files.rename("/targets/victim", path()))
    this.note(from, "chmod", () => acting.files.chmod("/targets/victim", 0))
    this.note(from, "symlink", () => acting.files.symlink("/targets", path()))
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "post", "GET\r\nX: y"]) {
      const url = `http://x/${from}`
      this.note(from, method, () => acting.http.request({ method, url }, signal))
    }
    this.note(from, "two-faced request", () => {
      let asked = 0
      const request = {
        get method() {
          return asked++ === 0 ? "GET" : "POST"
        },
        url: `http://x/two-faced`,
      }
      return acting.http.request(request, signal)
    })
    this.tamper(from, world)
  }

  /** To get at what is behind a handle, or to put something into it for others. */
  tamper(from: string, world: ReadWorld | ActWorld): void {
    const own = async () => ({ status: 200, headers: {}, body: "" })
    for (const [name, handle] of [
      ["world", world],
      ["files", world.files],
      ["http", world.http],
    ] as const) {
      const refuse = (ok: boolean) => {
        if (!ok) throw new Error("refused")
      }
      this.note(from, `${name} prototype`, async () => {
        const prototype: unknown = Object.getPrototypeOf(handle)
        refuse(prototype !== null)
      })
      this.note(from, `${name} constructor`, async () => {
        refuse("constructor" in handle)
      })
      this.note(from, `${name} set`, async () => refuse(Reflect.set(handle, "request", own)))
      this.note(from, `${name} define`, async () =>
        refuse(Reflect.defineProperty(handle, "lstat", { value: own })),
      )
      const [first = ""] = Object.keys(handle)
      this.note(from, `${name} delete`, async () => refuse(Reflect.deleteProperty(handle, first)))
      this.note(from, `${name} new prototype`, async () =>
        refuse(Reflect.setPrototypeOf(handle, { unlink: own })),
      )
      this.note(from, `${name} own fields`, async () => {
        // Nothing but the calls themselves: no field through which the real thing shows.
        const values = Object.values(handle)
        refuse(values.some((one) => typeof one === "object" && !Object.isFrozen(one)))
      })
    }
  }

  note(from: string, how: string, run: () => Promise<unknown>): void {
    const attempt: Attempt = { from, how, refusal: undefined, ended: false }
    this.attempts.push(attempt)
    const end = (refusal?: string) => {
      attempt.refusal = refusal
      attempt.ended = true
    }
    const refused = (error: unknown) => end(error instanceof Error ? error.message : String(error))
    try {
      run().then(() => end(), refused)
    } catch (error) {
      refused(error)
    }
  }

  /** What has no handle of its own tries the ones that were kept. */
  #useKept(from: string): void {
    for (const world of this.kept) this.attack(from, world)
  }

  #define(): KindProvider {
    const { kept } = this
    return defineKind({
      ...{ group: "hostile.example.com", version: "v1", kind: "Trap", spec },
      timeoutMs: { act: 2000 },
      identity: ({ path }) => {
        this.#useKept("identity")
        return path
      },
      normalize: (value) => {
        this.#useKept("normalize")
        return value
      },
      observe: async ({ desired }, { world }) => {
        this.attack("observe", world)
        const stat = await world.files.lstat(desired.path)
        if (stat === undefined) return absent("ENOENT")
        return present({ ...desired }, `${stat.inode}`)
      },
      fingerprints: (identities, world) => {
        this.attack("fingerprints", world)
        return identities.map(() => undefined)
      },
      watch: (_target, world, changed) => {
        this.attack("watch", world)
        return world.files.watch("/targets", changed)
      },
      create: async ({ desired }, context) => {
        kept.push(context.world)
        await this.duringCreate(context)
        const { files } = context.world
        const temporary = await files.writeTemporary("/targets", new Uint8Array(), 0o644)
        await files.rename(temporary, desired.path)
        return { kind: "done" }
      },
      update: async () => ({ kind: "done" }),
      delete: async ({ desired }, { world }) => {
        await world.files.unlink(desired.path)
        return { kind: "done" }
      },
    })
  }
}

/** The same from `list`, which a kind has instead of `observe`. */
export function hostileLister(hostile: Hostile): KindProvider {
  return defineKind({
    ...{ group: "hostile.example.com", version: "v1", kind: "Lure", spec },
    identity: ({ path }) => path,
    scopeOf: () => "all",
    list: async (_scope, _sample, { world }) => {
      hostile.attack("list", world)
      return { items: [], complete: true }
    },
    create: async () => ({ kind: "done" }),
    update: async () => ({ kind: "done" }),
    delete: async () => ({ kind: "done" }),
  })
}
