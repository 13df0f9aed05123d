// Who may do what. Asked for every request from outside before anything of it is looked up; the
// engine and sources call the verbs from inside and are bound by admission instead.

import type { Principal } from "./principal.ts"

/** What a request asks for, in the words of role rules. */
export interface Access {
  /** get, list, watch, create, update, patch, delete, deletecollection, approve, stop ... */
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  /** "" for cluster scope, or for all namespaces. */
  readonly namespace: string
  /** "" for a collection. */
  readonly name: string
  /** Set for paths outside of the resource grammar; then only it and the verb count. */
  readonly path?: string
}

export interface Permission {
  readonly allowed: boolean
  /** Why, for the error and for access reviews. */
  readonly reason: string
}

export interface Authorizer {
  authorize(principal: Principal, access: Access): Permission
}

/** For planes and tests that let nobody in but their owner. */
export const allowAll: Authorizer = { authorize: () => ({ allowed: true, reason: "" }) }
