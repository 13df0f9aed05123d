// Taking record sets away together with the DnsZone that they refer to, or after it: what was made
// goes, and never by guessing what a zone that is gone had said. Read with dig, on bind9.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { openScenarioPlane } from "../../src/plane/testing/scenario-plane.ts"
import { createSockets } from "../../src/provider/adapter/sockets.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import type { ScenarioPlane } from "../../src/provider/scenarios/scenario-plane.ts"
import {
  type NameServerProcess,
  startBind,
} from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { makeTempDir } from "../../src/providers/dns/adapter/testing/temp-dir.ts"
import { dnsKinds } from "../../src/providers/dns/dns-kinds.ts"
import { nodeFiles } from "../../src/providers/file/adapter/node-files.ts"
import { requireTool } from "../tools.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const tool = requireTool("named: -v", "dig: -v", "nsupdate: -V")
const zone = "example.org"
const apiVersion = "dns.setpoint.dev/v1"
const names = ["one", "two", "three"]

const recordSet = (name: string): ApiObject => ({
  ...{ apiVersion, kind: "RecordSet", metadata: { name } },
  spec: {
    zoneFrom: { kind: "DnsZone", name: "zone", field: "spec" },
    ...{ name, type: "A", values: ["192.0.2.1"] },
  },
})

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = systemClock.monotonic() + 60_000
  while (!(await condition())) {
    if (systemClock.monotonic() > deadline) return false
    await sleep(systemClock, 50)
  }
  return true
}

describe.skipIf(tool.missing)("record sets whose DnsZone goes", () => {
  const temp = makeTempDir()
  const world = worldWith({ sockets: createSockets(), files: nodeFiles() })
  let server: NameServerProcess
  let plane: ScenarioPlane

  beforeAll(async () => {
    server = await startBind({ directory: temp.path, zones: { [zone]: "" } })
  })
  afterAll(async () => {
    await server?.stop("SIGKILL")
    temp.remove()
  })
  beforeEach(async () => {
    plane = await openScenarioPlane({
      kinds: () => dnsKinds({ clock: systemClock, random: systemRandom }),
      composites: () => [],
      ...{ kind: "RecordSet", reads: world, acts: world },
      loop: { limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" },
      ...{ clock: systemClock, random: systemRandom },
    })
  })
  afterEach(() => plane.close())

  const dnsZone = (policy = "sync"): ApiObject => ({
    ...{ apiVersion, kind: "DnsZone", metadata: { name: "zone" } },
    spec: { name: zone, server: server.address, keyFile: server.keyFile, policy },
  })

  /** Names in the zone, marks too, besides those that a zone has to have. */
  const there = () => {
    const found = server.dig(zone).map(([name = ""]) => name.replace(`.${zone}.`, ""))
    return found.filter((name) => name !== `${zone}.` && name !== "ns1").sort()
  }
  const made = names.flatMap((name) => [name, `_setpoint-a.${name}`]).sort()
  const isThere = (wanted: readonly string[]) => async () => there().join() === wanted.join()
  const noObjects = async () => (await plane.objects()).length === 0

  async function make(policy?: string): Promise<void> {
    plane.declare([dnsZone(policy), ...names.map(recordSet)])
    expect(await until(isThere(made))).toBe(true)
  }

  test("go with it when all are deleted together", async () => {
    await make()
    plane.declare([])
    expect(await until(noObjects)).toBe(true)
    expect(there()).toEqual([])
  })

  test("go after it, as they were made", async () => {
    await make()
    plane.declare(names.map(recordSet))
    const waits = async () => JSON.stringify(await plane.objects()).includes("MissingReference")
    expect(await until(waits)).toBe(true)
    plane.declare([])
    expect(await until(noObjects)).toBe(true)
    expect(there()).toEqual([])
  })

  test("that never found one go at once", async () => {
    plane.declare(names.map(recordSet))
    const waits = async () => JSON.stringify(await plane.objects()).includes("MissingReference")
    expect(await until(waits)).toBe(true)
    plane.declare([])
    expect(await until(noObjects)).toBe(true)
  })

  test("stay where it allowed no delete, also when a new plane knows nothing of it", async () => {
    await make("upsertOnly")
    plane.declare(names.map(recordSet))
    const says = (text: string) => async () => JSON.stringify(await plane.objects()).includes(text)
    expect(await until(says("MissingReference"))).toBe(true)
    plane.declare([])
    expect(await until(says("upsertOnly allows no delete"))).toBe(true)
    plane.kill()
    await plane.reopen()
    expect(await until(says("its key is not known yet"))).toBe(true)
    expect(there()).toEqual(made)
    server.nsupdate(zone, ...made.map((name) => `update delete ${name}.${zone}.`))
  })
})
