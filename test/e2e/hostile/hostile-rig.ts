// A real plane with something to hide, and a guest who may work in one namespace and says whatever
// it likes. Everything that comes back is kept, to be searched for what the guest may not see.

import { readFileSync } from "node:fs"
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { connect as connectPlain } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import { ServedPlane } from "../clients/served-plane.ts"
import { type Answer, Http1Wire } from "../history/wire.ts"
import { waitFor } from "../plane/wait-for.ts"

export const canary = "canary-4f1d9a"
const answerMs = 8000

export class HostileRig {
  readonly plane = new ServedPlane()
  guest = ""
  heard = ""
  #owner: Http1Wire | undefined
  readonly #sessions: ClientHttp2Session[] = []

  async open(): Promise<void> {
    await this.plane.start()
    this.#owner = new Http1Wire({ server: this.plane.server, token: this.plane.token })
    for (const name of ["open", "private"]) {
      await this.make("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace" }, name)
    }
    const hidden = "/api/v1/namespaces/private"
    const stringData = { password: canary }
    await this.make(`${hidden}/secrets`, { apiVersion: "v1", kind: "Secret", stringData }, "kept")
    const data = { text: canary }
    await this.make(`${hidden}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", data }, "kept")
    await this.#letIn()
  }

  async #letIn(): Promise<void> {
    const home = "/api/v1/namespaces/open"
    const account = { apiVersion: "v1", kind: "ServiceAccount" }
    await this.make(`${home}/serviceaccounts`, account, "guest")
    const group = "rbac.authorization.k8s.io"
    const roles = `/apis/${group}/v1/namespaces/open`
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }]
    const role = { apiVersion: `${group}/v1`, kind: "Role", rules }
    await this.make(`${roles}/roles`, role, "guest")
    const binding = {
      ...{ apiVersion: `${group}/v1`, kind: "RoleBinding" },
      roleRef: { apiGroup: group, kind: "Role", name: "guest" },
      subjects: [{ kind: "ServiceAccount", name: "guest", namespace: "open" }],
    }
    await this.make(`${roles}/rolebindings`, binding, "guest")
    const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }
    const path = `${home}/serviceaccounts/guest/token`
    const answer = await this.own("POST", path, asked)
    this.guest = JSON.parse(answer.text).status.token
    await waitFor("the guest is let in", async () => {
      const text = await this.speak(this.request("GET", `${home}/configmaps`))
      return /^HTTP\/1.1 200 /.test(text) || text.slice(0, 300)
    })
  }

  async make(path: string, object: object, name: string): Promise<void> {
    const { status, text } = await this.own("POST", path, { ...object, metadata: { name } })
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`)
  }

  /** As the owner, who may do everything. */
  own(method: string, path: string, body?: object): Promise<Answer> {
    if (this.#owner === undefined) throw new Error("not open")
    const type = "application/json"
    return this.#owner.send({ method, path, type, ...(body === undefined ? {} : { body }) })
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    this.#owner?.close()
    await this.plane.close()
  }

  get port(): number {
    return Number(new URL(this.plane.server).port)
  }

  /** The address of the dashboard. */
  get page(): number {
    return Number(/page +http:\/\/127\.0\.0\.1:(\d+)/.exec(this.plane.log)?.[1] ?? 0)
  }

  /** Anonymous memory in MB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.plane.pid}/status`, "utf8")
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  }

  head(method: string, path: string, more = "", token = this.guest): string {
    const host = `Host: 127.0.0.1:${this.port}\r\n`
    return `${method} ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n${more}`
  }

  request(method: string, path: string, body = "", type = "application/json", token?: string) {
    const length = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    return `${this.head(method, path, length, token)}Connection: close\r\n\r\n${body}`
  }

  raw(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...{ host: "127.0.0.1", port: this.port, rejectUnauthorized: false },
        ALPNProtocols: ["http/1.1"],
      })
      socket.once("secureConnect", () => resolve(socket))
      socket.once("error", reject)
    })
  }

  /** What comes back until the connection ends, or nothing more comes for a while. */
  async speak(bytes: string | Buffer | readonly string[], plainPort?: number): Promise<string> {
    const socket = plainPort === undefined ? await this.raw() : connectPlain(plainPort, "127.0.0.1")
    const parts = typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes
    const text = await new Promise<string>((resolve) => {
      let heard = ""
      const done = () => resolve(heard)
      let quiet = setTimeout(done, answerMs)
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString("latin1")
        clearTimeout(quiet)
        quiet = setTimeout(done, 400)
      })
      socket.on("error", () => {})
      socket.once("close", () => {
        clearTimeout(quiet)
        done()
      })
      for (const part of parts) socket.write(part)
    })
    socket.destroy()
    this.heard += text
    return text
  }

  http2(): ClientHttp2Session {
    const session = connectHttp2(this.plane.server, { rejectUnauthorized: false })
    session.on("error", () => {})
    session.setMaxListeners(0)
    this.#sessions.push(session)
    return session
  }

  /** The plane still answers whoever asks how it is. */
  async isWell(): Promise<void> {
    await waitFor(
      "the plane answers",
      async () => {
        const text = await this.speak("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return /^HTTP\/1.1 200 /.test(text) || text.slice(0, 200)
      },
      { deadlineMs: 30_000 },
    )
  }
}
