import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { expect, it } from "vitest"
import { systemRandom } from "../../../base/system.ts"
import { openAuthority } from "../../../plane/adapters/pki/authority.ts"
import { startWorker } from "../../../store/engines/start-worker.ts"
import { listenInFront } from "./tls-front.ts"

const names = ["localhost", "127.0.0.1"]

function get(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, ca, servername: "localhost", agent: false })
    asked.once("error", reject)
    asked.once("response", (response) => {
      response.setEncoding("utf8")
      response.once("data", resolve)
      response.once("error", reject)
    })
    asked.end()
  })
}

it("listens on the same port again when its thread died, and tells those who waited", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spt-front-"))
  const authority = openAuthority({ directory, random: systemRandom, now: () => Date.now() })
  const fronts: Worker[] = []
  const gone: string[] = []
  const front = await listenInFront(
    {
      ...{ host: "127.0.0.1", ports: [0], ...authority.server(names) },
      ...{ clientAuthority: authority.certificate, isOurs: () => true },
    },
    (asked, response) => {
      if (fronts.length > 1) {
        response.writeHead(200, {})
        response.end(asked.socket.remoteAddress ?? "")
        return
      }
      response.once("close", () => gone.push("gone"))
      void fronts[0]?.terminate()
    },
    (data) => {
      const worker = startWorker("front-worker", import.meta.url, data)
      fronts.push(worker)
      return worker
    },
  )
  try {
    const port = front.port ?? 0
    await expect(get(port, authority.certificate)).rejects.toThrow()
    const again = async (): Promise<string> => {
      for (;;) {
        const text = await get(port, authority.certificate).catch(() => undefined)
        if (text !== undefined) return text
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    expect(await again()).toBe("127.0.0.1")
    expect([gone, fronts.length, front.port]).toEqual([["gone"], 2, port])
  } finally {
    const stopped = front.stop()
    front.closeAll()
    await stopped
    rmSync(directory, { recursive: true, force: true })
  }
})
