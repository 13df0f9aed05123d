// A git source of a Loop: one source only, an address without credentials, names that git has, a
// folder that stays inside the tree. An address is never repeated: it may hold a token.

import { isObject, type Json } from "../../base/json.ts"
import { parseRange } from "../../base/semver.ts"
import {
  gitAddress,
  gitFolderOf,
  gitPathProblem,
  gitRefNameProblem,
  gitRefOf,
} from "../../contract/git-source.ts"
import type { FieldCause } from "../faults.ts"
import { durationCauses } from "./time-rules.ts"

const invalid = (field: string, message: string): FieldCause => ({
  ...{ field: `spec.source${field}`, reason: "FieldValueInvalid", message },
})

export function gitCauses(source: Json | undefined): FieldCause[] {
  if (!isObject(source) || !isObject(source.git)) return []
  const { git } = source
  const causes: FieldCause[] = []
  if (source.directory !== undefined) {
    causes.push(invalid("", "a loop has one source: directory or git, not both"))
  }
  const address = gitAddress(String(git.url))
  if ("problem" in address) {
    const hint = "name the repository alone, and credentials by secretRef"
    causes.push(invalid(".git.url", `${address.problem}; ${hint}`))
  }
  causes.push(...refCauses(git.ref))
  const problem = gitPathProblem(gitFolderOf(git.path))
  if (problem !== undefined) causes.push(invalid(".git.path", problem))
  causes.push(...durationCauses("spec.source.git.interval", git.interval))
  return causes
}

function refCauses(value: Json | undefined): FieldCause[] {
  const ref = gitRefOf(value)
  if (ref === undefined) return [invalid(".git.ref", "say one of branch, tag, semver or commit")]
  if ("semver" in ref && parseRange(ref.semver) === undefined) {
    return [invalid(".git.ref.semver", 'must be a range such as "1.x" or ">=1.2.0 <2.0.0"')]
  }
  const name = "branch" in ref ? ref.branch : "tag" in ref ? ref.tag : undefined
  const problem = name === undefined ? undefined : gitRefNameProblem(name)
  return problem === undefined ? [] : [invalid(".git.ref", problem)]
}
