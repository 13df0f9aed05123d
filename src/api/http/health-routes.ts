// Is it alive, is it ready, which version. Open to everyone who reaches the port: load balancers and
// supervisors have no token.

import { apiFault } from "../faults.ts"
import type { Answer } from "./answer.ts"
import type { PlainCall, PlainRoute } from "./plain-route.ts"

export interface HealthFacts {
  /** Undefined when ready, else why not. */
  ready(): string | undefined
  readonly version: string
}

/** Clients branch on the version of Kubernetes whose API this is. */
const kubernetes = { major: "1", minor: "35" }

export function healthRoutes(facts: HealthFacts): PlainRoute[] {
  const alive = (call: PlainCall) => checks(call, [["ping", undefined]])
  const ready = (call: PlainCall) =>
    checks(call, [
      ["ping", undefined],
      ["plane", facts.ready()],
    ])
  return [
    { pattern: "/healthz", open: true, answer: alive },
    { pattern: "/livez", open: true, answer: alive },
    { pattern: "/readyz", open: true, answer: ready },
    { pattern: "/version", open: true, answer: () => versionAnswer(facts.version) },
  ]
}

/** As Kubernetes words it: "ok", or a line for each check when asked, or when one fails. */
function checks(
  { query, path }: PlainCall,
  all: readonly (readonly [string, string | undefined])[],
): Answer {
  const failed = all.filter(([, why]) => why !== undefined)
  if (failed.length === 0 && !query.has("verbose")) return { status: 200, text: "ok" }
  const lines = all.map(([name, why]) =>
    why === undefined ? `[+]${name} ok` : `[-]${name} ${why}`,
  )
  if (failed.length === 0) {
    return { status: 200, text: `${lines.join("\n")}\n${path.slice(1)} check passed\n` }
  }
  throw apiFault("SPT-API-024", { why: failed.map(([name, why]) => `${name}: ${why}`).join("; ") })
}

function versionAnswer(version: string): Answer {
  const { major, minor } = kubernetes
  const gitVersion = `v${major}.${minor}.0+setpoint-${version}`
  return { status: 200, body: { major, minor, gitVersion, platform: "setpoint" } }
}
