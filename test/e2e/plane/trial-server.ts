// The world of stop trials: an HTTP server that keeps rows and cells, notes every changing request
// at the moment at which it arrives, and holds its answers back while told to.

import { createServer, type ServerResponse } from "node:http"

export interface Arrival {
  readonly method: string
  /** "rows/a" */
  readonly path: string
  /** Wall clock, milliseconds. */
  readonly at: number
}

export class TrialServer {
  readonly arrivals: Arrival[] = []
  readonly items = new Map<string, { readonly text: string; readonly busy: number }>()
  #holding = false
  #held: (() => void)[] = []
  #writes = 0
  readonly #server = createServer((request, response) => {
    const method = request.method ?? ""
    const path = (request.url ?? "").slice(1)
    if (method === "GET") return void response.end(JSON.stringify(this.#list(path)))
    this.arrivals.push({ method, path, at: Date.now() })
    let body = ""
    request.on("data", (chunk) => {
      body += String(chunk)
    })
    request.on("end", () => this.#change(method, path, body, response))
  })

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  }

  /** Changing requests hang from now on. */
  hold(): void {
    this.#holding = true
  }

  get hanging(): number {
    return this.#held.length
  }

  release(): void {
    this.#holding = false
    for (const answer of this.#held.splice(0)) answer()
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #list(folder: string): object[] {
    return [...this.items]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, item]) => ({
        ...{ name: path.slice(folder.length + 1), ...item, etag: `${item.text}.${item.busy}` },
      }))
  }

  #change(method: string, path: string, body: string, response: ServerResponse): void {
    const answer = () => {
      this.#writes++
      if (method === "DELETE") this.items.delete(path)
      else this.items.set(path, JSON.parse(body))
      response.end("{}")
    }
    if (this.#holding) this.#held.push(answer)
    else answer()
  }

  get writes(): number {
    return this.#writes
  }
}
