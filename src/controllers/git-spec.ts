// From a Loop's `source.git`, whose durations are text, to what the git source works with.

import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { type GitSourceSpec, gitFolderOf, gitRefOf } from "../contract/git-source.ts"

const intervalMsMin = 1000
const intervalMs = 60_000

const nameIn = (value: Json | undefined): string | undefined =>
  isObject(value) && typeof value.name === "string" ? value.name : undefined

export function gitSpecOf(git: JsonObject): GitSourceSpec {
  const secret = nameIn(git.secretRef)
  const webhookSecret = isObject(git.webhook) ? nameIn(git.webhook.secretRef) : undefined
  const interval = typeof git.interval === "string" ? parseDuration(git.interval) : undefined
  return {
    url: typeof git.url === "string" ? git.url : "",
    // Admission lets no other through.
    ref: gitRefOf(git.ref) ?? { branch: "" },
    path: gitFolderOf(git.path),
    intervalMs: Math.max(intervalMsMin, interval ?? intervalMs),
    ...(secret === undefined ? {} : { secret }),
    ...verifyOf(git.verify),
    ...(typeof git.environment === "string" ? { environment: git.environment } : {}),
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
    allowRewrite: git.allowRewrite === true,
  }
}

/** A policy that can't be read is kept as one that nobody meets. */
function verifyOf(value: Json | undefined): Pick<GitSourceSpec, "verify"> {
  if (value === undefined) return {}
  const { signers, what } = isObject(value) ? value : {}
  const kind = isObject(signers) && signers.kind === "Secret" ? "Secret" : "ConfigMap"
  return {
    verify: {
      signers: { kind, name: nameIn(signers) ?? "" },
      what: what === "TagOrCommit" ? "TagOrCommit" : "Commit",
    },
  }
}
