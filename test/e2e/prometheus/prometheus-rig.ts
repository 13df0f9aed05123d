// A real Prometheus in a process of its own, over a temporary folder. Ended by its process id.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitFor } from "../plane/wait-for.ts"

export interface Alert {
  readonly state: "pending" | "firing"
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface Rule {
  readonly name: string
  readonly type: "alerting" | "recording"
  readonly health: string
  readonly lastError?: string
  readonly lastEvaluation: string
}

export class PrometheusRig {
  readonly folder = mkdtempSync(join(tmpdir(), "spt-prom-"))
  #child: ChildProcess | undefined
  #url = ""
  #errors = ""

  file(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  async start(config: string): Promise<void> {
    const port = await freePort()
    this.#url = `http://127.0.0.1:${port}`
    const args = [
      `--config.file=${this.file("prometheus.yml", config)}`,
      `--storage.tsdb.path=${join(this.folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ]
    const child = spawn("prometheus", args, { stdio: ["ignore", "ignore", "pipe"] })
    child.stderr.on("data", (chunk) => {
      this.#errors = (this.#errors + String(chunk)).slice(-10_000)
    })
    this.#child = child
    await waitFor("Prometheus is ready", async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended: ${this.#errors}`)
      try {
        return (await fetch(`${this.#url}/-/ready`)).ok
      } catch (error) {
        return String(error)
      }
    })
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1/${path}`)
    const body = (await answer.json()) as { status: string; data: T; error?: string }
    if (body.status !== "success") throw new Error(`${path}: ${body.error}`)
    return body.data
  }

  async alerts(): Promise<readonly Alert[]> {
    return (await this.#get<{ alerts: Alert[] }>("alerts")).alerts
  }

  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.#get<{ groups: { rules: Rule[] }[] }>("rules")
    return groups.flatMap(({ rules }) => rules)
  }

  /** All rules were worked out after this moment, without an error. */
  async evaluatedSince(moment: number): Promise<boolean> {
    const rules = await this.rules()
    return rules.every(({ health, lastEvaluation }) => {
      return health === "ok" && Date.parse(lastEvaluation) > moment
    })
  }

  /** Every target as `HOST:PORT health error`. */
  async targets(): Promise<readonly string[]> {
    interface Target {
      readonly labels: { readonly instance: string }
      readonly health: string
      readonly lastError: string
    }
    const { activeTargets } = await this.#get<{ activeTargets: Target[] }>("targets")
    return activeTargets.map(({ labels, health, lastError }) => {
      return `${labels.instance} ${health} ${lastError}`.trim()
    })
  }

  /** The value of each series, by its text. */
  async query(expression: string): Promise<ReadonlyMap<string, number>> {
    interface Vector {
      readonly result: readonly {
        readonly metric: Readonly<Record<string, string>>
        readonly value: readonly [number, string]
      }[]
    }
    const { result } = await this.#get<Vector>(`query?query=${encodeURIComponent(expression)}`)
    return new Map(result.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]))
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once("close", resolve))
      child.kill("SIGKILL")
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}
