// The ledger's key space, outside the API's: nobody reaches it through a verb.

import { sha256 } from "../base/hash.ts"
import { jsonText, parseJson } from "../base/json-text.ts"
import type { Write } from "../contract/store.ts"

export const ledgerKeys = {
  record: (uid: string) => `/ledger/records/${uid}`,
  records: "/ledger/records/",
  claim: (target: string) => `/ledger/claims/${sha256(target)}`,
  claims: "/ledger/claims/",
  intent: (id: string) => `/ledger/intents/${id}`,
  intents: "/ledger/intents/",
  journalEntry: (loop: string, sequence: number) =>
    `/ledger/journal/${loop}/${String(sequence).padStart(12, "0")}`,
  journal: (loop: string) => `/ledger/journal/${loop}/`,
  journals: "/ledger/journal/",
  journalHead: (loop: string) => `/ledger/heads/${loop}`,
  journalHeads: "/ledger/heads/",
  journalAnchor: (loop: string, to: number) =>
    `/ledger/anchors/${loop}/${String(to).padStart(12, "0")}`,
  journalAnchors: (loop: string) => `/ledger/anchors/${loop}/`,
  allJournalAnchors: "/ledger/anchors/",
  would: (loop: string, uid: string) => `/ledger/would/${loop}/${uid}`,
  woulds: "/ledger/would/",
  out: (loop: string, object: string) => `/ledger/out/${loop}/${object}`,
  outs: "/ledger/out/",
  debit: (loop: string, uid: string) => `/ledger/debits/${loop}/${uid}`,
  debits: "/ledger/debits/",
  window: (loop: string) => `/ledger/windows/${loop}`,
  windows: "/ledger/windows/",
  plan: (loop: string, name: string) => `/ledger/plans/${loop}/${name}`,
  plans: "/ledger/plans/",
  planPage: (loop: string, name: string, page: number) =>
    `/ledger/plan-pages/${loop}/${name}/${String(page).padStart(6, "0")}`,
  planPages: "/ledger/plan-pages/",
  rejection: (loop: string, uid: string, verb: string) =>
    `/ledger/rejections/${loop}/${uid}/${verb}`,
  rejections: "/ledger/rejections/",
  orphan: (id: string) => `/ledger/orphans/${id}`,
  orphans: "/ledger/orphans/",
  source: (loop: string) => `/ledger/sources/${loop}`,
  accepted: (loop: string) => `/ledger/accepted/${loop}`,
  effectiveLoop: (loop: string) => `/ledger/effective/loops/${loop}`,
  effectiveLoops: "/ledger/effective/loops/",
  effectivePolicy: (name: string) => `/ledger/effective/policies/${name}`,
  effectivePolicies: "/ledger/effective/policies/",
  clock: "/ledger/clock",
  stop: "/ledger/stop",
  breakGlass: (loop: string) => `/ledger/break-glass/${loop}`,
  breakGlasses: "/ledger/break-glass/",
  checkpoint: (loop: string, name: string) => `/ledger/checkpoints/${loop}/${name}`,
  checkpoints: "/ledger/checkpoints/",
  checkpointPage: (loop: string, hash: string) => `/ledger/checkpoint-pages/${loop}/${hash}`,
  checkpointMark: (loop: string) => `/ledger/checkpoint-marks/${loop}`,
  checkpointMarks: "/ledger/checkpoint-marks/",
  blob: (loop: string, hash: string) => `/ledger/blobs/${loop}/${hash}`,
  quarantine: (loop: string) => `/ledger/quarantine/${loop}`,
  quarantines: "/ledger/quarantine/",
  proof: (loop: string) => `/ledger/proofs/${loop}`,
  proofs: "/ledger/proofs/",
} as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Any JSON-shaped document of ours; interfaces without index signatures are welcome. */
export function encodeDocument(document: object): Uint8Array {
  return encoder.encode(jsonText(document))
}

/** Only for documents this code wrote itself: the shape is what was encoded. */
export function decodeDocument<T>(value: Uint8Array): T {
  return parseJson(decoder.decode(value)) as T
}

export function putDocument(key: string, document: object): Write {
  return { kind: "put", key, value: encodeDocument(document) }
}

/** Encoded when it is asked for: of several in one commit only the last one ever is. */
export function putDocumentLater(key: string, document: object): Write {
  let value: Uint8Array | undefined
  return {
    kind: "put",
    key,
    get value() {
      value ??= encodeDocument(document)
      return value
    },
  }
}
