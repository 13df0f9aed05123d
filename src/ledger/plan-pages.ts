// How a plan lies in the store: pages of held actions, which never change, and a head that does.
// The head names actions by their place, so that a receipt of one in ten thousand writes little,
// and no plan is too large for one value.

import { jsonText } from "../base/json-text.ts"
import type { Write } from "../contract/store.ts"
import { encodeDocument, ledgerKeys, putDocumentLater } from "./keys.ts"
import type { HeldAction, PlanApproval, PlanDocument } from "./plan-ledger.ts"

const pageBytes = 256 * 1024

/** Places as ranges, "0-4,7"; what is not held by this plan by its digest. */
interface Places {
  readonly at: string
  readonly others?: readonly string[]
}

type StoredApproval = Omit<PlanApproval, "digests"> & { readonly digests?: Places }

interface PlanHead extends Omit<PlanDocument, "held" | "approvals" | "approved" | "done"> {
  readonly pages: number
  readonly approvals: readonly StoredApproval[]
  readonly approved?: Places
  readonly done: Places
}

/** A head, or a whole plan as it was written before there were pages. */
export type StoredPlan = PlanHead | PlanDocument

export function pageWrites({ loop, name, held }: PlanDocument): Write[] {
  return pagesOf(held).map((page, index) => {
    const items = page.map((one) => jsonText(one)).join(",")
    const value = new TextEncoder().encode(`[${items}]`)
    return { kind: "put", key: ledgerKeys.planPage(loop, name, index), value }
  })
}

const pages = new WeakMap<readonly HeldAction[], readonly (readonly HeldAction[])[]>()

function pagesOf(held: readonly HeldAction[]): readonly (readonly HeldAction[])[] {
  const known = pages.get(held)
  if (known !== undefined) return known
  const found: HeldAction[][] = []
  let bytes = 0
  for (const one of held) {
    const size = encodeDocument(one).length
    const page = found.at(-1)
    if (page === undefined || bytes + size > pageBytes) {
      found.push([one])
      bytes = size
    } else {
      page.push(one)
      bytes += size
    }
  }
  pages.set(held, found)
  return found
}

export function headWrite(plan: PlanDocument): Write {
  const { held, approvals, approved, done, ...rest } = plan
  const places = placesIn(held)
  const head: PlanHead = {
    ...rest,
    pages: pagesOf(held).length,
    approvals: approvals.map(({ digests, ...approval }) => ({
      ...approval,
      ...(digests === undefined ? {} : { digests: encode(digests, places) }),
    })),
    ...(approved === undefined ? {} : { approved: encode(approved, places) }),
    done: encode(done, places),
  }
  return putDocumentLater(ledgerKeys.plan(plan.loop, plan.name), head)
}

export function dropWrites({ loop, name, held }: PlanDocument): Write[] {
  const keys = pagesOf(held).map((_, index) => ledgerKeys.planPage(loop, name, index))
  return [ledgerKeys.plan(loop, name), ...keys].map((key) => ({ kind: "delete", key }))
}

/** Undefined when pages are missing: then it was never written as a whole. */
export function readPlan(
  stored: StoredPlan,
  page: (index: number) => readonly HeldAction[] | undefined,
): PlanDocument | undefined {
  if (!("pages" in stored)) return stored
  const { pages: count, approvals, approved, done, ...rest } = stored
  const all = Array.from({ length: count }, (_, index) => page(index))
  if (all.includes(undefined)) return undefined
  const held = all.flatMap((one) => one ?? [])
  return {
    ...rest,
    held,
    approvals: approvals.map(({ digests, ...approval }) => ({
      ...approval,
      ...(digests === undefined ? {} : { digests: decode(digests, held) }),
    })),
    ...(approved === undefined ? {} : { approved: decode(approved, held) }),
    done: decode(done, held),
  }
}

const indexes = new WeakMap<readonly HeldAction[], ReadonlyMap<string, number>>()

function placesIn(held: readonly HeldAction[]): ReadonlyMap<string, number> {
  const known = indexes.get(held)
  if (known !== undefined) return known
  const index = new Map(held.map(({ action }, place) => [action.digest, place]))
  indexes.set(held, index)
  return index
}

function encode(digests: readonly string[], places: ReadonlyMap<string, number>): Places {
  const marked = new Uint8Array(places.size)
  const others: string[] = []
  for (const digest of digests) {
    const place = places.get(digest)
    if (place === undefined) others.push(digest)
    else marked[place] = 1
  }
  return { at: rangesOf(marked), ...(others.length === 0 ? {} : { others }) }
}

function rangesOf(marked: Uint8Array): string {
  const ranges: string[] = []
  for (let place = 0; place < marked.length; place++) {
    if (marked[place] !== 1) continue
    const from = place
    while (marked[place + 1] === 1) place++
    ranges.push(from === place ? `${from}` : `${from}-${place}`)
  }
  return ranges.join(",")
}

function decode({ at, others = [] }: Places, held: readonly HeldAction[]): string[] {
  const ranges = at === "" ? [] : at.split(",")
  const digests = ranges.flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number)
    return held.slice(from, to + 1).map(({ action }) => action.digest)
  })
  return [...digests, ...others]
}
