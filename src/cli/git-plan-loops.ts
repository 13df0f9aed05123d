// Which loops `setpoint plan --git REF [PATH]` is about: those that take from the repository, all
// of them or those of one folder; or a loop that would keep the folder, when none does yet. Pure.

import { gitAddress, gitFolderOf } from "../contract/git-source.ts"
import { loopSpecOf } from "../controllers/loop-spec.ts"
import { type ApiObject, apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import { cliFault } from "./faults.ts"
import { loopNameOf } from "./running/up-folder.ts"

export interface GitPlanChoice {
  readonly namespace: string
  readonly mode: string
  readonly name?: string
  /** Address of the repository, when it was said. */
  readonly url?: string
  /** A folder of the repository, when one was said. */
  readonly path?: string
  /** The folder of the repository that lies here. */
  readonly top?: string
}

export function gitPlanLoops(
  stored: readonly ApiObject[],
  choice: GitPlanChoice,
): readonly ApiObject[] {
  const { url, path } = choice
  const all = stored.filter((loop) => gitOf(loop) !== undefined)
  const ofUrl = all.filter((loop) => url === undefined || gitOf(loop)?.url === url)
  const own = url === undefined ? ofOneRepository(ofUrl, choice.top) : ofUrl
  const folder = path === undefined ? undefined : gitFolderOf(path)
  const chosen = own.filter((loop) => folder === undefined || isWithin(loop, folder))
  if (chosen.length > 0) return chosen
  if (folder === undefined) throw cliFault("SPT-CLI-045")
  return [newLoop(choice, folder)]
}

const gitOf = (loop: ApiObject) => loopSpecOf(loop).source?.git

function isWithin(loop: ApiObject, folder: string): boolean {
  const path = gitOf(loop)?.path ?? ""
  return folder === "" || path === folder || path.startsWith(`${folder}/`)
}

/** Several repositories: the one that is called as the folder here, if that is clear. */
function ofOneRepository(loops: readonly ApiObject[], top = ""): readonly ApiObject[] {
  const urls = [...new Set(loops.map((loop) => gitOf(loop)?.url ?? ""))]
  if (urls.length <= 1) return loops
  const called = urls.filter((url) => repositoryName(url) === repositoryName(top))
  if (called.length !== 1) throw cliFault("SPT-CLI-046", { urls: urls.slice(0, 5).join(", ") })
  return loops.filter((loop) => gitOf(loop)?.url === called[0])
}

function repositoryName(url: string): string {
  const last = url.split(/[/:]/).findLast((part) => part !== "") ?? ""
  return last.replace(/\.git$/, "")
}

function newLoop(
  { namespace, mode, name, url, top = "" }: GitPlanChoice,
  folder: string,
): ApiObject {
  // Never asked for: the repository lies here.
  const local = `file://${top}`
  const place = url ?? ("problem" in gitAddress(local) ? "file:///repository" : local)
  const path = folder === "" ? {} : { path: folder }
  return {
    apiVersion: apiVersionOf(setpointGroup, setpointVersion),
    kind: "Loop",
    metadata: {
      name: name ?? loopNameOf(folder === "" ? "repository" : folder, namespace),
      namespace,
    },
    spec: { mode, source: { git: { url: place, ...path } } },
  }
}
