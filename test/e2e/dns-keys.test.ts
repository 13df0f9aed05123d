// A zone whose key is in a Secret: record sets are signed for by reference, before and after a
// restart, and what was only recorded goes by the DnsZone of its namespace. Read with dig.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
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
  testKey,
} from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { makeTempDir } from "../../src/providers/dns/adapter/testing/temp-dir.ts"
import { dnsKinds } from "../../src/providers/dns/dns-kinds.ts"
import { requireTool } from "../tools.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const tool = requireTool("named: -v", "dig: -v", "nsupdate: -V")
const zone = "example.org"
const apiVersion = "dns.setpoint.dev/v1"
const base64 = (text: string) => Buffer.from(text).toString("base64")

const secret: ApiObject = {
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "example-key" } },
  data: {
    ...{ name: base64(testKey.name), algorithm: base64(testKey.algorithm) },
    secret: base64(testKey.secret),
  },
}

const recordSet = (name: string, dnsZone = "zone"): ApiObject => ({
  ...{ apiVersion, kind: "RecordSet", metadata: { name: `of-${dnsZone}` } },
  spec: { zoneFrom: { name: dnsZone }, name, type: "A", values: ["192.0.2.1"] },
})

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = systemClock.monotonic() + 60_000
  while (!(await condition())) {
    if (systemClock.monotonic() > deadline) return false
    await sleep(systemClock, 50)
  }
  return true
}

describe.skipIf(tool.missing)("a zone whose key is in a Secret", () => {
  const temp = makeTempDir()
  const world = worldWith({ sockets: createSockets() })
  let server: NameServerProcess
  let plane: ScenarioPlane

  beforeAll(async () => {
    server = await startBind({ directory: temp.path, zones: { [zone]: "" } })
    plane = await openScenarioPlane({
      kinds: () => dnsKinds({ clock: systemClock, random: systemRandom }),
      composites: () => [],
      ...{ kind: "RecordSet", reads: world, acts: world },
      loop: { limits: { deletes: 100, deletesPercent: 100 } },
      ...{ clock: systemClock, random: systemRandom },
    })
  })
  afterAll(async () => {
    await plane?.close()
    await server?.stop("SIGKILL")
    temp.remove()
  })

  const dnsZone = (name: string, secretName: string): ApiObject => ({
    ...{ apiVersion, kind: "DnsZone", metadata: { name } },
    spec: {
      ...{ name: zone, server: server.address },
      keyFrom: { kind: "Secret", name: secretName, field: "data" },
    },
  })
  const ours = () => [secret, dnsZone("zone", "example-key")]
  const has = (name: string) => async () =>
    server.dig(zone).some(([found]) => found === `${name}.${zone}.`)
  const settled = async (name: string) => {
    const objects = await plane.objects()
    const one = objects.find(({ metadata }) => metadata.name === name)
    return JSON.stringify(one?.status ?? {}).includes('"Converged"')
  }

  test("is signed for by those who refer to it", async () => {
    plane.declare([...ours(), recordSet("www")])
    expect(await until(has("www"))).toBe(true)
    expect(await until(() => settled("of-zone"))).toBe(true)
  })

  test("is not signed for by those who refer to a Secret that is not there", async () => {
    const other = [dnsZone("other", "no-such-secret"), recordSet("stolen", "other")]
    plane.declare([...ours(), recordSet("www"), ...other])
    const says = async () => JSON.stringify(await plane.objects()).includes("is not known yet")
    expect(await until(says)).toBe(true)
    expect(await has("stolen")()).toBe(false)
  })

  test("is known again after a restart, also for what is only recorded", async () => {
    plane.kill()
    plane.declare([...ours(), recordSet("moved")])
    await plane.reopen()
    expect(await until(has("moved"))).toBe(true)
    expect(await until(() => settled("of-zone"))).toBe(true)
    expect(await has("www")()).toBe(false)
  })
})
