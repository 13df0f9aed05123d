// Providers that are wrong when something fails, changes or crashes meanwhile.

import { absent } from "../../src/provider/index.ts"
import {
  blindPut,
  cards,
  etagNow,
  fresh,
  listNotes,
  type Mutant,
  notes,
  observeCard,
} from "./provider-mutant.ts"
import { card, searchableKind, ticketKind, ticketSubject } from "./provider-subjects.ts"

export const doubtMutants: readonly Mutant[] = [
  {
    rule: "absent-is-not-unknown",
    what: "an observe that takes every failure for absence",
    subject: cards({
      async observe(target, context) {
        const seen = await observeCard(target, context).catch(() => absent("it did not answer"))
        return seen.kind === "unknown" ? absent(seen.cause) : seen
      },
    }),
    says: "is read as absent",
  },
  {
    rule: "absent-is-not-unknown",
    what: "an observe that only takes a timeout for absence",
    subject: cards({
      async observe(target, context) {
        return await observeCard(target, context).catch((error) => {
          if (context.signal.aborted) return absent("too slow")
          throw error
        })
      },
    }),
    says: "timeout at port call 1",
  },
  {
    rule: "absent-is-not-unknown",
    what: "a list that says complete after an error",
    subject: notes({
      list: async (scope, sample, context) => ({
        ...(await listNotes(scope, sample, context)),
        complete: true,
      }),
    }),
    says: "complete in spite of",
  },
  {
    rule: "partial-is-not-complete",
    what: "a list that does not compare with the total",
    subject: notes({
      async list(scope, sample, context) {
        const listed = await listNotes(scope, sample, context)
        return listed.cause === undefined ? { ...listed, complete: true } : listed
      },
    }),
    says: "says that it is complete",
  },
  {
    rule: "calls-end-on-abort",
    what: "an observe that ignores its signal",
    subject: () => ({
      ...cards({
        observe: (target, { world }) =>
          observeCard(target, { world, signal: new AbortController().signal }),
      })(),
      limitMs: 400,
    }),
    says: "did not end within 400 ms",
  },
  {
    rule: "calls-end-on-abort",
    what: "a create that takes a hung request for a failure",
    subject: cards({
      create: (target, context) =>
        card.create(target, context).catch((error) => ({ kind: "failed", cause: String(error) })),
    }),
    says: "create answered failed although",
  },
]

export const actingMutants: readonly Mutant[] = [
  {
    rule: "stale-token-refused",
    what: "an update that ignores the token",
    subject: cards({ update: (target, context) => blindPut(target, context) }),
    says: "update with a stale token changed",
  },
  {
    rule: "stale-token-refused",
    what: "a create that replaces what is there",
    subject: cards({ create: (target, context) => blindPut(target, context) }),
    says: "somebody else had made",
  },
  {
    rule: "checked-at-effect",
    what: "an update that checks first and writes later",
    subject: cards({
      async update(target, context) {
        const same = (await etagNow(target, context)) === context.token
        return same ? blindPut(target, context) : { kind: "failed", cause: "it has changed" }
      },
    }),
    says: "overwrote a change made just before port call 2",
  },
  {
    rule: "results-are-true",
    what: "acts that don't look at the answer",
    subject: cards({ create: (target, context) => blindPut(target, context) }),
    says: "answered done, and nothing happened",
  },
  {
    rule: "results-are-true",
    what: "an update that takes a lost answer for a failure",
    subject: cards({
      update: (target, context) =>
        card.update(target, context).catch((error) => ({ kind: "failed", cause: String(error) })),
    }),
    says: "answered failed, and something changed",
  },
  {
    rule: "lost-reply",
    what: "a new client token for every attempt",
    subject: () => ticketSubject(ticketKind("clientToken", () => `t-${fresh()}`)),
    says: "there are 2 targets",
  },
  {
    rule: "lost-reply",
    what: "a search that is left out before a create",
    subject: () => ticketSubject(searchableKind(false)),
    says: "there are 2 targets",
  },
  {
    rule: "lost-reply",
    what: "no identity, and a lost answer taken for a failure",
    subject: () => {
      const kind = ticketKind("none", () => `t-${fresh()}`)
      return ticketSubject({
        ...kind,
        create: (target, context) =>
          kind.create(target, context).catch((error) => ({ kind: "failed", cause: String(error) })),
      })
    },
    says: "can't know its result answered failed",
  },
  {
    rule: "crash-anywhere",
    what: "a create under a lock that a crash leaves behind",
    subject: cards({
      async create(target, context) {
        const { world, signal } = context
        const url = `${target.desired.api}/items/lock-${target.identity}`
        const headers = { "if-none-match": "*" }
        const lock = await world.http.request({ method: "PUT", url, headers, body: "{}" }, signal)
        if (lock.status >= 300) return { kind: "failed", cause: "locked" }
        const result = await card.create(target, context)
        await world.http.request({ method: "DELETE", url }, signal)
        return result
      },
    }),
    says: "does not converge",
  },
  {
    rule: "crash-anywhere",
    what: "a create that makes it first and fills it later",
    subject: cards({
      async create(target, context) {
        const empty = { ...target, desired: { ...target.desired, text: "" } }
        const made = await card.create(empty, context)
        return made.kind === "done" ? blindPut(target, context) : made
      },
    }),
    says: "left something that could be anybody's",
  },
  {
    rule: "crash-anywhere",
    what: "an update that leaves a copy behind when it is cut short",
    subject: cards({
      async update(target, context) {
        const { world, signal } = context
        const url = `${target.desired.api}/items/copy-of-${target.identity}`
        await world.http.request({ method: "PUT", url, body: "{}" }, signal)
        const result = await card.update(target, context)
        await world.http.request({ method: "DELETE", url }, signal)
        return result
      },
    }),
    says: "there are 2 targets, not 1",
  },
]
