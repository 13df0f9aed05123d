// Record sets on a real name server, for the scenario suite; edits by hand are nsupdate's.

import { readFileSync, writeFileSync } from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import type { FilesAct } from "../../../contract/world.ts"
import { createSockets } from "../../../provider/adapter/sockets.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { startProxy } from "../adapter/testing/cutting-proxy.ts"
import type { NameServerProcess, NameServerSetup } from "../adapter/testing/name-servers.ts"
import { dnsKinds } from "../dns-kinds.ts"
import { BackDoor } from "./back-door.ts"
import { driftsWith, linesOf, ownerOf, shapes, zone } from "./sample-sets.ts"

type Start = (setup: NameServerSetup) => Promise<NameServerProcess>

export const dnsScenarios = (start: Start, files: FilesAct): ScenarioDriver => ({
  kind: "RecordSet",
  steady: {
    ...{ zone: "it says where the records are", name: "it is the identity" },
    type: "it is the identity",
  },
  async open({ directory, clock, random }) {
    const server = await start({ directory, zones: { [zone]: "" } })
    const proxy = await startProxy(server.port)
    const door = new BackDoor(server.port, { clock, random })
    const place = { name: zone, server: proxy.address, keyFile: server.keyFile }
    const rest = { policy: "sync", ignore: [], ownership: "txt" }
    const edit = (...update: readonly string[]) => server.nsupdate(zone, ...update)
    const make = (spec: JsonObject) => edit(...linesOf(spec, spec.ttl, spec.values as string[]))
    return {
      kinds: () => dnsKinds({ clock, random }),
      importScope: { zone, server: proxy.address, keyFile: server.keyFile },
      world: worldWith({ sockets: createSockets({ datagramMs: 500 }), files }),
      spec(n, version) {
        const [type = "A", value = String] = shapes[n % shapes.length] ?? []
        const values = [value(2 * n + version), ...(type === "CNAME" ? [] : [value(2 * n + 1000)])]
        return { zone: { ...place, ...rest }, name: `s${n}`, type, ttl: 300 + version, values }
      },
      async facts() {
        const sets = [...(await door.list())]
        return new Map(sets.map(([identity, set]) => [identity, { zone: place, ...set }]))
      },
      drifts: driftsWith(edit),
      make,
      remove: (spec) => edit(`update delete ${ownerOf(spec)}`),
      foreign: () =>
        edit(
          "update add s0.example.org. 9 LOC 52 N 13 E 0m",
          "update add s.example.org. 9 A 192.0.2.1",
        ),
      troubles: {
        async credentials() {
          const good = readFileSync(server.keyFile, "utf8")
          writeFileSync(server.keyFile, good.replace(/secret "..../, 'secret "AAAA'))
          return async () => writeFileSync(server.keyFile, good)
        },
        async "server-stopped"() {
          await server.stop("SIGKILL")
          return () => server.start()
        },
        async "partial-answer"() {
          proxy.cutAfter = 150
          return async () => {
            proxy.cutAfter = undefined
          }
        },
      },
      async close() {
        await proxy.close()
        await server.stop("SIGKILL")
      },
    }
  },
})
