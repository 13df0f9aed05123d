// A file system to be examined on: a fresh directory, a back door that works without the provider,
// and files that fail on demand.

import type { Json, JsonObject } from "../../../base/json.ts"
import type { FilesAct } from "../../../contract/world.ts"
import type { FaultMode, Outside } from "../../../provider/conformance/subject.ts"
import { fileFault } from "../faults.ts"

const mutating: ReadonlySet<string> = new Set([
  ...["writeTemporary", "chmod", "chown", "rename", "link", "symlink", "mkdir", "unlink", "rmdir"],
])

export const fileFaultModes: readonly FaultMode[] = [
  "timeout",
  "lostReply",
  "unauthorized",
  "serverError",
]

export interface FaultyFiles {
  readonly files: FilesAct
  failNext(mode: FaultMode): void
  mutations(): number
}

/** The next asynchronous call fails as told; synchronous reads are left alone. */
export function faultyFiles(real: FilesAct): FaultyFiles {
  let armed: FaultMode | undefined
  let mutations = 0
  const files = new Proxy(real, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return (...args: unknown[]): unknown => {
        const answer = (): unknown => Reflect.apply(method, target, args)
        const mode = armed
        armed = undefined
        const call = String(name)
        if (mutating.has(call)) mutations++
        if (mode === undefined) return answer()
        const fail = (errno: string) =>
          Promise.reject(fileFault("SPT-FILE-001", { call, path: String(args[0]), errno }))
        if (mode === "timeout") return new Promise(() => {})
        if (mode === "unauthorized") return fail("EACCES")
        if (mode === "lostReply") return Promise.resolve(answer()).then(() => fail("EIO"))
        return fail("EIO")
      }
    },
  })
  const failNext = (mode: FaultMode) => {
    armed = mode
  }
  return { files, failNext, mutations: () => mutations }
}

export interface BackDoor {
  list(): ReadonlyMap<string, Json>
  drift(path: string): void
  remove(path: string): void
  make(path: string): void
}

/** The suite's view through the back door; our temporary files are no targets. */
export function outsideOf(directory: string, door: BackDoor, faulty: FaultyFiles): Outside {
  let foreign = 0
  return {
    async list() {
      const hidden = (path: string) => path.startsWith(`${directory}/.setpoint-`)
      return new Map([...door.list()].filter(([path]) => !hidden(path)))
    },
    async drift(identity) {
      door.drift(identity)
    },
    async remove(identity) {
      door.remove(identity)
    },
    async addForeign() {
      const path = `${directory}/foreign-${++foreign}`
      door.make(path)
      return path
    },
    failNext: faulty.failNext,
    mutations: faulty.mutations,
  }
}

export function samplesIn(directory: string, first: JsonObject, second: JsonObject) {
  const at = (name: string, spec: JsonObject) => ({ path: `${directory}/${name}`, ...spec })
  return {
    first: at("first", first),
    second: at("first", second),
    others: [at("other", first), at("späte\nzeile", second), at("third", second)],
  }
}
