// Tables for the scenario suite: what samples declare, how somebody would write the same by hand,
// and what nft prints of them, read word by word and without anything of the provider's.

import type { JsonObject } from "../../../base/json.ts"

interface SampleRule {
  readonly id: string
  readonly port: number
  readonly verdict: string
  readonly counter: boolean
}

interface Sample {
  readonly policy: string
  readonly elements: readonly string[]
  readonly rules: readonly SampleRule[]
}

const rule = (id: string, port: number, verdict: string, counter = false): SampleRule => ({
  ...{ id, port, verdict, counter },
})

function sampleOf(n: number, version: 0 | 1): Sample {
  const elements = ["10.0.0.0/8", `192.0.2.${(n % 250) + version + 1}`]
  const ssh = rule("ssh", 22, "accept")
  if (version === 1) {
    return { policy: "drop", elements, rules: [rule("web", 9000 + n, "drop", true), ssh] }
  }
  return { policy: "accept", elements, rules: [ssh, rule("web", 8000 + n, "accept", true)] }
}

function said({ policy, elements, rules }: Sample): JsonObject {
  const list = rules.map(({ id, port, verdict, counter }) => ({
    ...{ id, protocol: "tcp", ports: [port], counter, verdict },
  }))
  return {
    management: [],
    sets: { admins: { type: "ipv4_addr", elements } },
    chains: { input: { hook: "input", priority: 0, policy, rules: list } },
  }
}

export const sampleTable = (netns: string, n: number, version: 0 | 1): JsonObject => ({
  ...{ family: "inet", table: `setpoint_${n}`, host: { netns }, ...said(sampleOf(n, version)) },
})

/** The same in nft's own language. */
export function sampleText(n: number, version: 0 | 1): string {
  const { policy, elements, rules } = sampleOf(n, version)
  const lines = rules.map(({ id, port, verdict, counter }) => {
    const counted = counter ? "counter " : ""
    return `tcp dport ${port} ${counted}${verdict} comment "setpoint:${id}"`
  })
  return `table inet setpoint_${n} {
    set admins {
      type ipv4_addr
      flags interval
      elements = { ${elements.join(", ")} }
    }
    chain input {
      type filter hook input priority 0; policy ${policy};
      ${lines.join("\n")}
    }
  }`
}

/** By identity: what nft prints, as text and, as far as it is a sample, as the spec says it. */
export function sampleFacts(netns: string, name: string, text: string): [string, JsonObject] {
  const [family = "", table = ""] = name.split("/")
  const policy = /policy (\w+);/.exec(text)?.[1] ?? ""
  const elements = /elements = \{([^}]*)\}/.exec(text)?.[1]?.split(",") ?? []
  const lines = text.split("\n").map((line) => line.trim().replace(/packets \d+ bytes \d+ /, ""))
  const rules = lines.flatMap((line) => {
    const found = /^tcp dport (\d+) (counter )?(\w+) comment "setpoint:([\w-]+)"$/.exec(line)
    const [, port, counter, verdict = "", id = ""] = found ?? []
    if (found !== null) return [rule(id, Number(port), verdict, counter !== undefined)]
    return / (accept|drop)$/.test(line) ? [rule(line, 0, "")] : []
  })
  const sample = said({ policy, rules, elements: elements.map((one) => one.trim()) })
  const place = { family, table, host: { netns } }
  return [`${netns}/${name}`, { ...place, ...sample, printed: lines.join("\n") }]
}
