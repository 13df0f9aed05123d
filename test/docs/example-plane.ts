// An example of the repository on a real plane, in a process of its own, and what the tests ask of
// it over the API.

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Json } from "../../src/base/json.ts"
import { type HttpClient, httpClient } from "../../src/client/http/http-client.ts"
import { DocsShell } from "./docs-shell.ts"

const patienceMs = 60_000

export interface LoopView {
  readonly id: string
  readonly objects: number
  readonly converged: number
  readonly plan?: { readonly name: string; readonly actions: number }
}

interface PlanView {
  readonly name: string
  readonly hash: string
  readonly phase: string
  readonly summary: string
}

export class ExamplePlane extends DocsShell {
  readonly example: string
  #client: HttpClient | undefined

  constructor(example: string) {
    super()
    this.example = example
    this.copyExample(example)
  }

  /** `setpoint up PATH` in the example's folder. */
  up(path: string): void {
    this.start(`cd ${this.example} && exec setpoint up ${path}`)
  }

  get data(): string {
    return join(this.here, this.example, ".setpoint")
  }

  target(name: string): string {
    return join(this.targets, name)
  }

  content(name: string): string {
    return existsSync(this.target(name)) ? readFileSync(this.target(name), "utf8") : "(absent)"
  }

  call(method: "GET" | "POST", path: string, body?: Json): Promise<Json> {
    if (this.#client === undefined) {
      const token = readFileSync(join(this.data, "token"), "utf8").trim()
      this.#client = httpClient({ socketPath: join(this.data, "api.sock"), token })
    }
    return this.#client.call(method, path, body)
  }

  async loop(id: string): Promise<LoopView | undefined> {
    if (!existsSync(join(this.data, "api.sock"))) return undefined
    const status = (await this.call("GET", "/setpoint/v1/status")) as object as {
      readonly loops: readonly LoopView[]
    }
    return status.loops.find((loop) => loop.id === id)
  }

  /** One pass of the level trigger over everything; answers with the store's revision after it. */
  async look(): Promise<number> {
    await this.call("POST", "/setpoint/v1/look")
    const status = (await this.call("GET", "/setpoint/v1/status")) as object as {
      readonly revision: number
    }
    return status.revision
  }

  /** Five looks write nothing, once what was still to be noted (how much it owns) is noted. */
  quiet(): Promise<void> {
    return this.until(async () => {
      const revision = await this.look()
      for (let pass = 0; pass < 5; pass++) expect(await this.look()).toBe(revision)
    })
  }

  converged(id: string, objects: number): Promise<void> {
    return this.until(async () => {
      const loop = await this.loop(id)
      expect([loop?.objects, loop?.converged]).toEqual([objects, objects])
    })
  }

  async pending(): Promise<PlanView | undefined> {
    const { plans } = (await this.call("GET", "/setpoint/v1/plans")) as object as {
      readonly plans: readonly PlanView[]
    }
    return plans.find((plan) => plan.phase === "Pending")
  }

  approve({ name, hash }: PlanView): Promise<Json> {
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${name}/approval`
    return this.call("POST", path, { hash })
  }

  /** The exit code of `setpoint plan PATH` in the example's folder. */
  async plan(path: string): Promise<number> {
    return (await this.run(`cd ${this.example} && setpoint plan ${path}`)).code
  }

  /** Asks again until it holds, and throws what was wrong at the end. */
  async until(check: () => Promise<void> | void): Promise<void> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      try {
        return await check()
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  override async close(): Promise<void> {
    this.#client?.close()
    await super.close()
  }
}
