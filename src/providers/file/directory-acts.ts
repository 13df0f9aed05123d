// Makes, changes and removes directories. Only an empty directory is ever removed, and purging
// touches nothing but temporary files of ours that a crash left behind. A create that a crash cut
// off leaves a directory that is known as unfinished, and is ended as an update.

import type { ActContext, ActResult } from "../../contract/provider.ts"
import type { FilesAct } from "../../contract/world.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import {
  attempt,
  changedSince,
  done,
  type Effect,
  failed,
  raced,
  setOwnerAndMode,
} from "./act-steps.ts"
import { directoryOf } from "./bounds.ts"
import {
  type DirectorySight,
  type DirectorySpec,
  directoryToken,
  lookAt,
} from "./directory-look.ts"
import { errnoOf } from "./faults.ts"
import { type Owner, wantedOwner } from "./file-spec.ts"
import type { HostMemory } from "./host-memory.ts"
import { unfinishedMode } from "./unfinished-directory.ts"

export async function createDirectory(
  target: KindTarget<DirectorySpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> {
  const { files } = context.world
  const { path, mode } = target.desired
  const owner = wantedOwner(files, target.desired)
  if (typeof owner === "string") return failed(owner, false, { class: "Dependency" })
  return attempt(context.signal, async (effect) => {
    const sight = await lookAt(files, target, memory, context.signal)
    if (sight.kind === "unknown") return failed(sight.cause, sight.stuck, sight.failure)
    if (sight.kind === "seen") return raced(`${path} exists by now; it is not replaced`)
    context.signal.throwIfAborted()
    await files.mkdir(path, unfinishedMode) // Closed until it has its owner and mode.
    effect.happened = true
    const stat = await files.lstat(path)
    if (stat?.type !== "directory") throw new Error(`${path} vanished right after it was made`)
    const wanted = { ...owner, mode: Number.parseInt(mode, 8) }
    await setOwnerAndMode(files, path, stat, wanted, effect)
    await files.syncDirectory(directoryOf(path))
    return done()
  })
}

export async function updateDirectory(
  target: KindTarget<DirectorySpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> {
  const { files } = context.world
  const owner = wantedOwner(files, target.desired)
  if (typeof owner === "string") return failed(owner, false, { class: "Dependency" })
  return attempt(context.signal, async (effect) => {
    const sight = await lookAt(files, target, memory, context.signal)
    const changed = changedSince(sight, context.token, tokenOf(sight))
    if (changed !== undefined || sight.kind !== "seen") return changed ?? raced("it is gone")
    if (sight.stat.type !== "directory") return inTheWay(target.desired.path, sight.stat.type)
    context.signal.throwIfAborted()
    return changeDirectory(files, target.desired, sight, owner, effect)
  })
}

async function changeDirectory(
  files: FilesAct,
  { path, mode }: DirectorySpec,
  seen: Extract<DirectorySight, { kind: "seen" }>,
  owner: Owner,
  effect: Effect,
): Promise<ActResult> {
  const [now] = files.lstatMany([path])
  if (now === undefined || now instanceof Error || now.inode !== seen.stat.inode) {
    return raced("it changed since it was observed")
  }
  const wanted = { ...owner, mode: Number.parseInt(mode, 8) }
  await setOwnerAndMode(files, path, seen.stat, wanted, effect)
  for (const name of seen.leftovers) {
    await unlessGone(() => files.unlink(`${path}/${name}`))
    effect.happened = true
  }
  await files.syncDirectory(directoryOf(path))
  return done()
}

export async function deleteDirectory(
  target: KindTarget<DirectorySpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> {
  const { files } = context.world
  const { path } = target.desired
  return attempt(context.signal, async (effect) => {
    const sight = await lookAt(files, target, memory, context.signal)
    if (sight.kind === "absent") return done()
    const changed = changedSince(sight, context.token, tokenOf(sight))
    if (changed !== undefined || sight.kind !== "seen") return changed ?? raced("it is gone")
    if (sight.stat.type !== "directory") return inTheWay(path, sight.stat.type)
    context.signal.throwIfAborted()
    for (const name of sight.leftovers) {
      await unlessGone(() => files.unlink(`${path}/${name}`))
      effect.happened = true
    }
    try {
      await files.rmdir(path)
    } catch (error) {
      if (errnoOf(error) !== "ENOTEMPTY" && errnoOf(error) !== "EEXIST") throw error
      return raced(await whatIsLeft(files, path))
    }
    effect.happened = true
    await files.syncDirectory(directoryOf(path))
    return done()
  })
}

const namesMax = 5

async function whatIsLeft(files: FilesAct, path: string): Promise<string> {
  const names = (await files.list(path)).map((entry) => JSON.stringify(entry.name)).sort()
  const first = names.slice(0, namesMax).join(", ")
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ""
  return `${path} is not empty: it holds ${first}${more}; remove them, or release the object`
}

async function unlessGone(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error
  }
}

const tokenOf = (sight: DirectorySight) => () =>
  sight.kind === "seen" ? directoryToken(sight) : ""

function inTheWay(path: string, type: string): ActResult {
  const what = { file: "a file", symlink: "a symlink" }[type] ?? "a FIFO, socket or device"
  return failed(`${what} is in the way at ${path}; it is never replaced or removed`, true, {
    class: "Conflict",
  })
}
