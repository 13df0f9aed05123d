// Traces of a real plane, taken by a real HTTP server as a collector takes them: one trace from an
// edit to the target as declared, its parts, the act with its cause; and the same trace in the log.

import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLocalPlane } from "../../src/plane/adapters/open-local-plane.ts"
import { silentLogger } from "../../src/telemetry/logger.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

interface Taken {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string } }[]
  readonly status: { readonly code: number }
}

const attribute = (span: Taken, key: string) =>
  span.attributes.find((one) => one.key === `setpoint.${key}`)?.value.stringValue

function collectorOf(take: (url: string, spans: readonly Taken[]) => void): Server {
  return createServer((request, response) => {
    let body = ""
    request.on("data", (part) => {
      body += String(part)
    })
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(body)
      for (const { scopeSpans } of resourceSpans) {
        for (const one of scopeSpans) take(request.url ?? "", one.spans)
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
}

async function addressOf(collector: Server): Promise<string> {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
}

async function end(collector: Server): Promise<void> {
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
}

describe("traces", () => {
  const rig = new PlaneRig()
  const spans: Taken[] = []
  let collector: Server
  let path = ""

  beforeAll(async () => {
    collector = collectorOf((url, taken) => {
      path = url
      spans.push(...taken)
    })
    rig.declare("a", "a\n")
    rig.declare("b", "b\n")
    const args = ["--otlp-endpoint", await addressOf(collector), "--log-level", "info"]
    await rig.start({ args })
    await rig.converged(2)
  })
  afterAll(async () => {
    await rig.close()
    await end(collector)
  })

  const rootOf = (name: string, cause: string) => {
    const act = spans.find((span) => {
      return attribute(span, "object")?.endsWith(`/${name}`) && attribute(span, "cause") === cause
    })
    const root = spans.find(
      (span) => span.parentSpanId === undefined && span.traceId === act?.traceId,
    )
    return { act, root }
  }

  it("lead from a declaration to its target, part by part", async () => {
    await waitFor("the trace is whole", () => rootOf("a", "edit").root !== undefined)
    const { act, root } = rootOf("a", "edit")
    expect(path).toBe("/v1/traces")
    expect(root?.name).toBe("converge")
    expect(act).toMatchObject({ name: "act", parentSpanId: root?.spanId, status: { code: 0 } })
    expect(act === undefined ? "" : attribute(act, "verb")).toBe("create")
    expect(act === undefined ? "" : attribute(act, "loop")).toBe("default.site")
    const parts = spans.filter((span) => span.parentSpanId === root?.spanId)
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["wait in the queue", "observe and compare", "act"]),
    )
    for (const part of parts) {
      expect(BigInt(part.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(root?.startTimeUnixNano ?? 0),
      )
      expect(BigInt(part.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0))
    }
  })

  it("tell drift from edits, and are named in the log", async () => {
    appendFileSync(rig.target("b"), "drift\n")
    await waitFor("the drift is traced", () => rootOf("b", "drift").root !== undefined)
    const { act } = rootOf("b", "drift")
    const lines = rig.errors.split("\n").filter((line) => line.includes(act?.traceId ?? "none"))
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
      ...{ level: "info", loop: "default.site", verb: "update", result: "done", cause: "drift" },
      trace: act?.traceId,
    })
  })

  it("say nothing while nothing is done", async () => {
    const before = spans.length
    for (let pass = 0; pass < 5; pass++) {
      await rig.client.call("POST", "/setpoint/v1/look?loop=default.site", {})
    }
    await rig.converged(2)
    expect(spans.length).toBe(before)
  })
})

describe("a plane that ends", () => {
  it("sends the traces that still wait", async () => {
    const names: string[] = []
    const collector = collectorOf((_url, spans) => names.push(...spans.map(({ name }) => name)))
    const base = mkdtempSync(join(tmpdir(), "spt-"))
    try {
      const local = await openLocalPlane({
        ...{ directory: join(base, "data"), version: "0.0.0", keyFile: join(base, "key") },
        ...{ listen: { port: 0, dashboardPort: 0 }, logger: silentLogger },
        traceEndpoint: await addressOf(collector),
        onFatal: (fault) => {
          throw fault
        },
      })
      const ids = { traceId: "0".repeat(32), spanId: "0".repeat(16) }
      local.plane.ports.spans?.({ ...ids, name: "last", startMs: 0, endMs: 1, attributes: {} })
      await local.close()
      expect(names).toContain("last")
    } finally {
      await end(collector)
      rmSync(base, { recursive: true, force: true })
    }
  })
})
