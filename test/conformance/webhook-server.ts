// A real webhook for tests: HTTPS on a free port, with a certificate of an authority made for it.
// What it answers is up to each test.

import { mkdtempSync, rmSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { openAuthority } from "../../src/plane/adapters/pki/authority.ts"

export interface Review {
  readonly uid: string
  readonly operation: string
  readonly object: JsonObject | null
  readonly oldObject: JsonObject | null
  readonly [member: string]: Json | undefined
}

/** The response of the review, or what to do with the connection. */
export type Reply = (request: Review, response: ServerResponse) => JsonObject | undefined

export class WebhookServer {
  readonly #directory = mkdtempSync(join(tmpdir(), "setpoint-webhook-"))
  readonly #server: Server
  readonly authority: string
  /** By path; those without a reply are allowed. */
  readonly replies = new Map<string, Reply>()
  readonly asked: { readonly path: string; readonly request: Review }[] = []

  constructor() {
    const { directory, clock, random } = {
      ...{ directory: this.#directory, clock: systemClock, random: systemRandom },
    }
    const authority = openAuthority({ directory, random, now: () => clock.now() })
    const { certificate, key } = authority.server(["127.0.0.1", "hook.tools.svc"])
    this.authority = authority.certificate
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      const parts: Buffer[] = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const path = new URL(request.url ?? "/", "https://hook").pathname
        this.#answer(path, Buffer.concat(parts).toString(), response)
      })
    })
  }

  #answer(path: string, text: string, response: ServerResponse): void {
    const { request } = JSON.parse(text) as { request: Review }
    this.asked.push({ path, request })
    const reply = this.replies.get(path) ?? (() => ({ allowed: true }))
    const answer = reply(request, response)
    if (answer === undefined) return
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request.uid, ...answer },
    }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(review))
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, "127.0.0.1", resolve))
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  get caBundle(): string {
    return Buffer.from(this.authority).toString("base64")
  }

  client(path: string): JsonObject {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** What a mutating webhook answers. */
export function patching(...operations: readonly JsonObject[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64")
  return { allowed: true, patchType: "JSONPatch", patch }
}
