// The kinds DnsZone and RecordSet. A DnsZone says where a zone is kept and how to sign; the sets
// of a zone are read together by a transfer and changed together by updates.

import { present } from "../../contract/observation.ts"
import type { ActResult, KindProvider } from "../../contract/provider.ts"
import { defineKind } from "../../provider/define-kind.ts"
import {
  group,
  identityOf,
  normalSpec,
  recordSetSpec,
  scopeText,
  serverText,
  zoneSpec,
} from "./dns-spec.ts"
import { recordSetImporter } from "./import.ts"
import { isNormal } from "./listing.ts"
import { NotifyHints } from "./notify-hints.ts"
import { actOnSets } from "./record-set-acts.ts"
import { namesItsKey, namesItsNamespace } from "./zone-access.ts"
import { type DnsKindOptions, ZoneMemory } from "./zone-memory.ts"

export function dnsKinds(options: DnsKindOptions): readonly KindProvider[] {
  const memory = new ZoneMemory(options)
  return [zoneKind(memory), recordSetKind(memory, new NotifyHints(memory))]
}

const timeoutMs = { observe: 60_000, act: 60_000 }

function recordSetKind(memory: ZoneMemory, hints: NotifyHints): KindProvider {
  const one = async (item: Parameters<typeof actOnSets>[0][number]): Promise<ActResult> => {
    const [result] = await actOnSets([item], memory)
    return result ?? { kind: "failed", cause: "nothing was asked for" }
  }
  const kind = defineKind({
    ...{ group, version: "v1", kind: "RecordSet", plural: "recordsets", provider: "dns" },
    description: "All records of one name and type in a zone, kept by dynamic updates (RFC 2136).",
    shortNames: ["rrset"],
    // A zone may name a key file, which the plane reads as itself.
    privileged: true,
    spec: recordSetSpec,
    timeoutMs,
    // A transfer from the server that took the update holds it, and a late update is refused.
    readsOwnWrites: true,
    replaceOn: ["zone", "name", "type"],
    printerColumns: [
      { name: "Name", type: "string", jsonPath: ".spec.name" },
      { name: "Type", type: "string", jsonPath: ".spec.type" },
      { name: "TTL", type: "integer", jsonPath: ".spec.ttl" },
    ],
    importer: recordSetImporter(memory),
    identity: identityOf,
    connection: (spec) => serverText(spec.zone),
    scopeOf: (spec) => scopeText(spec.zone),
    normalize: (value) => (isNormal(value) ? value : normalSpec(value)),
    async list(_, sample, { world, signal }) {
      const access = memory.accessOf(sample.object, sample.desired.zone)
      const { listing } = await memory.refresh(access, world, signal)
      return listing ?? { items: [], complete: false, cause: "the zone was not transferred" }
    },
    create: (target, context) => one({ target, context }),
    update: (target, context) => one({ target, context }),
    delete: (target, context) => one({ target, context }),
    actBatch: (_, items) => actOnSets(items, memory),
    watch: ({ object, desired, identity }, world, changed) =>
      hints.watch(memory.accessOf(object, desired.zone), identity, world, changed),
  })
  return namesItsNamespace(kind)
}

const notMade: ActResult = {
  kind: "failed",
  cause: "a zone is made and removed at its name server; DnsZone only says where it is",
  stuck: true,
  failure: { class: "BadSpec" },
}

function zoneKind(memory: ZoneMemory): KindProvider {
  const kind = defineKind({
    ...{ group, version: "v1", kind: "DnsZone", plural: "dnszones", provider: "dns-zone" },
    description: "Where a zone is kept, and the key that signs. It makes and removes no zone.",
    privileged: true,
    spec: zoneSpec,
    timeoutMs,
    replaceOn: ["name", "server"],
    printerColumns: [
      { name: "Zone", type: "string", jsonPath: ".spec.name" },
      { name: "Server", type: "string", jsonPath: ".spec.server" },
    ],
    identity: scopeText,
    connection: serverText,
    async observe({ object, desired }, { world, signal }) {
      const access = memory.accessOf(object, desired)
      memory.learnKey(access, await memory.keyOf(access, world))
      await (await memory.serverOf(access, world)).serial(world.sockets, signal)
      return present({ ...desired }, "served")
    },
    create: async () => notMade,
    update: async () => notMade,
    delete: async () => notMade,
  })
  return namesItsKey(kind)
}
