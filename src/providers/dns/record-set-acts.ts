// Changes record sets, many at once: one UPDATE message per part of a batch, which the server
// takes as a whole or refuses as a whole. A refusal is proof that nothing changed; a lost answer
// is not, and is thrown.

import { isArray } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { Failure } from "../../contract/diagnosis.ts"
import type { ActResult } from "../../contract/provider.ts"
import type { BatchItem } from "../../provider/define-kind.ts"
import { identityOf, type RecordSetSpec, wishOf, type ZonePlace, zoneName } from "./dns-spec.ts"
import { dnsFault } from "./faults.ts"
import { tokenOf } from "./listing.ts"
import { compileGlobs } from "./name-globs.ts"
import type { NameServer } from "./name-server.ts"
import { isMarkName } from "./ownership.ts"
import { chunkChanges, type SetChange, sizeOf, updateBytesMax, updateOf } from "./update-message.ts"
import { rcodeName } from "./wire/message.ts"
import { isMetaType, isServerMade, typeNumber } from "./wire/record-numbers.ts"
import type { ZoneAccess } from "./zone-access.ts"
import type { ZoneMemory, ZoneState } from "./zone-memory.ts"
import { type RecordSetFacts, setKey, type ZoneView } from "./zone-view.ts"

type Item = BatchItem<RecordSetSpec>
type PlainVerb = "create" | "update" | "delete"

interface Planned {
  readonly index: number
  readonly item: Item
  readonly change: SetChange
}

const refused = (cause: string, failureClass: Failure["class"], stuck = false): ActResult => ({
  ...{ kind: "failed", cause },
  ...(failureClass === undefined ? {} : { failure: { class: failureClass } }),
  ...(stuck ? { stuck: true } : {}),
})

/** Sets that describe their zone in different ways are no company: each goes by its own key. */
export async function actOnSets(
  items: readonly Item[],
  memory: ZoneMemory,
): Promise<readonly ActResult[]> {
  const accessOf = ({ target: { object, desired } }: Item) => memory.accessOf(object, desired.zone)
  // What is only recorded goes by what others of its namespace say, in whatever order they come.
  for (const item of items) accessOf(item)
  const groups = Map.groupBy(items, (item) => jsonText({ ...accessOf(item) }))
  const results = new Map<Item, ActResult>()
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    const answers = await actOnGroup(group, accessOf(first), memory)
    for (const [index, answer] of answers.entries()) {
      const item = group[index]
      if (item !== undefined) results.set(item, answer)
    }
  }
  return answered(items.map((item) => results.get(item)))
}

async function actOnGroup(
  items: readonly Item[],
  access: ZoneAccess,
  memory: ZoneMemory,
): Promise<readonly ActResult[]> {
  const [first] = items
  if (first === undefined) return []
  const { world, signal } = first.context
  const { place } = access
  const state = memory.stateOf(place)
  const results: (ActResult | undefined)[] = items.map((item) => whyNot(item, place))
  const left = () =>
    items.map((item, index) => ({ item, index })).filter((one) => !results[one.index])
  if (left().length === 0) return answered(results)
  // What was planned on is mostly still known; where not, it is read again before it is acted on.
  const fits = left().every(({ item }) => state.view !== undefined && isAsSeen(item, state.view))
  if (!fits) await memory.refresh(access, world, signal)
  // Throws where nobody said how to sign: then nobody said what is allowed, either.
  const server = await memory.serverOf(access, world)
  for (let round = 0; round < 2 && left().length > 0; round++) {
    if (round > 0) await memory.refresh(access, world, signal)
    const planned = left().flatMap(({ item, index }) => {
      const change = planChange(item, state, place)
      if ("kind" in change) results[index] = change
      return "kind" in change ? [] : [{ item, index, change }]
    })
    const zone = state.view?.zone ?? ""
    for (const chunk of chunkChanges(zone, planned)) {
      // One change that the server does not take refuses its company: it is looked for afterwards.
      const send = (some: readonly Planned[]) => sendChunk(some, zone, server, state)
      const answers = round === 0 ? await sendWhole(chunk, send) : await sendApart(chunk, send)
      for (const [one, answer] of answers) results[one.index] = answer
    }
  }
  return answered(results)
}

function answered(results: readonly (ActResult | undefined)[]): readonly ActResult[] {
  return results.map((one) => one ?? refused("the zone changed while it was planned", "Conflict"))
}

type Answers = readonly (readonly [Planned, ActResult | undefined])[]
type Send = (some: readonly Planned[]) => Promise<ActResult>

/** Nothing is said about several that were refused together. */
async function sendWhole(chunk: readonly Planned[], send: Send): Promise<Answers> {
  const answer = await send(chunk)
  const again = answer.kind === "failed" && chunk.length > 1
  return chunk.map((one) => [one, again ? undefined : answer] as const)
}

/** Halves what is refused until it stands alone; changes of one name stay together. */
async function sendApart(chunk: readonly Planned[], send: Send): Promise<Answers> {
  const answer = await send(chunk)
  const names = [...new Set(chunk.map(({ change }) => change.name))]
  if (answer.kind === "done" || names.length < 2) return chunk.map((one) => [one, answer] as const)
  const half = new Set(names.slice(0, names.length >> 1))
  const [left, right] = [true, false].map((wanted) =>
    chunk.filter(({ change }) => half.has(change.name) === wanted),
  )
  return [...(await sendApart(left ?? [], send)), ...(await sendApart(right ?? [], send))]
}

/** Refusals that need no look at the zone. */
function whyNot({ target, context }: Item, place: ZonePlace): ActResult | undefined {
  const wish = wishOf(target.desired)
  if (typeof wish === "string") return refused(wish, "BadSpec", true)
  const { name, type } = wish
  const number = typeNumber(type) ?? 0
  const never = (cause: string) =>
    refused(`cannot touch ${name} ${type}: ${cause}`, "BadSpec", true)
  if (type === "SOA") return never("the server itself keeps the SOA")
  if (type === "NS" && name === zoneName(place))
    return never("the zone's own NS records are protected")
  if (isServerMade(number)) return never("the server makes these records when it signs the zone")
  if (isMetaType(number)) return never("no zone holds records of this type")
  if (isMarkName(name)) return never("names that begin with _setpoint- hold the marks of ownership")
  const pattern = compileGlobs(place.ignore ?? []).match(name, type)
  if (pattern !== undefined) return never(`the zone ignores ${pattern}`)
  const verb = context.action.verb as PlainVerb
  const policy = place.policy ?? "sync"
  const kept =
    (verb === "delete" && policy !== "sync") || (verb === "update" && policy === "createOnly")
  return kept ? refused(`the zone's policy ${policy} allows no ${verb}`, "Policy", true) : undefined
}

function isAsSeen({ target, context }: Item, view: ZoneView): boolean {
  const set = setOf(target.desired, view)
  const { token } = context
  return token === undefined ? set === undefined : set !== undefined && tokenOf(set) === token
}

function setOf(spec: RecordSetSpec, { zone, sets }: ZoneView): RecordSetFacts | undefined {
  return sets.get(identityOf(spec).slice(zone.length + 1))
}

/** What goes into the message, or why nothing does. */
function planChange(
  { target, context }: Item,
  { view }: ZoneState,
  place: ZonePlace,
): SetChange | ActResult {
  const wish = wishOf(target.desired)
  if (typeof wish === "string" || view === undefined) return refused(String(wish), "BadSpec", true)
  const { name, type } = wish
  const before = setOf(target.desired, view)
  const owner = view.marks.get(setKey(name, type))
  const verb = context.action.verb as PlainVerb
  const stale = staleness(verb, before, context.token)
  if (stale !== undefined) return refused(`${name} ${type} ${stale}`, "Conflict")
  const taken = owner !== undefined && owner !== target.uid
  if (taken && !mayTakeOver(verb, before, target.applied)) {
    const cause = `${name} ${type} is marked as owned by the object ${owner}`
    return refused(`${cause}; remove that mark if there is no such object`, "Conflict", true)
  }
  const marked = (place.ownership ?? "txt") === "txt"
  const change: SetChange = {
    ...{ name, type },
    ...(before === undefined ? {} : { before }),
    ...(verb === "delete" ? {} : { after: wish }),
    ...(owner === undefined ? {} : { ownerBefore: owner }),
    ...(marked && verb !== "delete" ? { ownerAfter: target.uid } : {}),
  }
  if (sizeOf(view.zone, change) <= updateBytesMax) return change
  return refused(`${name} ${type} does not fit into one message`, "BadSpec", true)
}

/**
 * Whoever never had it asks for its adoption; so does, with the first change, whoever took it as it
 * was. But what is not as we left it is another owner's work, and deleting needs our own mark.
 */
function mayTakeOver(
  verb: PlainVerb,
  before: RecordSetFacts | undefined,
  applied: Item["target"]["applied"],
): boolean {
  if (verb !== "update" || before === undefined) return false
  if (applied === undefined) return true
  const { ttl, values } = applied
  const left =
    typeof ttl === "number" && isArray(values) ? { ttl, values: values.map(String) } : before
  return tokenOf(left) === tokenOf(before)
}

function staleness(
  verb: PlainVerb,
  before: RecordSetFacts | undefined,
  token: string | undefined,
): string | undefined {
  if (verb === "create") return before === undefined ? undefined : "is there already"
  if (before === undefined) return "is not there any more"
  // Without a token the engine asks for no fence.
  return token === undefined || tokenOf(before) === token ? undefined : "changed since it was read"
}

const conflicts: ReadonlySet<number> = new Set([3, 6, 7, 8])
const forbidden = "the key may not change this, or a rule of the server is against it"
const refusals: ReadonlySet<number> = new Set([5, 9])

async function sendChunk(
  chunk: readonly Planned[],
  zone: string,
  server: NameServer,
  state: ZoneState,
): Promise<ActResult> {
  const [first] = chunk
  if (first === undefined) return { kind: "done" }
  const { world, signal } = first.item.context
  const message = updateOf(
    zone,
    chunk.map((one) => one.change),
  )
  const rcode = await server.update(message, world.sockets, signal)
  const said = `the server refused the update: ${rcodeName(rcode)}`
  if (rcode === 0) return { kind: "done" }
  if (conflicts.has(rcode))
    return refused(`${said}; the records are not as they were read`, "Conflict")
  if (refusals.has(rcode)) return refused(`${said}; ${forbidden}`, "Permission")
  if (rcode === 1 || rcode === 4 || rcode === 10) return refused(said, "BadSpec", true)
  // SERVFAIL and the like: a forwarding server says it without knowing what the primary did.
  throw dnsFault("SPT-DNS-006", { zone, server: state.scope, cause: rcodeName(rcode) })
}
