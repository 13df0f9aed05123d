// Runs a program for a signal: no shell, no input, a small environment, its own process group. What
// is left of the group is killed when the program ends, is called off or writes too much.

import { spawn } from "node:child_process"
import type { CommandRequest, CommandResult } from "../../contract/probes.ts"
import { controllerFault } from "../../controllers/faults.ts"

const outputBytesMax = 64 * 1024
const drainMs = 200

const failed = (cause: string) => controllerFault("SPT-SIG-001", { cause })

export function runCommand({ argv }: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
  const [program = "", ...args] = argv
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(failed("it was called off"))
    const child = spawn(program, args, {
      cwd: "/",
      detached: true,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "ignore"],
    })
    const chunks: Buffer[] = []
    let size = 0
    let drain: NodeJS.Timeout | undefined
    const end = (settle: () => void) => {
      clearTimeout(drain)
      signal.removeEventListener("abort", onAbort)
      killGroup(child.pid)
      child.stdout.destroy()
      settle()
    }
    const onAbort = () => end(() => reject(failed("it was called off")))
    signal.addEventListener("abort", onAbort, { once: true })
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= outputBytesMax) chunks.push(chunk)
      else end(() => reject(failed(`it wrote more than ${outputBytesMax} bytes`)))
    })
    child.on("error", (error) => end(() => reject(failed(error.message))))
    const finish = () => {
      const { exitCode, signalCode } = child
      if (exitCode === null) return end(() => reject(failed(`it was ended by ${signalCode}`)))
      const stdout = Buffer.concat(chunks).toString("utf8")
      end(() => resolve({ exitCode, stdout }))
    }
    child.on("close", finish)
    // A child of the program may hold the output open for ever.
    child.on("exit", () => {
      drain = setTimeout(finish, drainMs)
    })
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // Nobody is left.
  }
}
