// Marks each declared object with the source revision that last changed it. A revision that leaves
// a manifest as it was must not touch the object: a commit to one file would otherwise rewrite
// all.

import { sourcePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import { type ApiObject, revisionAnnotation } from "../object/object.ts"
import type { Placed } from "./place-manifest.ts"

export interface ApplyDeclaredPorts {
  readonly verbs: Pick<Verbs, "apply">
  /** As it is stored now, of kinds without targets, too. */
  declaredObject(key: string): Promise<ApiObject | undefined>
}

/** As the loop's source; what it takes from others by force is its own by right. */
export async function applyDeclared(
  { resource, object, text }: Placed,
  loop: string,
  revision: string | undefined,
  dryRun: boolean,
  { verbs, declaredObject }: ApplyDeclaredPorts,
): Promise<ApiObject> {
  const principal = sourcePrincipal(loop)
  const how = { fieldManager: principal.name, force: true }
  const written = await applyMarked({
    ...{ object, revision, dryRun, stored: await declaredObject(text) },
    apply: (one, dry) => verbs.apply(principal, resource, one, { ...how, dryRun: dry }),
  })
  return written.object
}

export interface Written {
  readonly object: ApiObject
  readonly changed: boolean
}

export interface MarkedWrite {
  readonly object: ApiObject
  /** What is in force; undefined when that is not known yet. */
  readonly revision: string | undefined
  readonly stored: ApiObject | undefined
  readonly dryRun: boolean
  apply(object: ApiObject, dryRun: boolean): Promise<Written>
}

/** Writes only what differs besides the mark; then the mark says by which revision. */
export async function applyMarked(write: MarkedWrite): Promise<Written> {
  const { object, revision, stored, dryRun, apply } = write
  const before = markOf(stored)
  if (before === undefined) return apply(withMark(object, dryRun ? undefined : revision), dryRun)
  const same = before === revision
  const tried = await apply(withMark(object, before), dryRun || !same)
  return dryRun || same || !tried.changed ? tried : apply(withMark(object, revision), false)
}

export function markOf(stored: ApiObject | undefined): string | undefined {
  return stored?.metadata.annotations?.[revisionAnnotation]
}

export function withMark(object: ApiObject, revision: string | undefined): ApiObject {
  if (revision === undefined) return object
  const annotations = { ...object.metadata.annotations, [revisionAnnotation]: revision }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
