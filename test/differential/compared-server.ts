// One of the two servers: sends the requests of a sequence, fills in what this server said of its
// objects, and makes of each answer what can be compared.

import { Agent, request } from "node:https"
import { type Comparable, comparable } from "./comparable.ts"
import type { Request } from "./request-parts.ts"

export interface Answer {
  readonly status: number
  readonly type: string
  readonly warnings: readonly string[]
  readonly text: string
}

interface Known {
  uid: string
  rv: string
  old: string
}

export class ComparedServer {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  close(): void {
    this.#agent.destroy()
  }

  send({ method, path, type, accept, body }: Request): Promise<Answer> {
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const call = request(`${this.#url}${path}`, {
        method,
        agent: this.#agent,
        timeout: 30_000,
        headers: {
          authorization: `Bearer ${this.#token}`,
          accept: accept ?? "application/json",
          "user-agent": "compare/1",
          "content-length": Buffer.byteLength(text),
          ...(type === undefined ? {} : { "content-type": type }),
        },
      })
      // A server that hangs up has answered too.
      call.on("error", ({ message }) => {
        if (message !== "socket hang up") reject(new Error(`${method} ${path}: ${message}`))
        else resolve({ status: 0, type: "", warnings: [], text: message })
      })
      call.once("timeout", () => call.destroy(new Error(`no answer to ${method} ${path}`)))
      call.once("response", (response) => {
        let answer = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          answer += chunk
        })
        response.once("error", reject)
        response.once("end", () => {
          const warnings = [response.headers.warning ?? []].flat()
          const media = (response.headers["content-type"] ?? "").split(";")[0] ?? ""
          resolve({ status: response.statusCode ?? 0, type: media, warnings, text: answer })
        })
      })
      call.end(text)
    })
  }

  /** Answers to a whole sequence in a namespace of its own. */
  async *run(sequence: readonly Request[], namespace: string): AsyncGenerator<Comparable> {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }
    const path = "/api/v1/namespaces"
    const made = await this.send({ method: "POST", path, type: "application/json", body })
    if (made.status !== 201) throw new Error(`no namespace ${namespace}: ${made.text}`)
    const known = new Map<string, Known>()
    const revisions = new Map<string, number>()
    for (const one of sequence) {
      const answer = await this.send(filled(one, namespace, known))
      remember(answer, known)
      yield comparable(answer, namespace, revisions)
    }
  }
}

function filled(asked: Request, namespace: string, known: ReadonlyMap<string, Known>): Request {
  const text = JSON.stringify(asked)
    .replaceAll("{ns}", namespace)
    .replaceAll(/\{(uid|rv|old) ([a-z]+\/[a-z])\}/g, (_, which: keyof Known, name: string) => {
      const absent = which === "uid" ? "00000000-0000-0000-0000-000000000000" : "1"
      return known.get(name)?.[which] ?? absent
    })
  return JSON.parse(text) as Request
}

const resourceOf: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  Secret: "secrets",
  Thing: "things",
}

function remember({ text, type, status }: Answer, known: Map<string, Known>): void {
  if (type !== "application/json" || status >= 300) return
  const { kind, metadata } = JSON.parse(text)
  const resource = resourceOf[kind]
  if (resource === undefined || metadata?.resourceVersion === undefined) return
  const key = `${resource}/${metadata.name}`
  const rv: string = metadata.resourceVersion
  const before = known.get(key)
  if (before?.rv === rv) return
  known.set(key, { uid: metadata.uid, rv, old: before?.rv ?? "1" })
}
