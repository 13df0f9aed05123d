// Wraps a port so that it dies with the process under test. Calls with points can crash before they
// reach the port and after they took effect but before the answer arrived; a call in flight at the
// crash never answers. The port itself stays usable for whoever comes after the crash.

import type { KindProvider } from "../contract/provider.ts"
import type { Store, WatchEvent, WatchOptions } from "../contract/store.ts"
import type { FilesAct, Http } from "../contract/world.ts"
import type { CrashPoints } from "./crash-points.ts"

interface Coverage {
  readonly label: string
  /** Asynchronous calls with a point before and one after. */
  readonly pointed: readonly string[]
  /** Asynchronous calls that only stop answering. */
  readonly guarded: readonly string[]
}

export function crashingStore(store: Store, points: CrashPoints): Store {
  const wrapped = crashingPort(store, points, {
    label: "store",
    pointed: ["commit", "grantLease", "revokeLease"],
    guarded: ["get", "range", "compact", "renewLease", "close"],
  })
  const watch = (options: WatchOptions) => crashingWatch(store.watch(options), points)
  return Object.defineProperty(wrapped, "watch", { enumerable: true, value: watch })
}

export function crashingProvider(provider: KindProvider, points: CrashPoints): KindProvider {
  return crashingPort(provider, points, {
    label: provider.kind,
    pointed: ["create", "update", "delete", "observe", "list", "actBatch"],
    guarded: [],
  })
}

export function crashingFiles(files: FilesAct, points: CrashPoints): FilesAct {
  const mutating = ["writeTemporary", "chmod", "chown", "rename", "link", "symlink", "mkdir"]
  return crashingPort(files, points, {
    label: "files",
    pointed: [...mutating, "unlink", "rmdir", "syncDirectory"],
    guarded: ["lstat", "read", "readlink", "list"],
  })
}

export function crashingHttp(http: Http, points: CrashPoints): Http {
  return crashingPort(http, points, { label: "http", pointed: ["request"], guarded: [] })
}

/** Everything that is not listed passes through untouched, properties as they are now. */
export function crashingPort<T extends object>(
  port: T,
  points: CrashPoints,
  coverage: Coverage,
): T {
  const pointed = new Set<PropertyKey>(coverage.pointed)
  const guarded = new Set<PropertyKey>(coverage.guarded)
  const read = (name: PropertyKey): unknown => {
    const member: unknown = Reflect.get(port, name, port)
    if (typeof member !== "function") return member
    const call = (args: unknown[]): unknown => Reflect.apply(member, port, args)
    const title = `${coverage.label}.${String(name)}`
    if (pointed.has(name)) return (...args: unknown[]) => pointedCall(title, points, call, args)
    if (guarded.has(name)) return (...args: unknown[]) => guardedCall(points, call, args)
    return (...args: unknown[]) => call(args)
  }
  // Not a Proxy over the port: a frozen port would forbid to answer with another function.
  const wrapped: T = Object.create(Object.getPrototypeOf(port))
  for (const name of memberNames(port)) {
    Object.defineProperty(wrapped, name, {
      configurable: true,
      enumerable: true,
      get: () => read(name),
    })
  }
  return wrapped
}

function memberNames(port: object): ReadonlySet<PropertyKey> {
  const names = new Set<PropertyKey>()
  let level: object | null = port
  while (level !== null && level !== Object.prototype) {
    for (const name of Reflect.ownKeys(level)) if (name !== "constructor") names.add(name)
    level = Object.getPrototypeOf(level)
  }
  return names
}

async function pointedCall(
  title: string,
  points: CrashPoints,
  call: (args: unknown[]) => unknown,
  args: unknown[],
): Promise<unknown> {
  await points.point(`before ${title}`)
  const result = await guardedCall(points, call, args)
  await points.point(`after ${title}`)
  return result
}

async function guardedCall(
  points: CrashPoints,
  call: (args: unknown[]) => unknown,
  args: unknown[],
): Promise<unknown> {
  await points.alive()
  try {
    return await call(args)
  } finally {
    await points.alive()
  }
}

async function* crashingWatch(
  events: AsyncIterable<WatchEvent>,
  points: CrashPoints,
): AsyncGenerator<WatchEvent> {
  for await (const event of events) {
    await points.alive()
    yield event
  }
  await points.alive()
}
