// The Loop object behind a loop's page: what the plane's status does not repeat of its spec.

import type { KubeObject } from "../../live/collection.ts"
import { may } from "../../live/may.ts"
import { useView } from "../../live/view.ts"

export interface WindowSpec {
  readonly kind: "Open" | "Freeze"
  readonly schedule: string
  readonly duration: string
  readonly timeZone?: string
}

export interface LoopObject extends KubeObject {
  readonly spec?: {
    readonly interval?: string
    readonly limits?: Readonly<Record<string, number | string>>
    readonly onEmpty?: string
    readonly onDrift?: string
    readonly onConflict?: string
    readonly onVanish?: string
    readonly windows?: readonly WindowSpec[]
    readonly approvals?: {
      readonly required?: number
      readonly separateAuthor?: boolean
      readonly expiresAfter?: string
    }
  }
  readonly status?: {
    readonly cleanRounds?: number | null
    readonly conditions?: readonly Condition[]
  }
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

interface Place {
  readonly namespace: string
  readonly name: string
}

/** "shop.web" is "web" in the namespace "shop"; names of namespaces have no dots. */
export function placeOf(loop: string): Place {
  const [namespace = "", ...rest] = loop.split(".")
  return { namespace, name: rest.join(".") }
}

export function useLoopObject(loop: string): LoopObject | undefined {
  const { namespace, name } = placeOf(loop)
  const parts = ["namespaces", namespace, "loops", name].map(encodeURIComponent).join("/")
  const { view } = useView<LoopObject>(`/apis/setpoint.dev/v1alpha1/${parts}`)
  return view.value.data
}

/** Why they may not do that with this loop; undefined when they may, or nobody knows yet. */
export function mayLoop(verb: string, loop: string): string | undefined {
  const { allowed, why } = may({ verb, resource: "loops", ...placeOf(loop) }).value
  return allowed === false ? `You may not ${verb} ${loop}: ${why}` : undefined
}
