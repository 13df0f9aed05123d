// Wraps the capability handles of a provider: counts its port calls, lets the suite step in before
// and after each, and hands out reading handles that notice every attempt to change something.

import type { ActWorld, FilesRead, Http, ReadWorld } from "../../contract/world.ts"
import { providerFault } from "../faults.ts"

export interface PortCall {
  /** 1 for the first call through this tap; `prepare` counts only the calls that can wait. */
  readonly number: number
  readonly name: string
  readonly mutates: boolean
}

export interface TapHooks {
  /** Runs before the call; what it throws is what the provider sees. */
  before?(call: PortCall): void
  /** As `before`, for calls that can wait; runs after it. */
  prepare?(call: PortCall): Promise<void>
  after?(call: PortCall): void
}

const mutators: ReadonlySet<string> = new Set([
  "writeTemporary",
  "chmod",
  "chown",
  "rename",
  "link",
  "symlink",
  "mkdir",
  "unlink",
  "rmdir",
  "syncDirectory",
])
const immediate: ReadonlySet<string> = new Set([
  "lstatMany",
  "userId",
  "groupId",
  "userName",
  "groupName",
  "watch",
  "follow",
  "listen",
  "bootId",
  "facts",
])
const changing = {
  commands: new Set(["run", "tell"]),
  sockets: new Set(["change"]),
  processes: new Set(["reserve", "start", "cancel", "signal", "reap", "remove"]),
}

const readingMethod = (method: string) => /^(get|head)$/i.test(method)

export function tapWorld(world: ActWorld, hooks: TapHooks): ActWorld {
  let count = 0
  let waiting = 0
  const prepare = async (call: PortCall) => {
    waiting++
    await hooks.prepare?.({ ...call, number: waiting })
  }
  const enter = (name: string, mutates: boolean): PortCall => {
    const call = { number: ++count, name, mutates }
    hooks.before?.(call)
    return call
  }
  const files = wrapMethods(world.files, (name, run) => {
    if (immediate.has(name)) {
      const call = enter(name, false)
      const value = run()
      hooks.after?.(call)
      return value
    }
    return (async () => {
      const call = enter(name, mutators.has(name))
      await prepare(call)
      const value = await run()
      hooks.after?.(call)
      return value
    })()
  })
  const http: Http = {
    async request(request, signal) {
      const call = enter(`http ${request.method}`, !readingMethod(request.method))
      await prepare(call)
      const response = await world.http.request(request, signal)
      hooks.after?.(call)
      return response
    },
  }
  const others = <K extends keyof typeof changing>(handle: K): ActWorld[K] =>
    wrapMethods(world[handle], (name, run) => {
      if (immediate.has(name)) return run()
      return (async () => {
        const call = enter(`${handle}.${name}`, changing[handle].has(name))
        await prepare(call)
        const value = await run()
        hooks.after?.(call)
        return value
      })()
    })
  return {
    ...{ files, http, commands: others("commands") },
    ...{ sockets: others("sockets"), processes: others("processes") },
  }
}

/** Only reads pass; each attempt to change something is reported and refused. */
export function readingWorld(world: ActWorld, refused: (name: string) => void): ReadWorld {
  const refuse = (name: string, url: string): never => {
    refused(name)
    throw providerFault("SPT-PROV-008", { method: name, url })
  }
  const files: FilesRead = wrapMethods(world.files, (name, run) =>
    mutators.has(name) ? refuse(name, "the file system") : run(),
  )
  const http: Http = {
    async request(request, signal) {
      if (!readingMethod(request.method)) refuse(request.method, request.url)
      return world.http.request(request, signal)
    },
  }
  const others = <K extends keyof typeof changing>(handle: K): ActWorld[K] =>
    wrapMethods(world[handle], (name, run) =>
      changing[handle].has(name) ? refuse(`${handle}.${name}`, "this host") : run(),
    )
  return {
    ...{ files, http, commands: others("commands") },
    ...{ sockets: others("sockets"), processes: others("processes") },
  }
}

function wrapMethods<T extends object>(
  handle: T,
  around: (name: string, run: () => unknown) => unknown,
): T {
  return new Proxy(handle, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return (...args: unknown[]) => around(String(name), () => Reflect.apply(method, target, args))
    },
  })
}
