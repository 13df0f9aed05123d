// A program on a real terminal, made by `script`: keys go in, and what stands on the screen comes
// out.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TerminalScreen } from "../../../scripts/recording/terminal-screen.ts"
import { compiled } from "../../program.ts"
import { waitFor } from "../plane/wait-for.ts"

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

export class TerminalRun {
  readonly ended: Promise<void>
  readonly #home = mkdtempSync(join(tmpdir(), "spt-tty-"))
  readonly #child: ChildProcess
  readonly #screen: TerminalScreen
  #output = ""

  constructor(command: readonly string[], size: { columns: number; rows: number }) {
    const { columns, rows } = size
    const line = `stty cols ${columns} rows ${rows}; exec ${command.map(quote).join(" ")}`
    const own = { XDG_CONFIG_HOME: join(this.#home, "config"), NODE_COMPILE_CACHE: compiled }
    this.#screen = new TerminalScreen(columns, rows)
    this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
      ...{ cwd: this.#home, env: { ...process.env, ...own } },
      stdio: ["pipe", "pipe", "inherit"],
    })
    this.#child.stdout?.on("data", (chunk) => {
      this.#output += String(chunk)
      this.#screen.write(String(chunk))
    })
    this.ended = new Promise((resolve) => this.#child.once("close", () => resolve()))
  }

  get folder(): string {
    return /Setpoint demo in ([\w/.-]+)/.exec(this.#output)?.[1] ?? "unknown"
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** The lines that a person sees now. */
  screen(): string[] {
    return this.#screen.lines()
  }

  async shows(pattern: RegExp): Promise<void> {
    await waitFor(`the terminal shows ${pattern}`, () => {
      return pattern.test(this.#output) || this.#output.slice(-500)
    })
  }

  /** The terminal is closed under the program. */
  hangUp(): void {
    this.#child.kill("SIGKILL")
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.ended
    rmSync(this.#home, { recursive: true, force: true })
  }
}
