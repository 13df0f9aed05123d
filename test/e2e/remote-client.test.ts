import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { deferred } from "../../src/base/async.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { HttpClient } from "../../src/client/http/http-client.ts"
import { kubeconfigClient } from "../../src/client/http/kubeconfig-client.ts"
import { leadOnce } from "../../src/client/leader-election.ts"
import { RemoteInformer } from "../../src/client/remote-informer.ts"
import { kubeconfigText } from "../../src/plane/adapters/pki/kubeconfig.ts"
import { alice, configMap, configMaps } from "../conformance/client-world.ts"
import { waitFor } from "./plane/wait-for.ts"
import { TlsRig } from "./tls-rig.ts"

let rig: TlsRig
let relay: Relay
let directory: string
const clients: HttpClient[] = []

/** A way to the server that can be cut and mended. */
class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  constructor(port: number) {
    this.#server = createServer((socket) => {
      if (this.#isCut) return void socket.destroy()
      const other = connect(port, "127.0.0.1")
      for (const [one, two] of [
        [socket, other],
        [other, socket],
      ] as const) {
        this.#sockets.add(one)
        one.on("error", () => {})
        one.on("close", () => two.destroy())
        one.pipe(two)
      }
    })
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const address = this.#server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  mend(): void {
    this.#isCut = false
  }

  close(): Promise<void> {
    this.cut()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

let server: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spt-remote-"))
  rig = await TlsRig.open()
  relay = new Relay(rig.port)
  server = `https://localhost:${await relay.open()}`
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await relay.close()
  await rig.close()
  rmSync(directory, { recursive: true, force: true })
})

function clientOf(
  login: { token: string } | { certificate: string; key: string },
  patienceMs = 10_000,
): HttpClient {
  const file = join(directory, `config-${clients.length}`)
  const text = kubeconfigText({ server, authority: rig.authority, user: "ann", login })
  writeFileSync(file, text, { mode: 0o600 })
  const client = kubeconfigClient(file, { patienceMs })
  clients.push(client)
  return client
}

const create = (name: string) => rig.world.verbs.create(alice, configMaps, configMap(name))

describe("a client by kubeconfig", () => {
  it("signs in by certificate or by token, and believes only its server", async () => {
    await create("a")
    const ref = { ...configMaps, namespace: "default", name: "a" }
    expect((await clientOf(rig.owner).get(ref))?.metadata.name).toBe("a")
    expect((await clientOf({ token: "t" }).get(ref))?.metadata.name).toBe("a")
    await expect(clientOf({ token: "no" }).get(ref)).rejects.toMatchObject({ status: 401 })
    const file = join(directory, "other")
    writeFileSync(
      file,
      kubeconfigText({ server, authority: rig.owner.certificate, user: "u", login: rig.owner }),
    )
    const astray = kubeconfigClient(file)
    clients.push(astray)
    await expect(astray.get(ref)).rejects.toMatchObject({ code: "SPT-CLIENT-002" })
  })

  it("reads again when the way was cut, and does not write twice", async () => {
    const client = clientOf({ token: "t" })
    await client.create(configMaps, configMap("a"))
    relay.cut()
    const reading = client.list(configMaps)
    relay.mend()
    expect((await reading).items).toHaveLength(1)
    relay.cut()
    const [failed] = await Promise.allSettled([
      clientOf({ token: "t" }, 0).create(configMaps, configMap("b")),
    ])
    expect(failed).toMatchObject({ status: "rejected", reason: { code: "SPT-CLIENT-002" } })
  })

  it("follows a resource over cuts, without losing a change or a delete", async () => {
    await create("a")
    await create("b")
    const client = clientOf({ token: "t" })
    const seen: string[] = []
    const informer = new RemoteInformer({
      ...{ client, clock: systemClock, random: systemRandom, resource: configMaps },
      selection: { namespace: "default" },
      onChange: (change) => {
        const { name } = (change.kind === "put" ? change.object : change.before).metadata
        seen.push(`${change.kind} ${name}`)
      },
    })
    try {
      await informer.synced()
      relay.cut()
      await rig.world.verbs.delete(alice, { ...configMaps, namespace: "default", name: "a" })
      await create("c")
      relay.mend()
      await waitFor("the changes made meanwhile", () => seen.length >= 4)
      expect(seen).toEqual(["put a", "put b", "delete a", "put c"])
      expect(informer.get("default", "c")?.metadata.name).toBe("c")
      expect(informer.trouble()).toBeUndefined()
    } finally {
      await informer.close()
    }
  })

  it("lists again and compares when the past is gone", async () => {
    await create("a")
    await create("b")
    const real = clientOf({ token: "t" })
    let broken = 0
    const informer = new RemoteInformer({
      client: {
        list: real.list,
        watch: (resource, options) => {
          // The first watch begins in a past that nobody remembers.
          if (broken++ > 0) return real.watch(resource, options)
          const past = { ...options, resourceVersion: "1" }
          return (async function* () {
            await rig.world.verbs.delete(alice, { ...configMaps, namespace: "default", name: "a" })
            await rig.world.store.compact(rig.world.store.revision)
            yield* real.watch(resource, past)
          })()
        },
      },
      ...{ clock: systemClock, random: systemRandom, resource: configMaps },
    })
    try {
      await waitFor("the delete", () => informer.get("default", "a") === undefined && broken > 1)
      expect([...informer.all()].map(({ metadata }) => metadata.name)).toEqual(["b"])
    } finally {
      await informer.close()
    }
  })

  it("elects one leader over real connections, and another when its way is cut", async () => {
    const times = { leaseMs: 1500, renewMs: 1000, retryMs: 100 }
    const place = { namespace: "default", name: "leader" }
    const stop = new AbortController()
    const lead = (identity: string, client: HttpClient) => {
      const began = deferred<number>()
      const options = { client, clock: systemClock, random: systemRandom, ...place, identity }
      const ended = leadOnce(
        { ...options, ...times },
        async (term) => {
          began.resolve(term.fence)
          await new Promise<void>((done) => term.signal.addEventListener("abort", () => done()))
        },
        stop.signal,
      )
      return { began: began.promise, ended }
    }
    const first = lead("one", clientOf({ token: "t" }, 0))
    const fence = await first.began
    server = rig.url
    const second = lead("two", clientOf({ token: "t" }, 0))
    relay.cut()
    expect(await first.ended).toBe("lost")
    expect(await second.began).toBe(fence + 1)
    stop.abort()
    expect(await second.ended).toBe("done")
  })
})
