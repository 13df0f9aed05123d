// From what exists to manifests, for one kind: asks its importer, or its list where a scope can be
// said by the spec's own fields, and makes manifests that adopt. Secret values are never in them: a
// reference to a Secret stands in their place, or the field is left out and named.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Discovery, Found, ImportOption, Skipped } from "../contract/importer.ts"
import type { KindProvider, ObserveContext } from "../contract/provider.ts"
import type { ApiObject } from "../object/object.ts"
import { providerFault } from "./faults.ts"
import { objectNameOf } from "./import-names.ts"
import { specSchemaOf } from "./spec-schema.ts"

export type ImportOptions = Readonly<Record<string, string>>

export interface Imported {
  readonly objects: readonly ApiObject[]
  readonly skipped: readonly Skipped[]
}

/** More than this in one scope is a scope that was chosen too wide. */
export const importMax = 20_000

/** What `--scope` understands for this kind; undefined when it can't be imported. */
export function importOptionsOf(
  kind: KindProvider,
): Readonly<Record<string, ImportOption>> | undefined {
  return kind.importer?.options
}

/** Whether everything that the kind needs is given. */
export function canImport(kind: KindProvider, options: ImportOptions): boolean {
  const known = importOptionsOf(kind)
  if (known === undefined) return false
  return Object.entries(known).every(([name, { required }]) => !required || name in options)
}

export async function importKind(
  kind: KindProvider,
  options: ImportOptions,
  context: ObserveContext,
): Promise<Imported> {
  const known = importOptionsOf(kind)
  const { importer } = kind
  if (known === undefined || importer === undefined) {
    throw refusal(
      kind,
      "it can't tell what exists",
      "write its manifests by hand, with adopt: true",
    )
  }
  for (const [name, { required, description }] of Object.entries(known)) {
    if (required !== true || name in options) continue
    throw refusal(kind, `no ${name} is given`, `add --scope ${name}=... (${description})`)
  }
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => name in known))
  const { found, skipped } = await importer.find(own, context)
  if (found.length > importMax) {
    const cause = `${found.length} of them are in that scope, at most ${importMax}`
    throw refusal(kind, cause, "choose a narrower scope")
  }
  return manifestsOf(kind, { found, skipped })
}

const refusal = (kind: KindProvider, cause: string, hint: string) =>
  providerFault("SPT-PROV-040", { kind: kind.kind, cause, hint })

function manifestsOf(kind: KindProvider, { found, skipped }: Discovery): Imported {
  const more: Skipped[] = []
  const objects = found.map((one): ApiObject => {
    const name = objectNameOf(one.name)
    const { spec, lost } = withoutSecrets(kind, one, name)
    for (const field of lost) {
      const why = `the value of ${field} is secret; put it into a Secret and refer to it`
      more.push({ what: `${kind.kind} ${name}`, why })
    }
    return {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name },
      spec: { ...spec, adopt: true },
    }
  })
  return { objects, skipped: [...skipped, ...more] }
}

interface Cleaned {
  readonly spec: JsonObject
  readonly lost: readonly string[]
}

function withoutSecrets(kind: KindProvider, { spec }: Found, name: string): Cleaned {
  if (!protects("imports-hold-no-secrets")) return { spec, lost: [] }
  const lost: string[] = []
  let cleaned: JsonObject = spec
  for (const path of kind.secretPaths) {
    const schema = specSchemaOf(kind)
    const result = replaced(cleaned, path.split("."), schema, `${name}-${path}`)
    if (result === undefined) continue
    cleaned = result.value
    if (result.isLost) lost.push(path)
  }
  return { spec: cleaned, lost }
}

/** Without the value at that path; a reference instead where the schema takes one. */
function replaced(
  value: JsonObject,
  [step = "", ...rest]: readonly string[],
  schema: JsonObject,
  secret: string,
): { readonly value: JsonObject; readonly isLost: boolean } | undefined {
  const member = value[step]
  if (member === undefined) return undefined
  const properties = isObject(schema.properties) ? schema.properties : {}
  if (rest.length > 0) {
    const inner = properties[step]
    if (!isObject(member) || isArray(member)) return undefined
    const below = replaced(member, rest, isObject(inner) ? inner : {}, secret)
    return below === undefined ? undefined : { ...below, value: { ...value, [step]: below.value } }
  }
  const { [step]: _, ...others } = value
  const isReference = properties[`${step}From`] !== undefined
  if (!isReference) return { value: others, isLost: true }
  const from: Json = { kind: "Secret", name: objectNameOf(secret), field: `data.${step}` }
  return { value: { ...others, [`${step}From`]: from }, isLost: false }
}
