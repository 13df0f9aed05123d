// The first lines of a running plane: what runs, what it keeps, how to look, how to stop.

import { at } from "../../base/json.ts"
import { stopText } from "../../contract/stop.ts"
import type { ApiObject } from "../../object/object.ts"
import type { LocalPlane } from "../../plane/adapters/open-local-plane.ts"
import { standingText } from "../../plane/break-glass-keeper.ts"
import type { Terminal } from "../terminal.ts"

export interface HowTo {
  readonly look: string
  readonly stop: string
}

export function startScreen(
  { plane, data, server }: LocalPlane,
  loops: readonly ApiObject[],
  how: HowTo,
  terminal: Pick<Terminal, "paint" | "interactive">,
): string[] {
  const row = (name: string, text: string) => `${terminal.paint("dim", name.padEnd(6))} ${text}`
  const { identity } = plane.ports.store
  const notes = [data.created ? "new" : "", identity.restored ? "restored from a backup" : ""]
  const note = notes.filter((one) => one !== "").join(", ")
  const lines = [
    row("plane", `${data.planeId} on ${data.directory}${note === "" ? "" : ` (${note})`}`),
    ...loops.map((loop) => row("loop", loopText(loop))),
    row("api", `${server.address}   kubectl --kubeconfig ${server.kubeconfig} get loops -A`),
    row("page", pageText(server, terminal.interactive)),
    row("look", how.look),
    row("stop", `${how.stop}   (all acting)   Ctrl-C ends the plane`),
  ]
  for (const entry of plane.ports.stop.entries()) {
    lines.push(terminal.paint("red", `STOPPED: ${stopText(entry)}`))
  }
  for (const glass of plane.glass.all()) {
    lines.push(terminal.paint("red", `BREAK-GLASS: ${standingText(glass)}`))
  }
  return lines
}

/** A link that signs in is shown to a person, never written into a log. */
function pageText(server: LocalPlane["server"], interactive: boolean): string {
  if (interactive) return `${server.ownerLink()}   (in a browser; works once)`
  return `${server.dashboard}   (\`setpoint dashboard\` prints a link that signs in)`
}

function loopText({ metadata, spec }: ApiObject): string {
  const path = at(spec, "source", "directory", "path") ?? at(spec, "source", "git", "url")
  const what = typeof path === "string" ? `keeps ${path}` : "keeps what comes by the API"
  return `${metadata.namespace}.${metadata.name}  ${String(at(spec, "mode"))}  ${what}`
}
