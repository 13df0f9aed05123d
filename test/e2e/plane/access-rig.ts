// A real plane in this process, asked over its socket by people with different roles: none at all,
// view, edit and admin inside the namespace `shop`, an agent with what agents have, and a stranger.

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { at, type Json } from "../../../src/base/json.ts"
import { systemClock, systemRandom } from "../../../src/base/system.ts"
import type { ApiObject } from "../../../src/object/object.ts"
import { localPrincipal } from "../../../src/plane/adapters/local-token.ts"
import { type LocalPlane, openLocalPlane } from "../../../src/plane/adapters/open-local-plane.ts"
import { createToken } from "../../../src/plane/adapters/token-file.ts"
import { newLogger } from "../../../src/telemetry/logger.ts"

export const roles = ["none", "view", "edit", "admin", "agent"] as const
export type RoleName = (typeof roles)[number]
export type Caller = RoleName | "owner" | "stranger"

export interface Answered {
  readonly status: number
  /** Of our fault, when it is one. */
  readonly code: string
  readonly text: string
  readonly body: Json
}

export const home = "shop"
export const other = "bank"

export class AccessRig {
  readonly base = mkdtempSync(join(tmpdir(), "spt-"))
  readonly directory = join(this.base, "data")
  #local: LocalPlane | undefined
  readonly #tokens = new Map<string, string>()

  get local(): LocalPlane {
    if (this.#local === undefined) throw new Error("not open")
    return this.#local
  }

  async open(): Promise<void> {
    this.#local = await openLocalPlane({
      ...{ directory: this.directory, version: "0.0.0", keyFile: join(this.base, "key") },
      roots: [this.base],
      listen: { port: 0 },
      logger: newLogger({ clock: systemClock, level: "error", sink: () => {} }),
      onFatal: (fault) => {
        throw fault
      },
    })
    for (const name of roles) {
      const kind = name === "agent" ? "agent" : "human"
      const asked = { name, kind, lifeMs: 3_600_000 } as const
      const made = createToken(this.directory, asked, localPrincipal(), Date.now(), systemRandom)
      this.#tokens.set(name, made.token)
    }
    // People with a token may otherwise do everything; an administrator takes that away so.
    const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    await this.call("owner", "DELETE", `${bindings}/setpoint:operator`)
    for (const name of [home, other]) {
      await this.#make("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", name })
    }
    for (const role of ["view", "edit", "admin"]) await this.bind(role, role, home)
  }

  async close(): Promise<void> {
    await this.#local?.close()
    rmSync(this.base, { recursive: true, force: true })
  }

  /** Binds a cluster role to a user inside a namespace. */
  bind(user: string, role: string, namespace: string): Promise<void> {
    const group = "rbac.authorization.k8s.io"
    return this.#make(`/apis/${group}/v1/namespaces/${namespace}/rolebindings`, {
      ...{ apiVersion: `${group}/v1`, kind: "RoleBinding", name: `${user}-${role}` },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: group, kind: "User", name: user }],
    })
  }

  async #make(path: string, draft: Readonly<Record<string, Json>>): Promise<void> {
    const { name, ...rest } = draft
    const object = { ...rest, metadata: { name } } as object as ApiObject
    const { status, text } = await this.call("owner", "POST", path, object as object as Json)
    if (status !== 201) throw new Error(`${path} ${status} ${text}`)
  }

  headersOf(caller: Caller): Record<string, string> {
    if (caller === "stranger") return {}
    const owner = () => readFileSync(join(this.directory, "token"), "utf8").trim()
    return { authorization: `Bearer ${this.#tokens.get(caller) ?? owner()}` }
  }

  call(caller: Caller, method: string, path: string, body?: Json): Promise<Answered> {
    return this.send(method, path, this.headersOf(caller), body)
  }

  /** Of an answer that goes on for ever only the head is waited for. */
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>>,
    body?: Json,
  ): Promise<Answered> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json"
    const socketPath = join(this.directory, "api.sock")
    const content = body === undefined ? {} : { "content-type": type }
    return new Promise((resolve, reject) => {
      const options = { socketPath, method, path, headers: { ...headers, ...content } }
      const request = httpRequest(options, (response) => {
        const status = response.statusCode ?? 0
        let text = ""
        const finish = () => resolve({ status, text, ...parsed(text) })
        if (path.includes("watch=1") && status === 200) {
          finish()
          response.on("error", () => {})
          request.destroy()
          return
        }
        response.on("data", (chunk) => {
          text += String(chunk)
        })
        response.on("end", finish)
      })
      request.on("error", reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

function parsed(text: string): { readonly code: string; readonly body: Json } {
  try {
    const body = JSON.parse(text) as Json
    const code = at(body, "details", "setpoint", "code")
    return { body, code: typeof code === "string" ? code : "" }
  } catch {
    return { body: null, code: "" }
  }
}
