// Clients that run beside the test: to their end, or on and on.

import { spawn } from "node:child_process"
import type { Ran, ServedPlane } from "./served-plane.ts"

/** Words, with 'single quotes' kept together. */
export function split(args: string): string[] {
  return (args.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^'|'$/g, ""))
}

export function running(program: string, plane: ServedPlane, args: string): Promise<Ran> {
  const child = spawn(program, split(args), { env: plane.environment })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8")
  })
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8")
  })
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, out, err })))
}

/** A client that goes on for ever, and what it has printed. */
export function watching(program: string, plane: ServedPlane, args: string) {
  const child = spawn(program, split(args), { env: plane.environment })
  const watch = { text: "", end: () => void child.kill("SIGKILL") }
  child.stdout.on("data", (chunk: Buffer) => {
    watch.text += chunk.toString("utf8")
  })
  return watch
}
