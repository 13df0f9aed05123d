// The reasons in an explanation, each under its own heading: why it is as it is, why it is held,
// why it does not converge, why it is not done. Pure.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { ageText } from "./age.ts"
import type { Explanation } from "./explain-lines.ts"

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map((one) => text(one)).filter((one) => one !== "") : []
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export interface WhySection {
  readonly title: string
  readonly lines: readonly string[]
}

export function whySections(told: Explanation, now: number): WhySection[] {
  const sections = [
    { title: "Why it is as it is:", lines: actLines(told) },
    { title: "Why it is held:", lines: heldLines(told) },
    { title: "Why it does not converge:", lines: diagnosisLines(told, now) },
    { title: "Why it is not done:", lines: undoneLines(told) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

/** What was last done; what failed belongs to the diagnosis. */
function actLines({ acts }: Explanation): string[] {
  const done = acts.find((act) => act.result === "done")
  if (done === undefined) return []
  const verb = pasts[text(done.verb)] ?? text(done.verb)
  return [`${verb} at ${text(done.time)}: ${text(done.cause)} (by ${text(done.by)})`]
}

const pasts: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  replace: "the old target was removed",
  delete: "deleted",
  adopt: "adopted",
}

function heldLines({ held, plan }: Explanation): string[] {
  return held.map((one) => {
    const verb = text(object(one.action).verb)
    const why = objects(one.reasons).map((reason) => text(reason.message))
    return `its ${verb} is held${plan === "" ? "" : ` in plan ${plan}`}: ${why.join("; ")}`
  })
}

function diagnosisLines({ state, acts, held }: Explanation, now: number): string[] {
  const diagnosis = object(state.diagnosis)
  const name = text(diagnosis.class)
  const policy = name === "Policy" && (held.length > 0 || text(state.reason) === "Stopped")
  if (name === "" || policy) return []
  const since = text(state.classSince)
  const times = typeof state.attempts === "number" ? state.attempts : 0
  const tries = state.state === "retrying" || state.state === "stuck"
  const tried = tries && times > 1 ? `, ${times} attempts` : ""
  const failed = acts.find((act) => act.result !== "done")
  const last = failed === undefined ? [] : [`last act: ${failedText(failed, now)}`]
  return [
    `${name}, for ${ageText(since, now)}${tried}`,
    ...texts(diagnosis.evidence)
      .filter((fact) => held.length === 0 || !fact.startsWith("guard ")) // Told above.
      .map((fact) => `- ${fact}`),
    ...last.map((line) => `- ${line}`),
  ]
}

function failedText(act: JsonObject, now: number): string {
  const when = `${ageText(text(act.time), now)} ago`
  return `${text(act.verb)} ${text(act.result)} ${when}`
}

function undoneLines(told: Explanation): string[] {
  const { stopped, rejected, loopSource, mode, changes, missing, state, held } = told
  const lines: string[] = []
  if (stopped !== "") lines.push(stopped)
  for (const one of missing) {
    lines.push(`it waits for ${text(one.field)} of ${text(one.kind)} ${text(one.name)}`)
  }
  for (const one of rejected) {
    const again = "it is asked again when its declaration changes"
    lines.push(`its ${text(one.verb)} was rejected by ${text(one.principal)}; ${again}`)
  }
  if (mode === "Observe" && changes.length > 0) lines.push("the loop only observes")
  const bad = loopSource.state === "invalid" || loopSource.state === "unreadable"
  if (bad) {
    lines.push(`the loop's source is ${text(loopSource.state)}; the last good revision counts`)
    lines.push(...texts(loopSource.issues).slice(0, 3))
  }
  const known = text(state.state)
  const waits = known === "waiting" || known === "denied"
  if (lines.length === 0 && held.length === 0 && waits) lines.push(text(state.message))
  return lines
}
