// Diagnoses as events: what needs someone is told at once, what may pass by itself only when it
// lasts. Many objects of one loop with the same class are told as one event about the loop.

import type { Clock } from "../base/clock.ts"
import type { DiagnosisClass } from "../contract/diagnosis.ts"
import { parseLoopId } from "../contract/loop.ts"
import type { TargetRecord } from "../contract/record.ts"
import { apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import type { Diagnosed } from "../reconcile/reporter.ts"
import type { EventNote, EventSubject } from "./event-recorder.ts"

export interface DiagnosisEventsPorts {
  readonly clock: Clock
  readonly recorder: { note(note: EventNote): void }
}

const mayPass: ReadonlySet<DiagnosisClass> = new Set([
  ...(["Transient", "Dependency", "Unknown", "Policy"] as const),
])
const toldOneByOne = 5
const togetherMs = 60_000

interface Recent {
  readonly from: number
  count: number
}

export class DiagnosisEvents {
  readonly #ports: DiagnosisEventsPorts
  /** Per loop and class; at most as many as there are loops times classes. */
  readonly #recent = new Map<string, Recent>()

  constructor(ports: DiagnosisEventsPorts) {
    this.#ports = ports
  }

  diagnosed({ loop, object, diagnosis, lasting }: Diagnosed): void {
    if (mayPass.has(diagnosis.class) && !lasting) return
    const { evidence, next } = diagnosis
    const reason = "NotConverging"
    const many = this.#count(`${loop} ${diagnosis.class}`) > toldOneByOne
    const first = evidence[0] ?? ""
    const { kind, apiVersion, metadata } = object
    const { namespace = "", name, uid } = metadata
    const about: EventSubject = many
      ? loopSubject(loop)
      : { apiVersion, kind, namespace, name, ...(uid === undefined ? {} : { uid }) }
    const message = many
      ? `${diagnosis.class}: many objects at once, ${kind} ${name} and others: ${first}`
      : `${diagnosis.class}: ${first}; next: ${next}`
    this.#ports.recorder.note({ type: "Warning", reason, message, about, loop })
  }

  orphaned({ loop, kind, object, target }: TargetRecord): void {
    const what = `${kind} ${object.split("/").at(-1)} vanished from the store`
    const message = `${what}; its target ${target} is left alone and kept in mind as an orphan`
    const about = loopSubject(loop)
    this.#ports.recorder.note({ type: "Warning", reason: "Orphaned", message, about })
  }

  #count(name: string): number {
    const now = this.#ports.clock.monotonic()
    const known = this.#recent.get(name)
    const recent = known !== undefined && now - known.from < togetherMs ? known : undefined
    const counted = recent ?? { from: now, count: 0 }
    counted.count++
    this.#recent.set(name, counted)
    return counted.count
  }
}

function loopSubject(id: string): EventSubject {
  return {
    apiVersion: apiVersionOf(setpointGroup, setpointVersion),
    kind: "Loop",
    ...parseLoopId(id),
  }
}
