// A real plane whose loop `site` follows a repository on a real git server of this host.

import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { JsonObject } from "../../../src/base/json.ts"
import {
  type CommitOptions,
  GitRepository,
} from "../../../src/sources/git/adapter/testing/git-repository.ts"
import { compiled, program } from "../../program.ts"
import { manifestText, PlaneRig } from "../plane/plane-rig.ts"
import { waitFor } from "../plane/wait-for.ts"
import { GitServer } from "./git-server.ts"

export const username = "setpoint-reader"
export const password = "correct-horse-battery-staple-4711"
export const hookToken = "a-token-that-nobody-guesses-0815"

export class GitRig {
  readonly plane = new PlaneRig()
  readonly repository = new GitRepository("site.git")
  readonly server = new GitServer({ root: dirname(this.repository.path), username, password })

  get url(): string {
    return this.server.url("site.git")
  }

  /** The loop as a manifest at the top of what `up` is given. */
  declareLoop(git: JsonObject = {}, spec: JsonObject = {}): void {
    const source = { git: { url: this.url, secretRef: { name: "site-git" }, ...git } }
    const loop = {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata: { name: "site" } },
      spec: { mode: "Enforce", interval: "1h", source: { ...source }, ...spec },
    }
    writeFileSync(join(this.plane.site, "loop.yaml"), JSON.stringify(loop))
  }

  async start(git: JsonObject = {}, spec: JsonObject = {}): Promise<void> {
    await this.server.start()
    this.declareLoop({ interval: "1h", ...git }, spec)
    await this.plane.start()
    await this.secret("site-git", { username, password })
    await this.fetch()
  }

  async secret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const secrets = { group: "", version: "v1", resource: "secrets" }
    const metadata = { name, namespace: "default" }
    const object = { apiVersion: "v1", kind: "Secret", metadata, stringData: values }
    await this.plane.client.apply(secrets, object, { fieldManager: "test", force: true })
  }

  /** Looks at the repository now, as `setpoint source fetch` does. */
  fetch(): Promise<unknown> {
    return this.plane.call("POST", "source/fetch", { loop: "default.site" })
  }

  /** Files by name, each with its content, in the folder of the loop. */
  push(files: Readonly<Record<string, string>>, options: CommitOptions = {}): string {
    const entries = Object.entries(files).map(([name, content]) => {
      const spec = { path: this.plane.target(name), content }
      return [`${name}.yaml`, manifestText(name, spec)] as const
    })
    return this.repository.commit(Object.fromEntries(entries), options)
  }

  /** Runs `setpoint` as a person would. */
  cli(...words: readonly string[]): { readonly code: number | null; readonly text: string } {
    const { data, base } = this.plane
    const result = spawnSync(process.execPath, [program, "--data", data, ...words], {
      ...{ timeout: 60_000, encoding: "utf8" },
      env: { ...process.env, XDG_CONFIG_HOME: join(base, "config"), NODE_COMPILE_CACHE: compiled },
    })
    return { code: result.status, text: `${result.stdout}${result.stderr}` }
  }

  async sourceSays(state: string, pattern: RegExp): Promise<void> {
    await waitFor(`the source is ${state}`, async () => {
      const { source } = await this.plane.loopStatus()
      const said = `${source?.state}: ${source?.issues?.join("; ")} ${JSON.stringify(source)}`
      return (source?.state === state && pattern.test(said)) || said
    })
  }

  async close(): Promise<void> {
    await this.plane.close()
    await this.server.close()
    this.repository.remove()
  }
}
