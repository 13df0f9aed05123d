// Is it alive, is it ready, which version. Open to everyone who reaches the port: load balancers
// and supervisors have no token.

import type { Answer } from "./answer.ts"
import type { PlainCall, PlainRoute } from "./plain-route.ts"

export interface HealthFacts {
  /** Undefined when ready, else why not. */
  ready(): string | undefined
  readonly version: string
}

/** Clients branch on the version of Kubernetes whose API this is. */
const kubernetes = { major: "1", minor: "35" }

type Check = readonly [name: string, why: string | undefined]

export function healthRoutes(facts: HealthFacts): PlainRoute[] {
  const alive = (): Check[] => [["ping", undefined]]
  const ready = (): Check[] => [
    ["ping", undefined],
    ["plane", facts.ready()],
  ]
  const of = (path: string, all: () => Check[]): PlainRoute[] => {
    const answer = (call: PlainCall) => report(path, call, all())
    return [
      { pattern: path, open: true, answer },
      { pattern: `${path}/{check}`, open: true, answer },
    ]
  }
  return [
    ...of("/healthz", alive),
    ...of("/livez", alive),
    ...of("/readyz", ready),
    { pattern: "/version", open: true, answer: () => versionAnswer(facts.version) },
  ]
}

/** As Kubernetes words it: "ok", or a line for each check when asked, or when one fails. */
function report(path: string, { query, path: asked }: PlainCall, all: readonly Check[]): Answer {
  const one = asked.slice(path.length + 1).replace(/\/$/, "")
  if (one !== "" && !all.some(([name]) => name === one)) {
    return { status: 404, text: `there is no check "${one.slice(0, 100)}"\n` }
  }
  const left = new Set(query.getAll("exclude"))
  const chosen = one === "" ? all : all.filter(([name]) => name === one)
  const counted = chosen.filter(([name]) => !left.has(name))
  const isWell = counted.every(([, why]) => why === undefined)
  if (isWell && !query.has("verbose")) return { status: 200, text: "ok" }
  const lines = chosen.map(([name, why]) => {
    if (left.has(name)) return `[+]${name} excluded: ok`
    return why === undefined ? `[+]${name} ok` : `[-]${name} failed: ${why}`
  })
  const end = `${path.slice(1)} check ${isWell ? "passed" : "failed"}`
  const text = `${[...lines, end].join("\n")}\n`
  return isWell ? { status: 200, text } : { status: 503, text, headers: { "retry-after": "1" } }
}

function versionAnswer(version: string): Answer {
  const { major, minor } = kubernetes
  const gitVersion = `v${major}.${minor}.0+setpoint-${version}`
  return { status: 200, body: { major, minor, gitVersion, platform: "setpoint" } }
}
