// Steps that acts of both kinds share. A failed system call before the effect proves that nothing
// changed; after it, and for anything that is not a clear refusal, the error is thrown on: the
// engine then looks again before it does anything else.

import type { Failure } from "../../contract/diagnosis.ts"
import type { ActContext, ActResult } from "../../contract/provider.ts"
import type { FileStat, FilesAct } from "../../contract/world.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { errnoOf } from "./faults.ts"
import type { Owner } from "./file-spec.ts"
import { statText } from "./host-memory.ts"
import type { Sight } from "./look.ts"

export const done = (note?: string): ActResult => ({
  kind: "done",
  ...(note === undefined ? {} : { note }),
})

export const failed = (cause: string, stuck = false, failure?: Failure): ActResult => ({
  kind: "failed",
  cause,
  ...(stuck ? { stuck } : {}),
  ...(failure === undefined ? {} : { failure }),
})

/** Somebody else was there first; nothing was changed. */
export const raced = (cause: string): ActResult => failed(cause, false, { class: "Conflict" })

/** Errors by which the kernel says that it did nothing. EIO is not one of them. */
const refusals = new Set([
  ...["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EEXIST", "ENOENT", "ENOTDIR", "EISDIR"],
  ...["ENOTEMPTY", "EBUSY", "EXDEV", "EMLINK", "ELOOP", "ENAMETOOLONG", "EINVAL", "EMFILE"],
  ...["ENFILE", "EOPNOTSUPP", "ENOTSUP", "ETXTBSY"],
])

/** Set by the step that changes the target: from then on a failure is no longer "nothing done". */
export interface Effect {
  happened: boolean
}

export async function attempt(
  signal: AbortSignal,
  run: (effect: Effect) => Promise<ActResult>,
): Promise<ActResult> {
  const effect: Effect = { happened: false }
  try {
    return await untilAborted(signal, () => run(effect))
  } catch (error) {
    const errno = errnoOf(error)
    if (effect.happened || errno === undefined || !refusals.has(errno)) throw error
    return failed(error instanceof Error ? error.message : errno, false, { errno })
  }
}

/** Why the target is no longer what the action was planned on, or undefined. */
export function changedSince(
  sight: Sight,
  token: string | undefined,
  tokenOf: (seen: Extract<Sight, { kind: "seen" }>) => string,
): ActResult | undefined {
  if (sight.kind === "unknown") return failed(sight.cause, sight.stuck, sight.failure)
  if (sight.kind === "absent") return raced("it is gone since it was observed")
  if (token === undefined) return failed("the action carries no token to compare with")
  if (tokenOf(sight) === token) return undefined
  return raced("it changed since it was observed")
}

/** The last check, with nothing between it and the call that follows. */
export function isStill(files: FilesAct, path: string, stat: FileStat): boolean {
  const [now] = files.lstatMany([path])
  return now !== undefined && !(now instanceof Error) && statText(now) === statText(stat)
}

/** Owner before mode: changing the owner clears the set-id bits. */
export async function setOwnerAndMode(
  files: FilesAct,
  path: string,
  stat: FileStat,
  wanted: Owner & { readonly mode?: number },
  effect: Effect,
): Promise<void> {
  const uid = wanted.uid ?? stat.uid
  const gid = wanted.gid ?? stat.gid
  const chowns = uid !== stat.uid || gid !== stat.gid
  if (chowns) {
    await files.chown(path, uid, gid)
    effect.happened = true
  }
  if (wanted.mode !== undefined && (chowns || wanted.mode !== stat.mode)) {
    await files.chmod(path, wanted.mode)
    effect.happened = true
  }
}

export const isAdoption = (context: ActContext): boolean => context.action.verb === "adopt"
