// Gate: the same generated requests to kube-apiserver and to a plane get the same answers, but for
// the differences that are listed and explained in one table. Skipped where there is none.

import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Running, startKubernetes } from "../../bench/api/servers.ts"
import { ServedPlane } from "../e2e/clients/served-plane.ts"
import { pause } from "../e2e/plane/wait-for.ts"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { compare, type Difference } from "./compare.ts"
import { ComparedServer } from "./compared-server.ts"
import { knownDifferences, uncompared } from "./known-differences.ts"
import { sequences } from "./requests.ts"
import { thingDefinition } from "./thing-definition.ts"

vi.setConfig({ testTimeout: 900_000, hookTimeout: 180_000 })

const seed = Number(process.env.SETPOINT_TEST_SEED ?? 1)
const runs = full ? 300 : 40
const tool = requireTool("kube-apiserver", "etcd")

const textOf = ({ asked, theirs, ours }: Difference): string =>
  [
    `${asked.method} ${asked.path} ${asked.type ?? ""} ${asked.accept ?? ""}`,
    JSON.stringify(asked.body),
    `kubernetes: ${JSON.stringify(theirs)}`,
    `setpoint:   ${JSON.stringify(ours)}`,
  ].join("\n")

describe.skipIf(tool.missing)("the same requests to kube-apiserver and to a plane", () => {
  let kubernetes: Running | undefined
  let plane: ServedPlane | undefined
  let servers: readonly ComparedServer[] = []

  beforeAll(async () => {
    plane = new ServedPlane()
    const started = await Promise.all([startKubernetes(), plane.start()])
    kubernetes = started[0]
    const { port, token } = kubernetes.place
    servers = [
      new ComparedServer(`https://127.0.0.1:${port}`, token),
      new ComparedServer(plane.server, plane.token),
    ]
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const things = "/apis/compare.dev/v1/namespaces/default/things"
    for (const server of servers) {
      const type = "application/json"
      const made = await server.send({ method: "POST", path, type, body: thingDefinition })
      expect([made.status, made.text.slice(0, 500)]).toEqual([201, expect.any(String)])
      while ((await server.send({ method: "GET", path: things })).status !== 200) await pause(50)
    }
  })

  afterAll(async () => {
    for (const server of servers) server.close()
    await plane?.close()
    await kubernetes?.end()
  })

  it(`get the same answers in ${runs} sequences, but for what is listed`, async () => {
    const [theirs, ours] = servers
    if (theirs === undefined || ours === undefined) throw new Error("no servers")
    const differences: Difference[] = []
    const excused: string[] = []
    let requests = 0
    for (const [index, sequence] of fc.sample(sequences, { seed, numRuns: runs }).entries()) {
      const compared = await compare(theirs, ours, sequence, `compare-${seed}-${index}`)
      requests += compared.requests
      excused.push(...compared.excused)
      if (compared.difference !== undefined) differences.push(compared.difference)
    }
    console.log(`${requests} requests, ${excused.length} excused`)
    expect(differences.map(textOf).join("\n\n")).toBe("")
    expect(requests).toBeGreaterThan(runs * 4)
  })

  it("are excused by names that are there once, with a reason", () => {
    const names = [...knownDifferences, ...uncompared].map(({ what }) => what)
    expect(names).toEqual([...new Set(names)])
    for (const { why } of [...knownDifferences, ...uncompared]) expect(why).not.toBe("")
  })
})
