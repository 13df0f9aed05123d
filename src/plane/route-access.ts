// What the paths that are no verbs ask of a role, and what a caller may see of what they show.
// Loops stand for their ledger: `loops/journal` is reading what happened in one.

import type { WantedAccess } from "../api/extensions.ts"
import { forbidden } from "../api/http/forbidden.ts"
import { isObject, type Json } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Access } from "../contract/authorizer.ts"
import { parseLoopId } from "../contract/loop.ts"
import { isFromOutside, type Principal } from "../contract/principal.ts"
import { parseKeyText, setpointGroup } from "../object/object.ts"
import type { Plane } from "./plane.ts"

export const journal = "journal"

/** Without a loop: in all namespaces. */
export function loopAccess(verb: string, loop: string | null, subresource = ""): WantedAccess {
  const place = loop === null || !loop.includes(".") ? {} : parseLoopId(loop)
  return { verb, resource: "loops", subresource, ...place }
}

export function planeAccess(verb: string, subresource = ""): WantedAccess {
  return { verb, resource: "planes", subresource, name: "local" }
}

/** By its key: `files.host.setpoint.dev/default/motd`. */
export function objectAccess(verb: string, key: string): WantedAccess {
  const { group, resource, namespace, name } = parseKeyText(key)
  return { verb, group, resource, namespace, name }
}

/** A member of a body that names something; "" when it is missing. */
export function named(body: Json | undefined, member: string): string {
  const value = isObject(body) ? body[member] : undefined
  return typeof value === "string" ? value : ""
}

const whole = { group: setpointGroup, subresource: "", namespace: "", name: "" }

/** What one caller may see. */
export class Sight {
  readonly #plane: Plane
  readonly #principal: Principal
  readonly #known = new Map<string, boolean>()

  constructor(plane: Plane, principal: Principal) {
    this.#plane = plane
    this.#principal = principal
  }

  may(wanted: WantedAccess): boolean {
    if (!isFromOutside(this.#principal) || !protects("views-ask-roles")) return true
    const key = JSON.stringify(wanted)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const access: Access = { ...whole, ...wanted }
    const { allowed } = this.#plane.api.roles.authorize(this.#principal, access)
    this.#known.set(key, allowed)
    return allowed
  }

  loop(id: string): boolean {
    return this.may(loopAccess("get", id))
  }

  /**
   * What happened in a loop; for the plane's own journal, and those without a namespace, the
   * plane.
   */
  journal(id: string): boolean {
    return id.includes(".") ? this.may(loopAccess("get", id, journal)) : this.plane()
  }

  plan(loop: string, name: string): boolean {
    const { namespace } = parseLoopId(loop)
    return this.may({ verb: "get", resource: "plans", namespace, name })
  }

  object(key: string): boolean {
    return this.may(objectAccess("get", key))
  }

  plane(): boolean {
    return this.may(planeAccess("get"))
  }

  /** Refuses without telling where the thing is, or whether it exists. */
  refuse(wanted: WantedAccess): Error {
    return forbidden(this.#principal, { ...whole, ...wanted, namespace: "" }, "")
  }
}
