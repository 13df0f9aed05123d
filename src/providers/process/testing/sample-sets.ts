// Sets to try things with, known by a variable of their processes; odd ones have one replica, so
// that deleting one of them is one delete.

import type { JsonObject } from "../../../base/json.ts"
import type { Running } from "../adapter/testing/process-rig.ts"
import { setSpec } from "../set/set-spec.ts"

const backoff = { initialSeconds: 0, maxSeconds: 0, resetSeconds: 0 }
const pace = { strategy: { minReadySeconds: 0 }, drainSeconds: 0 }

export const templateOf = (command: readonly string[], name: string) => ({
  ...{ command, env: { SAMPLE: name }, backoff },
})

const wish = (replicas: number, template: ReturnType<typeof templateOf>): JsonObject =>
  setSpec.parse({ replicas, template, ...pace }) as JsonObject

export const nameOf = ({ template }: JsonObject): string =>
  String(Object(Object(template).env).SAMPLE)

export const sampleSet = (n: number, version: 0 | 1): JsonObject =>
  wish(
    1 + ((n + 1) % 2) + version,
    templateOf(["sleep", `${1000 + n}`, `0.${version}`], `set-${n}`),
  )

/** Programs by the set that they say they belong to; others by their place. */
export function setsIn(programs: readonly Running[]): ReadonlyMap<string, readonly Running[]> {
  return Map.groupBy(programs, ({ env, place }) => env.get("SAMPLE") ?? place)
}

/** As the spec says it; replicas that differ are shown with all their words. */
export function factsOf([name, all]: [string, readonly Running[]]): [string, JsonObject] {
  const commands = [...new Set(all.map(({ argv }) => argv.join(" ")))].sort()
  return [name, wish(all.length, templateOf(commands.join(" ").split(" "), name))]
}
