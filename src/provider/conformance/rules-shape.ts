// Rules about what a kind is before anything is done: its definition, its identities, its tokens.

import { at, type Json, type JsonObject } from "../../base/json.ts"
import { schemaIssues } from "../../schema/compile-schema.ts"
import { issueText } from "../../schema/issue.ts"
import { rootSchemaOf } from "../spec-schema.ts"
import { type Bench, must } from "./bench.ts"
import type { RuleDefinition } from "./rule.ts"

export const definitionIsStructural: RuleDefinition = {
  name: "definition-is-structural",
  rule: "The definition is a valid apiextensions.k8s.io/v1 object with a structural schema.",
  async examine({ subject: { kind } }) {
    const { definition } = kind
    must(definition.kind === "CustomResourceDefinition", "the definition has another kind")
    const name = `${kind.resource}.${kind.group}`
    must(definition.metadata.name === name, `the definition is not called ${name}`)
    must(at(definition.spec, "names", "kind") === kind.kind, "the definition names another kind")
    const scope = kind.namespaced ? "Namespaced" : "Cluster"
    must(at(definition.spec, "scope") === scope, `the definition's scope is not ${scope}`)
    const issue = schemaIssues(rootSchemaOf(kind))[0]
    must(issue === undefined, issue === undefined ? "" : `the schema: ${issueText(issue)}`)
    for (const part of ["spec", "status"]) {
      const found = at(rootSchemaOf(kind), "properties", part)
      must(found !== undefined, `the schema has no ${part}`)
    }
  },
}

export const identityIsDerived: RuleDefinition = {
  name: "identity-is-derived",
  rule: "The identity comes from the spec alone, is stable, and differs between targets.",
  examine: ({ subject: { kind }, open }) =>
    open(async ({ samples }: Bench) => {
      const first = kind.identity(samples.first)
      must(typeof first === "string" && first !== "", "an identity is empty")
      must(kind.identity(samples.first) === first, "the same spec gives two identities")
      const copy = reversed(samples.first) as JsonObject
      must(kind.identity(copy) === first, "the identity depends on the order of the fields")
      const second = kind.identity(samples.second)
      must(second === first, "the identity changes with a field that can be updated")
      const all = [first, ...samples.others.map((spec) => kind.identity(spec))]
      must(samples.others.length >= 2, "the subject gives fewer than two other targets")
      must(new Set(all).size === all.length, "two different targets have the same identity")
      const frozen = deepFreeze(structuredClone(samples.first) as Json) as JsonObject
      must(kind.identity(frozen) === first, "the identity of a copied spec differs")
    }),
}

export const tokenTracksValue: RuleDefinition = {
  name: "token-tracks-value",
  rule: "The token changes when the target does, and only then.",
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, second, others } = bench.samples
      const token = await bench.make(first)
      must((await bench.tokenOf(first)) === token, "two reads of the same value give two tokens")
      const [other] = others
      if (other !== undefined) await bench.make(other)
      const still = await bench.tokenOf(first)
      must(still === token, "the token changes when another target is made")
      await bench.outside.drift(bench.kind.identity(first))
      const drifted = await bench.tokenOf(first)
      must(drifted !== token, "the token stays the same although the target changed")
      await bench.act("update", second, { token: drifted })
      const updated = await bench.tokenOf(second)
      must(updated !== drifted, "the token stays the same although the target was updated")
    }),
}

export const fingerprintsNotice: RuleDefinition = {
  name: "fingerprints-notice",
  rule: "A fingerprint changes whenever an observation would; one per identity, in order.",
  notFor: ({ kind }) => (kind.fingerprints === undefined ? "it has no fingerprints" : undefined),
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, second, others } = bench.samples
      const all = [first, ...others]
      const identities = all.map((spec) => bench.kind.identity(spec))
      const sweep = () => {
        const found = bench.kind.fingerprints?.(identities, bench.setup.world) ?? []
        must(found.length === identities.length, "there is not one fingerprint per identity")
        return found
      }
      const nothing = sweep()
      const token = await bench.make(first)
      const made = sweep()
      mustDiffer(nothing[0], made[0], "the target was made")
      must(sweep()[0] === made[0], "the fingerprint changes although nothing did")
      await bench.outside.drift(identities[0] ?? "")
      const drifted = sweep()
      mustDiffer(made[0], drifted[0], "the target drifted")
      must(token !== (await bench.tokenOf(first)), "drift did not change the observation")
      await bench.act("update", second, { token: await bench.tokenOf(first) })
      const updated = sweep()
      mustDiffer(drifted[0], updated[0], "the target was updated")
      await bench.outside.remove(identities[0] ?? "")
      mustDiffer(updated[0], sweep()[0], "the target was removed")
    }),
}

/** Undefined means "can't say" and makes the engine read; it is always allowed. */
function mustDiffer(before: string | undefined, now: string | undefined, when: string): void {
  must(now === undefined || before !== now, `the fingerprint stays the same although ${when}`)
}

function reversed(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value ?? null
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

function deepFreeze(value: Json): Json {
  if (typeof value !== "object" || value === null) return value
  for (const member of Object.values(value)) deepFreeze(member as Json)
  return Object.freeze(value)
}
