// Keeps a private mount namespace alive over the lives of a plane, so that a full or read-only disk
// can be made, changed and undone without touching the host's mounts.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { waitFor } from "./wait-for.ts"

export class MountKeeper {
  readonly #child: ChildProcess
  #ready = false

  constructor(script: string) {
    const whole = `${script}\necho ready\nexec sleep 3600`
    this.#child = spawn("unshare", ["-m", "sh", "-ec", whole], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#child.stdout?.on("data", () => {
      this.#ready = true
    })
  }

  ready(): Promise<number> {
    return waitFor("the mounts are there", () => this.#ready)
  }

  /** Runs a plane in the namespace; nsenter becomes the plane. */
  get prefix(): readonly string[] {
    return ["nsenter", "-t", String(this.#child.pid), "-m"]
  }

  run(...command: readonly string[]): string {
    const [program = "", ...args] = [...this.prefix, ...command]
    const result = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 })
    if (result.status !== 0) throw new Error(`${command.join(" ")}: ${result.stderr}`)
    return result.stdout
  }

  /** A path as it is inside. */
  inside(path: string): string {
    return `/proc/${this.#child.pid}/root${path}`
  }

  close(): void {
    this.#child.kill("SIGKILL")
  }
}
