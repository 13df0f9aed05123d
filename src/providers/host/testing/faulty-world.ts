// Files and programs of a host that fail on demand, for the conformance suites of its kinds.

import type { CommandResult } from "../../../contract/commands.ts"
import type { ActWorld } from "../../../contract/world.ts"
import type { FaultMode } from "../../../provider/conformance/subject.ts"
import { worldWith } from "../../../provider/missing-handles.ts"

export const hostFaultModes: readonly FaultMode[] = ["timeout", "lostReply", "serverError"]

const immediate: ReadonlySet<string> = new Set([
  ...["lstatMany", "userId", "groupId", "userName", "groupName", "watch", "follow"],
])
const changing: ReadonlySet<string> = new Set([
  ...["writeTemporary", "chmod", "chown", "rename", "link", "unlink", "run", "tell"],
])
const broken: CommandResult = { code: 1, stdout: "", stderr: "broken\n" }

export interface FaultyWorld {
  readonly world: ActWorld
  failNext(mode: FaultMode): void
  mutations(): number
}

/** The next call that can wait hangs, is lost after its effect, or fails without one. */
export function faultyWorld(real: Pick<ActWorld, "files" | "commands">): FaultyWorld {
  let armed: FaultMode | undefined
  let mutations = 0
  const faulty = <T extends object>(handle: T, isProgram: boolean): T =>
    new Proxy(handle, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== "function" || immediate.has(String(name))) return method
        return async (...args: unknown[]): Promise<unknown> => {
          if (changing.has(String(name))) mutations++
          const mode = armed
          armed = undefined
          if (mode === "timeout") return untilAborted(args.at(-1))
          if (mode === "serverError" && isProgram) return broken
          if (mode === "serverError") throw new Error("EIO")
          const answer: unknown = await Reflect.apply(method, target, args)
          if (mode === "lostReply") throw new Error("the answer is lost")
          return answer
        }
      },
    })
  const files = faulty(real.files, false)
  const commands = faulty(real.commands, true)
  const failNext = (mode: FaultMode) => {
    armed = mode
  }
  return { world: worldWith({ files, commands }), failNext, mutations: () => mutations }
}

function untilAborted(signal: unknown): Promise<never> {
  return new Promise((_, reject) => {
    if (!(signal instanceof AbortSignal)) return
    signal.addEventListener("abort", () => reject(new Error("it was called off")))
  })
}
