// Makes a composite kind from what an author writes: a kind whose objects stand for several objects
// of other kinds. It checks and translates at definition time only; what `compose` says is written
// by the plane, as objects, and judged like every other declaration.

import type { z } from "zod"
import type { JsonObject } from "../base/json.ts"
import type {
  ComposeInput,
  CompositeKind,
  Composition,
  KindName,
  NoComposition,
} from "../contract/composite.ts"
import type { ApiObject, ObjectMeta } from "../object/object.ts"
import { checkNames, pluralOf, type SpecOf } from "./define-kind.ts"
import { definitionOf, type PrinterColumn } from "./definition.ts"
import { providerFault } from "./faults.ts"
import { lowerSchema } from "./lower-schema.ts"
import { secretPathsOf } from "./secret-paths.ts"

/** The parent as its author sees it: the spec has the type that the schema says. */
export interface ParentOf<S> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec: SpecOf<S>
  readonly status?: JsonObject
}

export interface CompositeInput<S> {
  readonly group: string
  readonly version: string
  /** CamelCase, singular. */
  readonly kind: string
  /** Lower case; made from the kind by default. */
  readonly plural?: string
  readonly scope?: "Namespaced" | "Cluster"
  readonly shortNames?: readonly string[]
  readonly description?: string
  /** z.strictObject({...}), or a plain JSON Schema of type object. */
  readonly spec: S
  readonly printerColumns?: readonly PrinterColumn[]
  /** Where `kubectl scale` finds the number. */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string }
  /** Needed only where no kind of its children is privileged by itself. */
  readonly privileged?: boolean
  /** The kinds that children may have; anything else that compose returns is refused. */
  readonly children?: readonly KindName[]
  /** Kinds whose objects compose is given as well. */
  readonly related?: readonly KindName[]
  /** Asked again with `refused` when the API would refuse some of its children. */
  readonly hearsRefusals?: boolean
  /**
   * Pure: from what is declared and known to what should exist now. Without it the kind is declared
   * data, whose status comes from the reports of another kind.
   */
  compose?(
    input: Omit<ComposeInput, "parent"> & { readonly parent: ParentOf<S> },
  ): Composition | NoComposition
}

export function defineComposite<const S extends z.ZodObject | JsonObject>(
  input: CompositeInput<S>,
): CompositeKind {
  const { group, version, kind, compose, children = [], related = [] } = input
  const resource = input.plural ?? pluralOf(kind)
  checkNames({ ...input, plural: resource })
  check(input)
  const scope = input.scope ?? "Namespaced"
  const spec = lowerSchema(input.spec, kind)
  const definition = definitionOf({
    ...{ group, version, kind, plural: resource, scope },
    spec,
    shortNames: input.shortNames ?? [],
    printerColumns: input.printerColumns ?? [],
    adopts: false,
    ...(input.scale === undefined ? {} : { scale: input.scale }),
    ...(input.description === undefined ? {} : { description: input.description }),
  })
  return {
    ...{ definition, group, version, kind, resource, children, related },
    ...{ namespaced: scope === "Namespaced", secretPaths: secretPathsOf(spec) },
    ...(compose === undefined ? { reported: true } : {}),
    ...(input.privileged === true ? { privileged: true } : {}),
    ...(input.hearsRefusals === true ? { hearsRefusals: true } : {}),
    compose: (given) =>
      compose === undefined
        ? { children: [], status: given.parent.status ?? {} }
        : compose.call(input, { ...given, parent: parentOf<S>(given.parent) }),
  }
}

/** The API validated the spec against the lowered schema, so it has the type that zod says. */
function parentOf<S>({ apiVersion, kind, metadata, spec, status }: ApiObject): ParentOf<S> {
  const known = status === undefined ? {} : { status }
  return { apiVersion, kind, metadata, spec: (spec ?? {}) as SpecOf<S>, ...known }
}

function check<S>({ kind, group, children = [], related = [], compose }: CompositeInput<S>): void {
  const wrong = (cause: string) => providerFault("SPT-PROV-002", { kind, cause })
  const own = children.find((child) => child.kind === kind && child.group === group)
  if (own !== undefined) throw wrong("it has itself among its children")
  if (compose === undefined && children.length + related.length > 0) {
    throw wrong("without compose nothing would become of its children and related kinds")
  }
  if (compose !== undefined && typeof compose !== "function") {
    throw wrong("compose is not a function")
  }
}
