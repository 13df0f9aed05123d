// An API over a memory store, served in this process on a port without TLS to whoever comes, and a
// real client that is run against it.

import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Extensions } from "../../../src/api/extensions.ts"
import { type HttpServer, serveHttp } from "../../../src/api/http/http-server.ts"
import { systemClock } from "../../../src/base/system.ts"
import { allowAll } from "../../../src/contract/authorizer.ts"
import { type ApiWorld, alice, openApiWorld } from "../../conformance/client-world.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export class MemoryApi {
  readonly #home = mkdtempSync(join(tmpdir(), "setpoint-client-"))
  readonly #program: string
  readonly #world: ApiWorld
  readonly #server: HttpServer

  private constructor(program: string, world: ApiWorld, server: HttpServer) {
    this.#program = program
    this.#world = world
    this.#server = server
  }

  static async open(program: string): Promise<MemoryApi> {
    const world = await openApiWorld()
    const server = await serveHttp({
      verbs: world.verbs,
      reads: world.reads,
      registry: world.registry,
      extensions: new Extensions(),
      clock: systemClock,
      authenticate: () => alice,
      authorizer: allowAll,
      port: 0,
    })
    return new MemoryApi(program, world, server)
  }

  /** Not spawnSync: the server lives in this process. */
  run(args: string, file = ""): Promise<Ran> {
    const path = join(this.#home, "input.yaml")
    if (file !== "") writeFileSync(path, file)
    const input = file === "" ? [] : ["-f", path]
    const all = ["--server", this.#server.url ?? "", ...args.split(" "), ...input]
    const env = { HOME: this.#home, PATH: process.env.PATH ?? "" }
    return new Promise((resolve) => {
      execFile(this.#program, all, { env, timeout: 60_000 }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        resolve({ code, out, err })
      })
    })
  }

  /** What the client cached. */
  forget(): void {
    rmSync(join(this.#home, ".kube"), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await this.#server.close()
    await this.#world.close()
    rmSync(this.#home, { recursive: true, force: true })
  }
}
