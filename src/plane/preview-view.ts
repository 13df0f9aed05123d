// What a preview says: plain values that print as a diff and go out as JSON unchanged. Each line
// has its reason.

import { at, isArray, isObject, type Json } from "../base/json.ts"
import type { Action, FieldChange, Verb } from "../contract/action.ts"
import type { Mode } from "../contract/loop.ts"
import type { Manifest } from "../contract/source.ts"
import { resumeWords, type StopEntry, stoppedBy, stopSubject, stopText } from "../contract/stop.ts"
import type { Reason, Verdict } from "../contract/verdict.ts"
import { parseKeyText } from "../object/object.ts"

export interface PreviewChange extends FieldChange {
  /** One phrase for people: where it is declared, who changed it. */
  readonly reason: string
}

export interface PreviewAction {
  readonly verb: Verb
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly object: string
  readonly target: string
  /** What a plane would do with it: run it, let it wait, hold it for a person, refuse it. */
  readonly verdict: "run" | "wait" | "hold" | "deny" | "stopped"
  readonly reasons: readonly Reason[]
  readonly cause: string
  /** Missing for objects that are not stored yet: their UID does not exist. */
  readonly digest?: string
  /** The plan that waits already. */
  readonly plan?: string
  readonly changes: readonly PreviewChange[]
}

export interface PreviewNote {
  readonly object: string
  readonly kind: string
  readonly target?: string
  readonly state:
    | "unknown"
    | "stuck"
    | "waiting"
    | "conflict"
    | "release"
    | "take"
    | "reported"
    | "data"
  readonly message: string
}

export interface LoopPreview {
  readonly id: string
  readonly mode: Mode
  readonly source: string | undefined
  readonly revision: string | undefined
  readonly objects: number
  readonly asDeclared: number
  readonly stops: readonly StopEntry[]
  readonly actions: readonly PreviewAction[]
  readonly notes: readonly PreviewNote[]
}

export interface ActionContext {
  readonly declared: {
    readonly manifests: ReadonlyMap<string, Manifest>
    readonly created: ReadonlySet<string>
  }
  readonly stops: readonly StopEntry[]
  readonly plan: string | undefined
  /** Which composite declares an object, where one does. */
  parentOf?(object: string): string | undefined
}

const words = { allow: "run", wait: "wait", hold: "hold", deny: "deny" } as const

export function actionPreview(
  action: Action,
  { kind, reasons }: Verdict,
  { declared, stops, plan, parentOf }: ActionContext,
): PreviewAction {
  const { verb, object, target, cause, digest, changes } = action
  const manifest = declared.manifests.get(object)
  const stop = stoppedBy(stops, stopSubject(action))
  const stopped = kind === "allow" && stop !== undefined
  const { namespace, name } = parseKeyText(object)
  return {
    ...{ verb, kind: action.kind, namespace, name, object, target },
    verdict: stopped ? "stopped" : words[kind],
    reasons: stopped ? [stopReason(stop)] : reasons,
    cause: cause.text,
    ...(declared.created.has(object) ? {} : { digest }),
    ...(kind === "hold" && plan !== undefined ? { plan } : {}),
    changes: changes.map((change) => {
      const reason = changeReason(change, manifest, parentOf?.(object) ?? "API")
      return { ...change, reason }
    }),
  }
}

function stopReason(stop: StopEntry): Reason {
  const hint = `\`setpoint ${resumeWords(stop)}\` lets it act again`
  return { guard: "stop", code: "Stopped", message: stopText(stop), hint }
}

function changeReason(change: FieldChange, manifest: Manifest | undefined, by: string): string {
  const place = placeOf(change, manifest, by)
  switch (change.why) {
    case "drift":
      return `someone changed it; ${place}`
    case "adopt":
      return `exists and is not ours; ${place}`
    case "conflict":
      return `changed there and here; ${place}`
    case "requested":
      return place
  }
}

function placeOf({ path, after }: FieldChange, manifest: Manifest | undefined, by: string): string {
  if (manifest === undefined) return `declared by ${by}`
  const steps = ["spec", ...pathSteps(path)]
  const { file, line } = manifest.locate(steps)
  if (after === undefined) return `not declared in ${file}`
  const given = valueAt(manifest.object as object as Json, steps)
  return given === undefined ? "default of the kind" : `declared at ${file}:${line}`
}

/** `a.b["c.d"][0].e` to its steps; a list item named by its keys ends the walk at the list. */
export function pathSteps(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  const part = /\.?([A-Za-z_$][\w$-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/y
  for (let match = part.exec(path); match !== null; match = part.exec(path)) {
    const [, name, quoted, index] = match
    if (name !== undefined) steps.push(name)
    else if (quoted !== undefined) steps.push(String(JSON.parse(quoted)))
    else steps.push(Number(index))
  }
  return steps
}

export function valueAt(value: Json, steps: readonly (string | number)[]): Json | undefined {
  let current: Json | undefined = value
  for (const step of steps) {
    if (isArray(current)) current = current[Number(step)]
    else current = isObject(current) ? at(current, String(step)) : undefined
  }
  return current
}
