// Calls the file kinds as the engine calls them, for tests: one observation or one act at a time.

import type { JsonObject } from "../../../base/json.ts"
import { finishAction, type Verb } from "../../../contract/action.ts"
import type { Observation } from "../../../contract/observation.ts"
import type { ActResult, KindProvider, Target } from "../../../contract/provider.ts"
import type { ActWorld, FilesAct } from "../../../contract/world.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import { nodeFiles } from "../adapter/node-files.ts"
import { fileKinds } from "../file-kinds.ts"
import type { FileKindOptions } from "../host-memory.ts"

export interface ActRequest {
  readonly token?: string
  readonly applied?: boolean
  readonly signal?: AbortSignal
}

export class KindDriver {
  readonly kind: KindProvider
  readonly world: ActWorld
  uid = "7d1c2f9e-0000-4000-8000-000000000001"

  constructor(kindName: string, options: Partial<FileKindOptions> = {}, files?: FilesAct) {
    const kinds = fileKinds({ roots: ["/"], forbidden: [], ...options })
    const kind = kinds.find((candidate) => candidate.kind === kindName)
    if (kind === undefined) throw new Error(`no kind ${kindName}`)
    this.kind = kind
    this.world = worldWith({ files: files ?? nodeFiles() })
  }

  target(spec: JsonObject, applied = false): Target {
    const desired = { mode: this.kind.kind === "File" ? "0644" : "0755", ...spec }
    const identity = this.kind.identity(desired)
    const base = { uid: this.uid, object: "x/default/t", desired, identity }
    return applied ? { ...base, applied: desired } : base
  }

  async observe(spec: JsonObject, applied = false): Promise<Observation> {
    const signal = new AbortController().signal
    const seen = await this.kind.observe?.(this.target(spec, applied), {
      world: this.world,
      signal,
    })
    if (seen === undefined) throw new Error("the kind has no observe")
    return seen
  }

  async act(verb: Verb, spec: JsonObject, request: ActRequest = {}): Promise<ActResult> {
    const target = this.target(spec, request.applied)
    const token = request.token === undefined ? {} : { token: request.token }
    const action = finishAction({
      ...{ verb, uid: target.uid, object: target.object, kind: this.kind.kind },
      ...{ loop: "default.default", generation: 1, incarnation: 1, changes: [], ...token },
      target: target.identity,
      cause: { kind: "edit", text: "a test" },
    })
    const signal = request.signal ?? new AbortController().signal
    const context = { world: this.world, signal, action, idempotencyKey: "k", ...token }
    if (verb === "create") return this.kind.create(target, context)
    if (verb === "delete") return this.kind.delete(target, context)
    return this.kind.update(target, context)
  }

  /** Observes, and acts on exactly what was seen. */
  async actOnSeen(verb: Verb, spec: JsonObject): Promise<ActResult> {
    const seen = await this.observe(spec)
    return this.act(verb, spec, seen.kind === "present" ? { token: seen.token } : {})
  }
}
