// What the plane answers about plans, read into values that can be relied on.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Verb } from "../contract/action.ts"
import type { Client } from "../contract/client.ts"
import type { ShownChange } from "./render/field-change.ts"

export interface PlanApprovalView {
  readonly principal: string
  readonly at: string
  /** How many actions of the plan it covers. */
  readonly actions: number
}

export interface PlanSummary {
  readonly name: string
  readonly loop: string
  readonly hash: string
  readonly phase: string
  readonly note: string
  readonly createdAt: string
  readonly summary: string
  readonly actionCount: number
  readonly done: number
  readonly approvals: readonly PlanApprovalView[]
  /** Different people who approved all of it, and how many it needs. */
  readonly approved: number
  readonly required: number
  readonly separateAuthor: boolean
  /** Only these may approve; anyone who is human when empty. */
  readonly approvers: readonly string[]
  readonly expiresAt: string
  readonly reasons: readonly { readonly message: string; readonly hint: string }[]
}

export interface PlanActionView {
  readonly verb: Verb
  readonly object: string
  readonly kind: string
  readonly target: string
  readonly digest: string
  readonly cause: string
  readonly why: string
  readonly changes: readonly (ShownChange & { readonly why: string })[]
}

export interface PlanPage extends PlanSummary {
  readonly page: number
  readonly pages: number
  readonly actions: readonly PlanActionView[]
}

type Caller = Pick<Client, "call">

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0)
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export async function listPlans(client: Caller): Promise<PlanSummary[]> {
  const answer = await client.call("GET", "/setpoint/v1/plans")
  return objects(isObject(answer) ? answer.plans : []).map(readSummary)
}

export async function getPlan(client: Caller, name: string, page = 0): Promise<PlanPage> {
  const path = `/setpoint/v1/plans/${encodeURIComponent(name)}?page=${page}`
  const answer = await client.call("GET", path)
  const given = isObject(answer) ? answer : {}
  return {
    ...readSummary(given),
    page: number(given.page),
    pages: number(given.pages),
    actions: objects(given.actions).map(readAction),
  }
}

function readSummary(given: JsonObject): PlanSummary {
  return {
    name: text(given.name),
    loop: text(given.loop),
    hash: text(given.hash),
    phase: text(given.phase),
    note: text(given.note),
    createdAt: text(given.createdAt),
    summary: text(given.summary),
    actionCount: number(given.actionCount),
    done: number(given.done),
    approvals: objects(given.approvals).map((one) => ({
      principal: text(one.principal),
      at: text(one.at),
      actions: number(one.actions),
    })),
    approved: number(given.approved),
    required: number(given.required),
    separateAuthor: given.separateAuthor === true,
    approvers: Array.isArray(given.approvers) ? given.approvers.map(text) : [],
    expiresAt: text(given.expiresAt),
    reasons: objects(given.reasons).map((one) => ({
      message: text(one.message),
      hint: text(one.hint),
    })),
  }
}

function readAction(given: JsonObject): PlanActionView {
  return {
    verb: text(given.verb) as Verb,
    object: text(given.object),
    kind: text(given.kind),
    target: text(given.target),
    digest: text(given.digest),
    cause: text(given.cause),
    why: text(given.why),
    changes: objects(given.changes).map((change) => ({
      path: text(change.path),
      why: text(change.why),
      ...(change.before === undefined ? {} : { before: change.before }),
      ...(change.after === undefined ? {} : { after: change.after }),
    })),
  }
}
