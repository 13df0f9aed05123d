// A real git server on loopback: `git http-backend` behind a small HTTP server that asks for a name
// and a password. It can be down, and it can keep a caller waiting until the test has looked.

import { spawn } from "node:child_process"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface GitServerOptions {
  /** The folder of bare repositories. */
  readonly root: string
  readonly username: string
  readonly password: string
}

export class GitServer {
  /** Answers 503 to everything while set. */
  down = false
  requests = 0
  readonly #options: GitServerOptions
  readonly #server: Server
  #gate: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(options: GitServerOptions) {
    this.#options = options
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  url(repository: string): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/${repository}`
  }

  /** Who asks for packs from now on waits; how many do. */
  hold(): { readonly waiting: () => number; release(): void } {
    let release = () => {}
    this.#gate = new Promise((resolve) => {
      release = resolve
    })
    return { waiting: () => this.#waiting, release }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++
    const { username, password } = this.#options
    const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
    if (this.down) {
      response.writeHead(503).end("down for maintenance")
    } else if (request.headers.authorization !== wanted) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end()
    } else {
      if (request.method === "POST") {
        this.#waiting++
        await this.#gate
        this.#waiting--
      }
      this.#backend(request, response)
    }
  }

  #backend(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://localhost")
    const header = (name: string) => String(request.headers[name] ?? "")
    const child = spawn("git", ["http-backend"], {
      env: {
        ...{ PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
        ...{ GIT_PROJECT_ROOT: this.#options.root, GIT_HTTP_EXPORT_ALL: "1" },
        ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1) },
        ...{ REQUEST_METHOD: request.method ?? "GET", REMOTE_USER: this.#options.username },
        ...{ CONTENT_TYPE: header("content-type"), GIT_PROTOCOL: header("git-protocol") },
        ...{ HTTP_CONTENT_ENCODING: header("content-encoding"), REMOTE_ADDR: "127.0.0.1" },
      },
      stdio: ["pipe", "pipe", "ignore"],
    })
    child.stdin.on("error", () => {})
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("close", () => {
      const whole = Buffer.concat(chunks)
      const end = whole.indexOf("\r\n\r\n")
      const lines = whole.subarray(0, Math.max(0, end)).toString("latin1").split("\r\n")
      let status = 200
      for (const line of lines) {
        const [name = "", value = ""] = line.split(/:\s*/, 2)
        if (name.toLowerCase() === "status") status = Number(value.split(" ")[0])
        else if (name !== "") response.setHeader(name, value)
      }
      response.writeHead(status).end(whole.subarray(end + 4))
    })
  }
}
