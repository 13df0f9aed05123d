// Providers that are wrong on purpose, one for each scenario: put in the place of the right one,
// each must be caught by the scenario of its name. A suite that lets one pass would let a real one
// pass. They never leave tests.

import { canonicalJson, type JsonObject } from "../../base/json.ts"
import {
  absent,
  type Listing,
  type Observation,
  type Present,
  present,
} from "../../contract/observation.ts"
import type {
  ActContext,
  ActResult,
  KindProvider,
  ObserveContext,
  Target,
} from "../../contract/provider.ts"
import type { ScenarioName, ScenarioSystem } from "./driver.ts"

/** Makes a wrong provider from a right one. */
export type Spoil = (kind: KindProvider, system: ScenarioSystem) => KindProvider

export interface WrongProvider {
  /** What it does wrong, in one sentence. */
  readonly wrong: string
  readonly spoil: Spoil
}

/** One read of one target, whichever way the kind reads. */
async function look(
  kind: KindProvider,
  target: Target,
  context: ObserveContext,
): Promise<Observation> {
  if (kind.observe !== undefined) return kind.observe(target, context)
  const listing = await kind.list?.(kind.scope?.(target.desired) ?? "", target, context)
  const item = listing?.items.find(({ identity }) => identity === target.identity)
  return item === undefined ? absent("it is not in the list") : { kind: "present", ...item }
}

/** Changes what the provider says about targets, each by itself. */
function seeing(
  kind: KindProvider,
  change: (seen: Present, identity: string) => Observation,
): KindProvider {
  const { observe, list } = kind
  const one: KindProvider["observe"] = async (target, context) => {
    const seen = await look(kind, target, context)
    return seen.kind === "present" ? change(seen, target.identity) : seen
  }
  const all: KindProvider["list"] = async (scope, sample, context) => {
    const listing = await list?.(scope, sample, context)
    const items = (listing?.items ?? []).flatMap((item) => {
      const seen = change({ kind: "present", ...item }, item.identity)
      return seen.kind === "present" ? [{ ...item, ...seen }] : []
    })
    return { ...(listing ?? { complete: false }), items }
  }
  const { fingerprints: _, ...rest } = kind
  return {
    ...rest,
    ...(observe === undefined ? {} : { observe: one }),
    ...(list === undefined ? {} : { list: all }),
  }
}

/** Every act goes one by one, so that one place is enough to do it wrongly. */
function acting(
  kind: KindProvider,
  verbs: Partial<Pick<KindProvider, "create" | "update" | "delete">>,
): KindProvider {
  const { actBatch: _, ...rest } = kind
  return { ...rest, batchWhole: false, ...verbs }
}

const done: ActResult = { kind: "done" }

/** Acts on what is there now, whatever it was when the act was planned. */
const blindly =
  (kind: KindProvider, verb: "update" | "delete"): KindProvider["update"] =>
  async (target, context) => {
    const seen = await look(kind, target, context)
    if (seen.kind !== "present") return kind[verb](target, context)
    return kind[verb](target, { ...context, token: seen.token })
  }

/** Makes it as declared, over whatever stands there. */
const replacing =
  (kind: KindProvider): KindProvider["create"] =>
  async (target, context) => {
    const seen = await look(kind, target, context)
    if (seen.kind !== "present") return kind.create(target, context)
    const action = { ...context.action, verb: "update" } as const
    return kind.update(target, { ...context, action, token: seen.token })
  }

/** An error is taken for an empty answer. */
const gullible = (kind: KindProvider): KindProvider => {
  const empty: Listing = { items: [], complete: true }
  const { observe, list, fingerprints: _, ...rest } = kind
  return {
    ...rest,
    ...(observe === undefined
      ? {}
      : {
          observe: async (target: Target, context: ObserveContext) => {
            const seen = await observe(target, context).catch(() => absent("an error"))
            return seen.kind === "unknown" ? absent("an error") : seen
          },
        }),
    ...(list === undefined
      ? {}
      : {
          list: async (scope: string, sample: Target, context: ObserveContext) => {
            const seen = await list(scope, sample, context).catch(() => empty)
            return { ...seen, complete: true }
          },
        }),
  }
}

/** Where nothing can be read it tells what it was asked for, as if it had looked. */
function pretending(kind: KindProvider): KindProvider {
  const wishes = new Map<string, JsonObject>()
  const { observe, list, fingerprints: _, ...rest } = remembering(kind, wishes)
  const one: KindProvider["observe"] = async (target, context) => {
    const seen = await look(kind, target, context).catch(() => undefined)
    const knows = seen !== undefined && seen.kind !== "unknown"
    return knows ? seen : present(target.desired, "as asked")
  }
  const all: KindProvider["list"] = async (scope, sample, context) => {
    const listing = await list?.(scope, sample, context).catch(() => undefined)
    if (listing?.complete) return listing
    const asked = [...wishes].map(([identity, value]) => ({ identity, value, token: "as asked" }))
    return { items: asked, complete: true }
  }
  const obey =
    (verb: "create" | "update"): KindProvider["create"] =>
    async (target, context) => {
      const result = await kind[verb](target, context).catch(() => done)
      wishes.set(target.identity, target.desired)
      return result.kind === "done" ? result : done
    }
  return {
    ...acting(
      { ...rest, ...(observe && { observe: one }), ...(list && { list: all }) },
      {
        create: obey("create"),
        update: obey("update"),
      },
    ),
  }
}

/** The same wish for a target of another name. */
function renamed(target: Target, identity: string, names: JsonObject = {}): Target {
  const desired = Object.fromEntries(
    Object.entries(target.desired).map(([field, value]) => {
      return [field, value === target.identity ? identity : (names[field] ?? value)]
    }),
  )
  return { ...target, desired, identity }
}

/** Takes away what has this name, as if it were its own. */
async function takeAway(
  kind: KindProvider,
  target: Target,
  identity: string,
  context: ActContext,
  facts: JsonObject = {},
): Promise<void> {
  const naming = new Set(kind.replaceOn.map((path) => path.split(/[.[]/)[0]))
  const named = Object.entries(facts).filter(([field]) => naming.has(field))
  // Some providers take a spec that does not fit its name, some take one that is not whole.
  for (const known of [Object.fromEntries(named), facts]) {
    const other = renamed(target, identity, known)
    const seen = await look(kind, other, context)
    if (seen.kind === "present") await kind.delete(other, { ...context, token: seen.token })
  }
}

/** What was last asked for, by identity. */
function remembering(kind: KindProvider, wishes: Map<string, JsonObject>): KindProvider {
  const note =
    (verb: "create" | "update"): KindProvider["create"] =>
    (target, context) => {
      wishes.set(target.identity, target.desired)
      return kind[verb](target, context)
    }
  return acting(kind, { create: note("create"), update: note("update") })
}

/** The observer says of this field that it is as it was asked for. */
function trusting(kind: KindProvider, field: string): KindProvider {
  const wishes = new Map<string, JsonObject>()
  const blind = seeing(kind, (seen, identity) => {
    const wish = wishes.get(identity)
    if (wish?.[field] === undefined) return seen
    return { ...seen, value: { ...seen.value, [field]: wish[field] } }
  })
  return remembering(blind, wishes)
}

/** Of what `hidden` names the observer says that it is not there. */
function overlooking(kind: KindProvider, hidden: (identity: string) => boolean): KindProvider {
  return seeing(kind, (seen, identity) => {
    return hidden(identity) ? absent("it was not looked for") : seen
  })
}

/** Fields of the spec that can drift. */
const fieldsOf = ({ drifts }: ScenarioSystem): readonly string[] =>
  Object.keys(drifts).map((path) => path.split(".")[0] ?? path)

/** Every scenario but the one about the source, whose twins are protections of the plane. */
export const wrongProviders: Readonly<
  Record<Exclude<ScenarioName, "source-emptied">, WrongProvider>
> = {
  create: {
    wrong: "it makes something else and reports what was asked for",
    spoil(kind, system) {
      const field = fieldsOf(system)[0] ?? ""
      const wrongly = (target: Target) => {
        const { [field]: wish, ...desired } = target.desired
        return { ...target, desired: { ...desired, [field]: system.spec(99, 1)[field] ?? wish } }
      }
      const careless = acting(kind, {
        create: (target, context) => kind.create(wrongly(target), context),
      })
      return trusting(careless, field)
    },
  },
  drift: {
    wrong: "it does not look at one of the fields",
    spoil: (kind, system) => trusting(kind, fieldsOf(system).at(-1) ?? ""),
  },
  delete: {
    wrong: "it says that it deleted, and only looks away",
    spoil(kind) {
      const gone = new Set<string>()
      const forget: KindProvider["delete"] = async ({ identity }) => {
        gone.add(identity)
        return done
      }
      return acting(
        overlooking(kind, (identity) => gone.has(identity)),
        { delete: forget },
      )
    },
  },
  adopt: {
    wrong: "it does not see what others made, and makes its own over it",
    spoil(kind) {
      const own = new Set<string>()
      const take: KindProvider["create"] = (target, context) => {
        own.add(target.identity)
        return replacing(kind)(target, context)
      }
      return acting(
        overlooking(kind, (identity) => !own.has(identity)),
        { create: take },
      )
    },
  },
  import: {
    wrong: "it imports something else than there is",
    spoil(kind, system) {
      const { importer } = kind
      if (importer === undefined) return kind
      const [wish, other] = [system.spec(0, 0), system.spec(99, 1)]
      const field = fieldsOf(system).findLast((name) => {
        return other[name] !== undefined && canonicalJson(other[name]) !== canonicalJson(wish[name])
      })
      const find: typeof importer.find = async (options, context) => {
        const { found, skipped } = await importer.find(options, context)
        if (field === undefined) return { found, skipped }
        const changed = found.map((one) => {
          return { ...one, spec: { ...one.spec, [field]: other[field] ?? null } }
        })
        return { found: changed, skipped }
      }
      return { ...kind, importer: { ...importer, find } }
    },
  },
  foreign: {
    wrong: "when it deletes it takes along what it does not know",
    spoil: (kind, system) => {
      const samples = Array.from({ length: 100 }, (_, n) => kind.identity(system.spec(n, 0)))
      const tidyUp: KindProvider["delete"] = async (target, context) => {
        for (const [identity, facts] of await system.facts()) {
          if (samples.includes(identity)) continue
          await takeAway(kind, target, identity, context, facts)
        }
        return kind.delete(target, context)
      }
      return acting(kind, { delete: tidyUp })
    },
  },
  stale: {
    wrong: "it ignores the token of the plan and acts on what is there now",
    spoil: (kind) =>
      acting(kind, { update: blindly(kind, "update"), delete: blindly(kind, "delete") }),
  },
  credentials: {
    wrong: "it takes a refusal for consent and tells what it was asked for",
    spoil: pretending,
  },
  "server-stopped": {
    wrong: "it says that an act is done when nobody answered",
    spoil(kind) {
      const sure =
        (verb: "create" | "update"): KindProvider["create"] =>
        async (target, context) => {
          const result = await kind[verb](target, context).catch(() => done)
          return result.kind === "done" ? result : done
        }
      return acting(kind, { create: sure("create"), update: sure("update") })
    },
  },
  "partial-answer": {
    wrong: "it says that half a list is all there is",
    spoil: gullible,
  },
  "plane-killed": {
    wrong: "it makes something beside the target that only a living process takes away again",
    spoil(kind) {
      const helped: KindProvider["create"] = async (target, context) => {
        const half = `${target.identity} half`
        await kind.create(renamed(target, half), context)
        const result = await kind.create(target, context)
        await takeAway(kind, target, half, context)
        return result
      }
      return acting(kind, { create: helped })
    },
  },
  "observer-lies": {
    wrong: "its create replaces what is there",
    spoil: (kind) => acting(kind, { create: replacing(kind) }),
  },
  "many-targets": {
    wrong: "it reads the first twenty and says that these are all",
    spoil(kind) {
      const seen = new Set<string>()
      return overlooking(kind, (identity) => seen.add(identity).size > 20)
    },
  },
}

/** For media where nothing can stand beside a target: caught when the plane is killed, too. */
export const forgetful: WrongProvider = {
  wrong: "it knows only what its own process made",
  spoil(kind) {
    const own = new Set<string>()
    const note: KindProvider["create"] = (target, context) => {
      own.add(target.identity)
      return kind.create(target, context)
    }
    return acting(
      overlooking(kind, (identity) => !own.has(identity)),
      { create: note },
    )
  },
}
