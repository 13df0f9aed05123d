// What an object asks for: its spec after defaults, with references filled in and without the
// fields that are meant for the engine. It also says what was referred to, and which fields hold
// the value of a Secret, for those must never be remembered or shown.

import type { Json, JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { protects } from "../base/protections.ts"
import type { Desire, KindProvider, Reference } from "../contract/provider.ts"
import { type ApiObject, parseApiVersion } from "../object/object.ts"

/** There is a value, and whoever asks must not have it. */
export class RefusedValue {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The value of a field of another object, now, for the object that asks. */
export type Lookup = (
  reference: Reference,
  namespace: string,
  asking: ApiObject,
) => Promise<Json | RefusedValue | undefined>

export interface FoundReference {
  readonly reference: Reference
  /** Undefined while there is none. */
  readonly value: Json | undefined
}

export interface Desired extends Desire {
  readonly references: readonly FoundReference[]
  /** Field paths that were filled from a Secret. */
  readonly secretPaths: readonly string[]
  /** Why a value is not given, when one is not. */
  readonly refused?: string
}

export async function desire(
  object: ApiObject,
  kind: KindProvider,
  lookup: Lookup,
): Promise<Desired> {
  const spec = withUid(object, kind)
  const first = desireNow(spec, kind, () => undefined)
  if (first.missing.length === 0) return { ...first, references: [], secretPaths: [] }
  const namespace = object.metadata.namespace ?? ""
  const values = new Map<string, Json | undefined>()
  const references: FoundReference[] = []
  const refused: string[] = []
  for (const reference of first.missing.map(nameOnly)) {
    const answer = fits(reference, namespace)
      ? await lookup(reference, namespace, object)
      : undefined
    const known = answer instanceof RefusedValue ? undefined : answer
    if (answer instanceof RefusedValue) refused.push(answer.why)
    values.set(jsonText(reference), known)
    references.push({ reference, value: known })
  }
  const found = desireNow(spec, kind, (reference) => values.get(jsonText(nameOnly(reference))))
  const secrets = references.filter(({ reference }) => isSecretReference(reference))
  const paths = secrets.map(({ reference }) => secretPathOf(reference.path ?? ""))
  const secretPaths = protects("values-of-secrets-stay-hidden") ? [...new Set(paths)] : []
  const [why] = refused
  return { ...found, references, secretPaths, ...(why === undefined ? {} : { refused: why }) }
}

/** A target without a name of its own goes by the object's UID. */
function withUid({ spec = {}, metadata }: ApiObject, { uidField }: KindProvider): JsonObject {
  if (uidField === undefined || spec[uidField] !== undefined) return spec
  // What is only previewed has no UID yet.
  const { uid, namespace = "", name } = metadata
  return { ...spec, [uidField]: uid ?? `${namespace}.${name}` }
}

/** A Secret is taken from the same namespace only, and only into a field that can be named. */
function fits(reference: Reference, namespace: string): boolean {
  if (!isSecretReference(reference)) return true
  return reference.path !== undefined && (reference.namespace ?? namespace) === namespace
}

export function isSecretReference({ kind, apiVersion }: Reference): boolean {
  return kind === "Secret" && (apiVersion === undefined || parseApiVersion(apiVersion).group === "")
}

/** Paths are dotted member names: what lies in a list makes the whole list secret. */
function secretPathOf(path: string): string {
  const bracket = path.indexOf("[")
  return bracket < 0 ? path : path.slice(0, bracket)
}

function nameOnly({ apiVersion, kind, namespace, name, field, path }: Reference): Reference {
  return {
    ...{ kind, name, field },
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(path === undefined ? {} : { path }),
  }
}

function desireNow(
  spec: JsonObject,
  kind: KindProvider,
  lookup: (reference: Reference) => Json | undefined,
): Desire {
  if (kind.desire !== undefined) return kind.desire(spec, lookup)
  const { adopt: _, ...desired } = spec
  return { desired, missing: [] }
}

/** The manifest itself allows to take charge of what exists. */
export function declaresAdoption(object: ApiObject): boolean {
  return object.spec?.adopt === true
}
