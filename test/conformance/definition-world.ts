// The large definitions of test/fixtures/definitions, installed in a world, with the short forms
// their tests are written in.

import { readFileSync } from "node:fs"
import { parse } from "yaml"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { type ApiWorld, alice, definitions, faultOf, openApiWorld } from "./client-world.ts"

export function fixture(name: string): ApiObject {
  const file = new URL(`../fixtures/definitions/${name}.yaml`, import.meta.url)
  return parse(readFileSync(file, "utf8"), { maxAliasCount: 1000 }) as ApiObject
}

export interface DefinitionWorld extends ApiWorld {
  /** Causes of a refused write, as "reason field: message". */
  causes(task: Promise<unknown>): Promise<string[]>
  create(ref: ResourceRef, object: ApiObject): Promise<ApiObject>
  update(ref: ResourceRef, object: ApiObject): Promise<ApiObject>
  /** Reads, changes the spec, writes. */
  change(ref: ResourceRef, name: string, spec: (spec: JsonObject) => JsonObject): Promise<ApiObject>
  read(ref: ResourceRef, name: string, namespace?: string): Promise<ApiObject>
}

export async function openDefinitionWorld(...names: readonly string[]): Promise<DefinitionWorld> {
  const world = await openApiWorld()
  for (const name of names) await world.verbs.create(alice, definitions, fixture(name))
  const { verbs } = world
  const create = async (ref: ResourceRef, object: ApiObject) =>
    (await verbs.create(alice, ref, object)).object
  const update = async (ref: ResourceRef, object: ApiObject) =>
    (await verbs.update(alice, ref, object)).object
  const read = async (ref: ResourceRef, name: string, namespace = "default") => {
    const found = await verbs.get(alice, { ...ref, namespace, name })
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }
  const change = async (
    ref: ResourceRef,
    name: string,
    edit: (spec: JsonObject) => JsonObject,
  ): Promise<ApiObject> => {
    const live = await read(ref, name)
    return update(ref, { ...live, spec: edit((live.spec ?? {}) as JsonObject) })
  }
  const causes = async (task: Promise<unknown>) => causesOf((await faultOf(task)).details.causes)
  return { ...world, causes, create, update, change, read }
}

export function causesOf(text: string | undefined): string[] {
  const causes = JSON.parse(text ?? "[]") as { field: string; reason: string; message: string }[]
  return causes.map(
    ({ field, reason, message }) => `${reason.replace("FieldValue", "")} ${field}: ${message}`,
  )
}
