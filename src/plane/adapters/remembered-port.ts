// Ports that stay the same over restarts, DIR/pki/*.port: clients out there know them.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { writePrivateFile } from "../../store/engines/private-files.ts"

export interface PortName {
  readonly directory: string
  readonly name: "api" | "dashboard"
  /** Of the first start, when it is free. */
  readonly usual: number
}

const fileOf = ({ directory, name }: PortName) => join(directory, "pki", `${name}.port`)

/** To be tried one after another: the one asked for, or the last one, the usual one, any. */
export function portsToTry(port: PortName, asked: number | undefined): readonly number[] {
  if (asked !== undefined) return [asked]
  const last = lastPort(port)
  return [...(last === undefined ? [] : [last]), port.usual, 0]
}

export function rememberPort(port: PortName, used: number): void {
  if (lastPort(port) !== used) writePrivateFile(fileOf(port), `${used}\n`)
}

function lastPort(port: PortName): number | undefined {
  try {
    const number = Number(readFileSync(fileOf(port), "utf8"))
    return Number.isInteger(number) && number > 0 && number < 65536 ? number : undefined
  } catch {
    return undefined
  }
}
