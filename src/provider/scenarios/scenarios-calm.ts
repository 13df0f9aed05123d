// Scenarios in calm weather: targets are made, kept and taken away, and nothing else is touched.

import { isObject } from "../../base/json.ts"
import { must } from "../conformance/bench.ts"
import { specSchemaOf } from "../spec-schema.ts"
import { type Scenario, wide } from "./scenario.ts"
import type { Facts, Stage } from "./stage.ts"

export const create: Scenario = {
  name: "create",
  promise: "What is declared is made once, changed in place when asked, and then left in peace.",
  async play(stage) {
    await stage.settle(0, 1, 2)
    must((await stage.snapshot()).size === 3, "three objects did not make three targets")
    await stage.settle([0, 1], 1, 2)
    const made = (await stage.receipts()).filter(({ action, result }) => {
      return action.verb === "create" && result === "done"
    })
    const objects = made.map(({ action }) => action.object)
    must(objects.length >= 3, `three targets took ${objects.length} creates`)
    const once = new Set(objects).size === objects.length
    must(once, `made more than once: ${objects.sort().join(", ")}`)
    await goesQuiet(stage)
    return undefined
  },
}

/** A pass over what is as declared writes nothing, outside or to the store. */
export async function goesQuiet(stage: Stage): Promise<void> {
  await stage.until("the plane goes quiet", async () => {
    const before = stage.plane.revision()
    await stage.calm()
    const written = stage.plane.revision() - before
    return written === 0 ? true : `a pass wrote ${written} revisions`
  })
}

export const drift: Scenario = {
  name: "drift",
  promise: "A change by hand of any field is undone, and what was taken away comes back.",
  loop: wide,
  async play(stage) {
    const samples = samplesByField(stage)
    const gone = Math.max(0, ...samples.values()) + 1
    const all = [...new Set([...samples.values(), gone])]
    await stage.settle(...all)
    for (const [field, n] of samples) {
      const before = await stage.snapshot()
      const acts = (await stage.receipts()).length
      await stage.system.drifts[field]?.(stage.spec(n))
      // A quick plane has put it right before anybody looks; then there is a receipt of it.
      await stage.until(`the driver's drift of ${field} shows`, async () => {
        if (differs(before, await stage.snapshot(), stage.identity(n))) return true
        return (await stage.receipts()).length > acts || "neither a difference nor a receipt"
      })
      await stage.becomes(`${field} is healed`, n)
      await untouched(stage, before, `healing ${field}`, stage.identity(n))
    }
    const acts = (await stage.receipts()).length
    await stage.system.remove(stage.spec(gone))
    await stage.until("the driver's remove shows", async () => {
      if (!(await stage.has(gone))) return true
      return (await stage.receipts()).length > acts || "it is still there"
    })
    await stage.becomes("the removed target comes back", gone)
    await stage.settled(...all)
    return undefined
  },
}

/** Which sample is used for which field; every field of the schema drifts or has its reason. */
function samplesByField(stage: Stage): ReadonlyMap<string, number> {
  const { drifts } = stage.system
  const { steady = {} } = stage.parts.driver
  const fields = Object.keys(drifts)
  const tried = new Set(fields.map((field) => field.split(".")[0] ?? ""))
  const missing = specFields(stage).filter((name) => !tried.has(name) && !(name in steady))
  must(missing.length === 0, `no drift of ${missing.join(", ")}, and no reason in "steady"`)
  const samples = new Map<string, number>()
  for (const field of fields) {
    const first = field.split(".")[0] ?? ""
    const used = new Set(samples.values())
    const n = numbers.find((one) => !used.has(one) && stage.spec(one)[first] !== undefined)
    must(n !== undefined, `none of the first ${numbers.length} samples sets ${field}`)
    samples.set(field, n)
  }
  return samples
}

const numbers = Array.from({ length: 100 }, (_, index) => index)

/** Fields that a target has: not the engine's own, not those that name it, no references. */
function specFields({ kind }: Stage): string[] {
  const { properties } = specSchemaOf(kind)
  const known = isObject(properties) ? properties : {}
  const naming = new Set(kind.replaceOn.map((path) => path.split(/[.[]/)[0]))
  return Object.entries(known)
    .filter(([, schema]) => isObject(schema) && schema["x-setpoint-engine"] !== true)
    .map(([name]) => name)
    .filter((name) => !naming.has(name) && !(name.slice(0, -4) in known && /From$/.test(name)))
}

const differs = (before: Facts, after: Facts, identity: string) =>
  before.get(identity) !== after.get(identity)

/** Everything but this one is as it was. */
export async function untouched(
  stage: Stage,
  before: Facts,
  when: string,
  ...except: readonly string[]
): Promise<void> {
  const now = await stage.snapshot()
  const keys = new Set([...before.keys(), ...now.keys()])
  const touched = [...keys].filter((key) => !except.includes(key) && differs(before, now, key))
  must(touched.length === 0, `${when} touched ${touched.slice(0, 5).join(", ")}`)
}

export const remove: Scenario = {
  name: "delete",
  promise: "What is declared no more is taken away, nothing else is, and it stays away.",
  async play(stage) {
    await stage.settle(0, 1, 2)
    const before = await stage.snapshot()
    await stage.settle(0, 2)
    await untouched(stage, before, "the delete", stage.identity(1))
    must(!(await stage.has(1)), "the object is gone, and its target is still there")
    await stage.calm()
    must(!(await stage.has(1)), "the deleted target came back")
    return undefined
  },
}

export const adopt: Scenario = {
  name: "adopt",
  promise: "What exists already is matched or asked about; only a person lets the plane take it.",
  loop: wide,
  async play(stage) {
    await stage.system.make(stage.spec(0))
    await stage.system.make(stage.spec(2))
    const theirs = await stage.snapshot()
    must(theirs.size === 2, `two targets made by hand are ${theirs.size}`)
    await stage.settle(0, 1)
    await untouched(stage, theirs, "matching", stage.identity(1))
    stage.declare(0, 1, [2, 1])
    await heldAs(stage, "adopt", "Adopt")
    await stage.calm()
    await untouched(stage, theirs, "asking about an adoption", stage.identity(1))
    await stage.plane.adopt(stage.name(2))
    await stage.settled(0, 1, [2, 1])
    await stage.settle(0, 1)
    must(!(await stage.has(2)), "an adopted target stays when its object goes")
    await stage.settle(1)
    must(await stage.has(0), "a target that was only matched is deleted with its object")
    return undefined
  },
}

export async function heldAs(stage: Stage, verb: string, code?: string): Promise<void> {
  await stage.untilLooking(`${verb} is held`, async () => {
    const plans = stage.plane.pending()
    const held = plans.find(({ verbs, codes }) => {
      return verbs.includes(verb) && (code === undefined || codes.includes(code))
    })
    return held === undefined ? stage.whatWaits() : true
  })
}

export const importing: Scenario = {
  name: "import",
  promise: "What exists is turned into manifests; declaring them changes nothing.",
  async play(stage) {
    const { importer } = stage.tried
    if (importer === undefined) return "the kind has no importer"
    const { system } = stage
    await system.make(stage.spec(0))
    await system.make(stage.spec(1))
    const before = await stage.snapshot()
    const context = { world: system.world, signal: new AbortController().signal }
    const { found } = await importer.find(system.importScope ?? {}, context)
    await untouched(stage, before, "importing")
    const identities = found.map(({ spec }) => stage.kind.identity(spec))
    for (const n of [0, 1]) {
      must(identities.includes(stage.identity(n)), `${stage.identity(n)} was not imported`)
    }
    const manifests = found.map(({ spec }, index) => ({
      ...stage.manifest(0),
      metadata: { name: `imported-${index}` },
      spec,
    }))
    stage.plane.declare([...(system.ground ?? []), ...manifests])
    for (const { metadata } of manifests) {
      await stage.until(`${metadata.name} is Ready`, async () => {
        const told = await stage.toldOf(metadata.name)
        return told.startsWith("True") || told
      })
    }
    await untouched(stage, before, "declaring what was imported")
    return undefined
  },
}

export const foreign: Scenario = {
  name: "foreign",
  promise: "Things that are nobody's stay as they are, whatever is made, healed or deleted.",
  loop: wide,
  async play(stage) {
    await stage.system.foreign()
    const theirs = await stage.snapshot()
    must(theirs.size > 0, "the driver made no foreign things")
    await stage.settle(0, 1, 2)
    await stage.settle([0, 1], 1, 2)
    await stage.system.remove(stage.spec(1))
    await stage.becomes("a removed target comes back", 1)
    await stage.settle([0, 1], 2)
    await goesQuiet(stage)
    const ours = [0, 2].map((n) => stage.identity(n))
    await untouched(stage, theirs, "the plane's work", ...ours)
    return undefined
  },
}
