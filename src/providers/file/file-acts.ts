// Makes, changes and removes files and symlinks. A file gets its name only when its content, owner
// and mode are complete and on disk; what exists is replaced only when it is what was observed.

import { protects } from "../../base/protections.ts"
import type { ActContext, ActResult } from "../../contract/provider.ts"
import type { FilesAct } from "../../contract/world.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import {
  attempt,
  changedSince,
  done,
  type Effect,
  failed,
  isAdoption,
  isStill,
  raced,
  setOwnerAndMode,
} from "./act-steps.ts"
import { backUp } from "./backup.ts"
import { fileToken } from "./facts.ts"
import { errnoOf } from "./faults.ts"
import { type FileSpec, type FileWish, fileWish, type Owner, wantedOwner } from "./file-spec.ts"
import type { HostMemory } from "./host-memory.ts"
import { look, type Seen } from "./look.ts"
import { labelOf } from "./temporaries.ts"

interface Job {
  readonly files: FilesAct
  readonly memory: HostMemory
  readonly target: KindTarget<FileSpec>
  readonly context: ActContext
  readonly wish: FileWish
  readonly owner: Owner
  readonly label: string
  readonly effect: Effect
}

function run(
  target: KindTarget<FileSpec>,
  context: ActContext,
  memory: HostMemory,
  act: (job: Job) => Promise<ActResult>,
): Promise<ActResult> {
  const { files } = context.world
  const wish = fileWish(target.desired)
  if (typeof wish === "string") return Promise.resolve(failed(wish, true, { class: "BadSpec" }))
  const owner = wantedOwner(files, target.desired)
  const label = labelOf(target.uid)
  return memory.temporaries.using(label, () =>
    attempt(context.signal, async (effect) => {
      if (typeof owner === "string" && act !== removeFile)
        return failed(owner, false, { class: "Dependency" })
      if (wish.body.kind === "recorded" && act !== removeFile) {
        return failed("only a hash of the content is known", true, { class: "BadSpec" })
      }
      const known = typeof owner === "string" ? {} : owner
      const job = { files, memory, target, context, wish, owner: known, label, effect }
      try {
        return await act(job)
      } catch (error) {
        memory.temporaries.forget(wish.directory)
        throw error
      }
    }),
  )
}

export const createFile = (
  target: KindTarget<FileSpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> => run(target, context, memory, makeFile)

export const updateFile = (
  target: KindTarget<FileSpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> => run(target, context, memory, changeFile)

export const deleteFile = (
  target: KindTarget<FileSpec>,
  context: ActContext,
  memory: HostMemory,
): Promise<ActResult> => run(target, context, memory, removeFile)

const lookAgain = ({ files, wish, memory, target, context: { signal } }: Job) => {
  const applied = target.applied !== undefined
  return look(files, wish, memory, { wanted: wish.body.hash, applied, signal })
}

async function makeFile(job: Job): Promise<ActResult> {
  const { files, wish, memory, effect } = job
  const sight = await lookAgain(job)
  if (sight.kind === "unknown") return failed(sight.cause, sight.stuck, sight.failure)
  if (sight.kind === "seen") return raced(`${wish.path} exists by now; it is not replaced`)
  await memory.temporaries.removeOwn(files, wish.directory, job.label)
  job.context.signal.throwIfAborted()
  const anyOwner = job.owner.uid === undefined && job.owner.gid === undefined
  if (wish.body.kind === "symlink" && anyOwner) return makeLink(job, wish.body.link)
  const temporary = await prepare(job, undefined)
  try {
    // Unlike rename, link refuses to replace what somebody else put there meanwhile.
    await files.link(temporary, wish.path)
    effect.happened = true
  } catch (error) {
    await memory.temporaries.discard(files, temporary)
    if (errnoOf(error) !== "EEXIST") throw error
    return raced(`${wish.path} exists by now; it is not replaced`)
  }
  await memory.temporaries.remove(files, temporary)
  await files.syncDirectory(wish.directory)
  return done()
}

/** Without an owner a link is complete from the start, and symlink never replaces anything. */
async function makeLink({ files, wish, effect }: Job, link: string): Promise<ActResult> {
  await files.symlink(link, wish.path)
  effect.happened = true
  await files.syncDirectory(wish.directory)
  return done()
}

async function changeFile(job: Job): Promise<ActResult> {
  const { files, wish, memory, effect } = job
  const seen = await lookAgain(job)
  const changed = changedSince(seen, job.context.token, fileToken)
  if (changed !== undefined || seen.kind !== "seen") return changed ?? raced("it is gone")
  const { stat } = seen
  if (stat.type === "directory" || stat.type === "other") return inTheWay(wish.path, stat.type)
  await memory.temporaries.removeOwn(files, wish.directory, job.label)
  const wantedType = wish.body.kind === "content" ? "file" : "symlink"
  if (stat.type === wantedType && seen.hash === wish.body.hash) {
    job.context.signal.throwIfAborted()
    if (!isStill(files, wish.path, stat)) return raced("it changed since it was observed")
    const mode = wish.body.kind === "content" ? { mode: wish.mode } : {}
    await setOwnerAndMode(files, wish.path, stat, { ...job.owner, ...mode }, effect)
    await files.syncDirectory(wish.directory)
    return done()
  }
  return replaceFile(job, seen)
}

async function replaceFile(job: Job, seen: Seen): Promise<ActResult> {
  const { files, wish, memory, effect } = job
  let note: string | undefined
  if (isAdoption(job.context) && protects("adoption-keeps-a-copy")) {
    const directory = memory.backupDirectory
    if (directory === undefined) {
      return failed("no backup directory is configured, and adoption keeps the old content", true)
    }
    const { uid } = job.target
    const { temporaries } = memory
    const kept = await backUp({ files, directory, uid, path: wish.path, seen, temporaries })
    note = `the old content is kept in ${kept}`
  }
  const temporary = await prepare(job, seen)
  try {
    if (!isStill(files, wish.path, seen.stat)) {
      await memory.temporaries.discard(files, temporary)
      return raced("it changed since it was observed")
    }
    await files.rename(temporary, wish.path)
    effect.happened = true
  } catch (error) {
    await memory.temporaries.discard(files, temporary)
    throw error
  }
  await files.syncDirectory(wish.directory)
  return done(note)
}

/** A complete file or link under a temporary name. Fields that nobody manages stay as they were. */
async function prepare(job: Job, seen: Seen | undefined): Promise<string> {
  const { files, wish, label, memory } = job
  const owner = {
    ...(seen === undefined ? {} : { uid: seen.stat.uid, gid: seen.stat.gid }),
    ...job.owner,
  }
  // Nobody else may read it before it has its owner; without one to set the mode is synced with it.
  const final = owner.uid === undefined && owner.gid === undefined
  const temporary = await writeBody(job, final ? wish.mode : 0o600)
  try {
    const stat = await files.lstat(temporary)
    if (stat === undefined) throw new Error(`the temporary file of ${label} vanished`)
    const mode = wish.body.kind === "content" ? { mode: wish.mode } : {}
    await setOwnerAndMode(files, temporary, stat, { ...owner, ...mode }, { happened: false })
    // Whoever gave up waiting must not be surprised by a change that comes later.
    job.context.signal.throwIfAborted()
    return temporary
  } catch (error) {
    await memory.temporaries.discard(files, temporary)
    throw error
  }
}

async function writeBody({ files, wish, label, context }: Job, mode: number): Promise<string> {
  if (wish.body.kind === "content") {
    return files.writeTemporary(wish.directory, wish.body.bytes, mode, label)
  }
  if (wish.body.kind === "recorded") throw new Error("there is no content to write")
  const name = `.setpoint-${label}-${context.action.digest.slice(0, 24)}`
  const path = `${wish.directory === "/" ? "" : wish.directory}/${name}`
  await files.symlink(wish.body.link, path)
  return path
}

async function removeFile(job: Job): Promise<ActResult> {
  const { files, wish, memory, effect } = job
  const seen = await lookAgain(job)
  if (seen.kind === "absent") return done()
  const changed = changedSince(seen, job.context.token, fileToken)
  if (changed !== undefined || seen.kind !== "seen") return changed ?? raced("it is gone")
  const { stat } = seen
  if (stat.type === "directory" || stat.type === "other") return inTheWay(wish.path, stat.type)
  await memory.temporaries.removeOwn(files, wish.directory, job.label)
  job.context.signal.throwIfAborted()
  if (!isStill(files, wish.path, stat)) return raced("it changed since it was observed")
  await files.unlink(wish.path)
  effect.happened = true
  await files.syncDirectory(wish.directory)
  return done()
}

function inTheWay(path: string, type: "directory" | "other"): ActResult {
  const what = type === "directory" ? "a directory" : "a FIFO, socket or device"
  return failed(`${what} is in the way at ${path}; it is never replaced or removed`, true, {
    class: "Conflict",
  })
}
