// Runs one command with a time budget and keeps the end of what it printed. When the budget is
// spent the whole process group that was started here is ended, and nothing else.

import { spawn } from "node:child_process"

export interface CommandResult {
  readonly code: number | null
  readonly output: string
  readonly timedOut: boolean
  readonly seconds: number
}

const outputMax = 64 * 1024

export function runCommand(
  command: readonly string[],
  options: { readonly seconds: number; readonly env?: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  const [program = "", ...args] = command
  const started = performance.now()
  const env = { ...process.env, ...options.env }
  const child = spawn(program, args, { detached: true, env, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  let timedOut = false
  const keep = (data: Buffer) => {
    output = (output + String(data)).slice(-outputMax)
  }
  child.stdout.on("data", keep)
  child.stderr.on("data", keep)
  const endGroup = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, "SIGKILL")
    } catch {
      // The group has ended by itself.
    }
  }
  const timer = setTimeout(() => {
    timedOut = true
    endGroup()
  }, options.seconds * 1000)
  return new Promise((resolve) => {
    const finish = (code: number | null) => {
      clearTimeout(timer)
      endGroup()
      resolve({ code, output, timedOut, seconds: (performance.now() - started) / 1000 })
    }
    child.on("error", (error) => {
      output += error.message
      finish(null)
    })
    child.on("exit", (code) => setTimeout(() => finish(code), 50))
  })
}
