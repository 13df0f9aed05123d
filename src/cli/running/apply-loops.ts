// Brings the loops of `setpoint up PATH` into a running plane, as the person who started it.

import { at, type Json } from "../../base/json.ts"
import type { Client } from "../../contract/client.ts"
import { type LoopSpec, loopId } from "../../contract/loop.ts"
import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import { cliFault } from "../faults.ts"
import { folderLoop, loopNameOf, type UpFolder } from "./up-folder.ts"

const loops = { group: setpointGroup, version: setpointVersion, resource: "loops" } as const
const namespaces = { group: "", version: "v1", resource: "namespaces" } as const

export interface ApplyLoopsOptions {
  readonly namespace: string
  readonly name?: string
  /** Without it a loop that exists keeps the mode it has. */
  readonly mode?: LoopSpec["mode"]
}

/** The loops as they are now stored. */
export async function applyLoops(
  client: Client,
  folder: UpFolder,
  options: ApplyLoopsOptions,
): Promise<readonly ApiObject[]> {
  const wanted = folder.loops.length > 0 ? folder.loops : [await ownLoop(client, folder, options)]
  const applied: ApiObject[] = []
  for (const loop of wanted) {
    await ensureNamespace(client, loop.metadata.namespace ?? options.namespace)
    applied.push(await client.apply(loops, loop, { fieldManager: "setpoint-up", force: true }))
  }
  return applied
}

/** Never points a loop that keeps another folder to this one: that would release what it keeps. */
async function ownLoop(
  client: Client,
  folder: UpFolder,
  options: ApplyLoopsOptions,
): Promise<ApiObject> {
  const { path } = folder
  const { namespace } = options
  const name = options.name ?? loopNameOf(path, namespace)
  const known = await client.get({ ...loops, namespace, name })
  const spec: Json | undefined = known?.spec
  const before = at(spec, "source", "directory", "path")
  if (known !== undefined && before !== path) {
    const keeps = typeof before === "string" ? before : "what comes by the API"
    const details = { loop: loopId(namespace, name), keeps, path }
    throw cliFault("SPT-CLI-005", details)
  }
  const mode = options.mode ?? at(spec, "mode")
  const loop = folderLoop(name, namespace, folder, typeof mode === "string" ? mode : "Enforce")
  if (options.mode === undefined || at(spec, "mode") !== "Observe") return loop
  // Whoever starts it with a mode has decided; the loop says so.
  const annotations = { "setpoint.dev/promote-now": `started with --mode ${options.mode}` }
  return { ...loop, metadata: { ...loop.metadata, annotations } }
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  const known = await client.get({ ...namespaces, namespace: "", name })
  if (known !== undefined) return
  const namespace: ApiObject = { apiVersion: "v1", kind: "Namespace", metadata: { name } }
  await client.create(namespaces, namespace)
}
