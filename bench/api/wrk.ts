// Load by wrk, where it is installed: it costs a fraction of a generator on Node, so that the
// server is what is measured. The requests are those of load.ts.

import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Place } from "./light-client.ts"
import type { What } from "./load.ts"
import type { LoadResult } from "./load-result.ts"
import { configMap, configMapsPath, widget, widgetsPath } from "./objects.ts"

export interface WrkOrder {
  readonly place: Place
  readonly what: What
  readonly connections: number
  readonly ms: number
  readonly tag: string
  readonly widgets: number
}

/** The output of a program; rejects when it fails. */
export function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program}: ${error.message} ${stderr}`))
    })
  })
}

export async function wrk(
  url: string,
  script: string,
  connections: number,
  ms: number,
  args: readonly string[],
): Promise<LoadResult> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const seconds = Math.max(1, Math.round(ms / 1000))
  const shape = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", path]
  const text = await outputOf("wrk", [...shape, url, "--", ...args])
  const found = /^RESULT (.*)$/m.exec(text)?.[1]
  if (found === undefined) throw new Error(`wrk said: ${text}`)
  const result = JSON.parse(found) as LoadResult & { readonly bad: number }
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.answers} answers were not good`)
  return result
}

export function wrkLoad(order: WrkOrder): Promise<LoadResult> {
  const { place, what, connections, ms, tag, widgets } = order
  const { host, port, token } = place
  const lines = [
    `Host: ${host}:${port}`,
    `Authorization: Bearer ${token}`,
    "Accept: application/json",
  ]
  const head = `${lines.join("\r\n")}\r\n`
  const sized = widget("%NAME%").replace('"size":1,', '"size":"%SIZE%",')
  const objects = [configMapsPath, configMap("%NAME%"), widgetsPath, sized]
  const args = [what, tag, String(widgets), head, ...objects]
  return wrk(`https://${host}:${port}`, "./load.lua", connections, ms, args)
}
