// The alert rules that are shipped, as values, and the metrics that an expression names.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { root } from "../../docs/pages.ts"

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert?: string
      readonly record?: string
      readonly expr: string
      readonly annotations?: Readonly<Record<string, string>>
    }[]
  }[]
}

export const rulesText = readFileSync(join(root, "deploy/prometheus/setpoint-rules.yaml"), "utf8")

export const rules = (parse(rulesText) as RuleFile).groups.flatMap((group) => group.rules)

export const alertNames = rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert]))

/** Metrics and recorded series, without the names of functions and labels. */
export function namesIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, "")
  return [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*(?=(\s*\()?)/g)]
    .filter((match) => match[1] === undefined)
    .map(([name]) => name)
    .filter((name) => name.includes("_") || name === "up")
}
