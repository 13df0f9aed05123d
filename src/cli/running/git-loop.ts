// The loop of `setpoint up --git URL`: named after the repository, as the person who started it.

import { at, type Json, type JsonObject } from "../../base/json.ts"
import type { Client } from "../../contract/client.ts"
import { gitAddress, gitFolderOf } from "../../contract/git-source.ts"
import { loopId } from "../../contract/loop.ts"
import {
  type ApiObject,
  apiVersionOf,
  setpointGroup,
  setpointVersion,
} from "../../object/object.ts"
import { cliFault } from "../faults.ts"
import { labelOf } from "./up-folder.ts"

export interface GitLoopOptions {
  readonly git: string
  readonly branch?: string
  readonly tag?: string
  readonly semver?: string
  readonly path?: string
  readonly gitSecret?: string
  readonly name?: string
  readonly mode?: string
}

const loops = { group: setpointGroup, version: setpointVersion, resource: "loops" } as const

/** Before anything is made on the disk. */
export function gitLoopName(options: GitLoopOptions, namespace: string): string {
  const { git, name, branch, tag, semver } = options
  const refuse = (what: string, why: string, hint: string) =>
    cliFault("SPT-CLI-002", { what, why, hint })
  const address = gitAddress(git)
  if ("problem" in address) {
    const hint = "name the repository alone; credentials come by --git-secret NAME"
    throw refuse("the repository", address.problem, hint)
  }
  if ([branch, tag, semver].filter((one) => one !== undefined).length > 1) {
    throw refuse("the repository", "it follows one thing", "say --branch, --tag or --semver")
  }
  const last = git.split(/[/:]/).findLast((part) => part !== "") ?? ""
  const label = name ?? labelOf(last.replace(/\.git$/, ""), 62 - namespace.length)
  if (label !== "") return label
  throw refuse("the repository", "its name holds no letter or digit", "name the loop with --name")
}

/** Never points a loop that keeps something else to this: that would release what it keeps. */
export async function gitLoop(
  client: Client,
  options: GitLoopOptions,
  namespace: string,
): Promise<ApiObject> {
  const name = gitLoopName(options, namespace)
  const known = await client.get({ ...loops, namespace, name })
  const spec: Json | undefined = known?.spec
  const path = gitFolderOf(options.path)
  if (known !== undefined && keptText(spec) !== sourceText(options.git, path)) {
    const details = { loop: loopId(namespace, name), keeps: keptText(spec) }
    throw cliFault("SPT-CLI-005", { ...details, path: sourceText(options.git, path) })
  }
  const mode = options.mode ?? at(spec, "mode")
  const promoted = options.mode !== undefined && at(spec, "mode") === "Observe"
  const annotations = { "setpoint.dev/promote-now": `started with --mode ${options.mode}` }
  return {
    apiVersion: apiVersionOf(setpointGroup, setpointVersion),
    kind: "Loop",
    metadata: { name, namespace, ...(promoted ? { annotations } : {}) },
    spec: {
      mode: typeof mode === "string" ? mode : "Enforce",
      source: { git: { url: options.git, ...(path === "" ? {} : { path }), ...followed(options) } },
    },
  }
}

function followed({ branch, tag, semver, gitSecret }: GitLoopOptions): JsonObject {
  const ref = {
    ...(branch === undefined ? {} : { branch }),
    ...(tag === undefined ? {} : { tag }),
    ...(semver === undefined ? {} : { semver }),
  }
  return {
    ...(Object.keys(ref).length === 0 ? {} : { ref }),
    ...(gitSecret === undefined ? {} : { secretRef: { name: gitSecret } }),
  }
}

const sourceText = (url: string, path: string) => (path === "" ? url : `${url} ${path}`)

function keptText(spec: Json | undefined): string {
  const url = at(spec, "source", "git", "url")
  if (typeof url === "string")
    return sourceText(url, gitFolderOf(at(spec, "source", "git", "path")))
  const folder = at(spec, "source", "directory", "path")
  return typeof folder === "string" ? folder : "what comes by the API"
}
