// Cleans up when the demo can't: killed, or its terminal gone in the middle of a write. A shell
// that waits for the end of a pipe, which comes with the demo's end, however that happens; if the
// folder is still there then, this program is started once more, to remove it.

import { type ChildProcess, spawn } from "node:child_process"
import { shellWord } from "../command-text.ts"
import { demoVariable } from "./leftovers.ts"
import { type DemoWorld, ownProgram } from "./world/demo-world.ts"

export class Guardian {
  readonly #child: ChildProcess

  constructor(world: DemoWorld) {
    const remove = [...ownProgram, "demo", "--remove", world.folder].map(shellWord).join(" ")
    const script = `cat > /dev/null; test ! -d ${shellWord(world.folder)} || exec ${remove}`
    this.#child = spawn("sh", ["-c", script], {
      cwd: "/",
      env: { ...process.env, [demoVariable]: "" },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    this.#child.on("error", () => {}) // Without a shell nothing of the demo works, and it says so.
    this.#child.stdin?.on("error", () => {})
    this.#child.unref()
  }

  /** Everything is cleaned up, or the folder is to stay. */
  dismiss(): void {
    this.#child.kill("SIGKILL")
  }
}
