// The first half of a pass: what is desired, what is recorded, what is there. It reads and never
// changes anything; `plan` uses the same half.

import { compactObject } from "../actuator/record-after.ts"
import { hashJson } from "../base/hash.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { FieldChange } from "../contract/action.ts"
import { absent, type Dated, type Observation } from "../contract/observation.ts"
import type { Target } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { ApiObject } from "../object/object.ts"
import type { Desired, FoundReference } from "./desire.ts"
import { diffTarget } from "./diff.ts"
import { type KindRuntime, targetText, withSecretPaths } from "./kind-runtime.ts"
import type { LoopEngine } from "./loop-engine.ts"
import { isAsIntended } from "./made-by-us.ts"
import { hiddenPaths, hideSecrets, type SecretHasher, withoutSecrets } from "./secrets.ts"

/** An object with everything that decides about it. */
export interface Subject {
  readonly key: string
  readonly object: ApiObject
  readonly uid: string
  readonly kind: KindRuntime
  readonly loop: LoopEngine
}

export interface Look {
  readonly desired: JsonObject
  readonly target: Target
  /** Text form of the target. */
  readonly text: string
  readonly record: TargetRecord | undefined
  readonly observation: Dated<Observation>
  readonly changes: readonly FieldChange[]
  readonly applied: JsonObject
  readonly desiredHash: string
  /** Cheap to compare; undefined for kinds without. */
  readonly fingerprint: string | undefined
  /** What was taken from other objects. */
  readonly references?: readonly FoundReference[]
}

/** What came from a Secret, now or when it was last applied, is hidden like a secret field. */
export function withHidden(
  kind: KindRuntime,
  { secretPaths }: Pick<Desired, "secretPaths">,
  record: TargetRecord | undefined,
): KindRuntime {
  return withSecretPaths(kind, [...secretPaths, ...hiddenPaths(record?.applied ?? {})])
}

/** The target that an object describes. */
export function targetOf(
  { key, uid, kind }: Pick<Subject, "key" | "uid" | "kind">,
  desired: JsonObject,
  record: TargetRecord | undefined,
): Target {
  return {
    uid,
    object: key,
    desired,
    identity: kind.provider.identity(desired),
    ...(record?.externalId === undefined ? {} : { externalId: record.externalId }),
    ...(record?.applied === undefined ? {} : { applied: record.applied }),
  }
}

/** What the record's target was made of, or is being made of. */
export function knownForm(record: TargetRecord | undefined): JsonObject | undefined {
  return record?.applied ?? record?.pending?.applied
}

/**
 * The target as it was last applied; another one than desired after its identity changed. Where a
 * reference has no value nothing is concluded from the rest: the record alone says what was made,
 * and undefined that nothing was.
 */
export function recordedTarget(
  subject: Pick<Subject, "key" | "uid" | "kind">,
  { desired, missing }: Pick<Desired, "desired" | "missing">,
  record: TargetRecord | undefined,
): Target | undefined {
  const applied = knownForm(record)
  if (missing.length > 0) return applied && targetOf(subject, applied, record)
  if (applied === undefined || record?.target === targetText(subject.kind.provider, desired)) {
    return targetOf(subject, desired, record)
  }
  return targetOf(subject, applied, record)
}

/** Its values were never known, or what was made of them was taken away again. */
export function neverMade(
  { key }: Pick<Subject, "key">,
  record: TargetRecord | undefined,
  asOf: number,
): { readonly text: string; readonly observation: Dated<Observation> } {
  const observation = { ...absent("nothing was ever made of it"), asOf }
  return { text: record?.target ?? key, observation }
}

/** The normal form with secrets hidden and long values compacted: what records and hashes hold. */
export function appliedForm(
  kind: KindRuntime,
  desired: JsonObject,
  hasher: SecretHasher,
): JsonObject {
  const normal = kind.provider.normalize?.(desired) ?? desired
  return compactObject(hideSecrets(normal, kind.provider.secretPaths, hasher))
}

export interface LookInput {
  readonly subject: Pick<Subject, "key" | "uid" | "kind">
  readonly desired: JsonObject
  readonly record: TargetRecord | undefined
  readonly hasher: SecretHasher
  readonly references?: readonly FoundReference[]
  observe(target: Target): Promise<Dated<Observation>>
  fingerprint(target: Target): string | undefined
}

export async function look(input: LookInput): Promise<Look> {
  const { subject, desired, hasher } = input
  const { kind } = subject
  const target = targetOf(subject, desired, input.record)
  const fingerprint = input.fingerprint(target)
  const observation = discreet(await confirmed(input, target), kind, desired)
  const record = afterInterruption(input, observation)
  const applied = appliedForm(kind, desired, hasher)
  const observed = observation.kind === "present" ? observation.value : undefined
  const changes =
    observation.kind === "unknown" ? [] : diffTarget({ kind, desired, observed, record, hasher })
  const text = targetText(kind.provider, desired)
  const desiredHash = hashJson(applied)
  const facts = { desired, target, text, record, observation, changes }
  const { references = [] } = input
  return { ...facts, applied, desiredHash, fingerprint, references }
}

/** Secrets do not show in what the target says of itself. */
function discreet(
  seen: Dated<Observation>,
  { provider: { secretPaths } }: KindRuntime,
  desired: JsonObject,
): Dated<Observation> {
  if (seen.kind !== "present" || seen.outputs === undefined || secretPaths.length === 0) return seen
  return { ...seen, outputs: withoutSecrets(seen.outputs, secretPaths, desired, seen.value) }
}

/**
 * An act of ours whose result nobody knows, and whose effect is there to the last field, has been
 * applied: otherwise our own work would be taken for somebody else's change. So has a create that
 * was cut off half-way, as far as it got, where the target shows that it is such a one.
 */
function afterInterruption(input: LookInput, observation: Observation): TargetRecord | undefined {
  const { record, hasher } = input
  const { kind } = input.subject
  if (!protects("interrupted-create-is-ours")) return forgetful(record)
  const applied = record?.pending?.applied
  if (record === undefined || applied === undefined || observation.kind !== "present") return record
  const observed = observation.value
  if (isAsIntended(kind, record, observation, hasher)) return { ...record, owned: true, applied }
  const same = record.target === targetText(kind.provider, input.desired)
  const cutOff = record.pending?.verb === "create" && observation.unfinished === true
  if (!same || !cutOff) return record
  // As it was found: what is missing is then asked for by us, and nobody's drift.
  const reached = Object.keys(applied).filter((name) => observed[name] !== undefined)
  const found = Object.fromEntries(reached.map((name) => [name, observed[name]]))
  return { ...record, owned: true, applied: appliedForm(kind, found, hasher) }
}

/** What must never be: a record that does not know what was under way. */
function forgetful(record: TargetRecord | undefined): TargetRecord | undefined {
  if (record === undefined) return undefined
  const { pending: _, ...rest } = record
  return rest
}

/** Kinds that ask for it are read twice, and both reads must agree, before drift is believed. */
async function confirmed(input: LookInput, target: Target): Promise<Dated<Observation>> {
  const first = await input.observe(target)
  if (!input.subject.kind.provider.confirmDrift || first.kind === "unknown") return first
  const { subject, desired, record, hasher } = input
  const observed = first.kind === "present" ? first.value : undefined
  const changes = diffTarget({ kind: subject.kind, desired, observed, record, hasher })
  if (!changes.some((change) => change.why === "drift")) return first
  const second = await input.observe(target)
  const agree =
    first.kind === second.kind &&
    (first.kind !== "present" || second.kind !== "present" || first.token === second.token)
  if (agree) return second
  return { kind: "unknown", cause: "two reads in a row disagree", asOf: second.asOf }
}
