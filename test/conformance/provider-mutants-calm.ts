// Providers that are wrong already in calm weather.

import { note } from "../../examples/10-own-provider/note.ts"
import { absent } from "../../src/provider/index.ts"
import {
  blindPut,
  cards,
  done,
  fresh,
  listNotes,
  type Mutant,
  notes,
  observeCard,
} from "./provider-mutant.ts"
import { batching, card, listing } from "./provider-subjects.ts"

export const shapeMutants: readonly Mutant[] = [
  {
    rule: "definition-is-structural",
    what: "a schema with a field without type",
    subject: cards({
      definition: JSON.parse(
        JSON.stringify(card.definition).replace(
          '"text":{"type":"string"',
          '"text":{"nullable":true',
        ),
      ),
    }),
    says: "needs a type",
  },
  {
    rule: "definition-is-structural",
    what: "a definition under another name",
    subject: cards({ definition: note.definition }),
    says: "is not called cards.cards.example.com",
  },
  {
    rule: "identity-is-derived",
    what: "an identity with a counter in it",
    subject: cards({ identity: ({ name }) => `${name}-${fresh()}` }),
    says: "two identities",
  },
  {
    rule: "identity-is-derived",
    what: "an identity made from a field that can be updated",
    subject: cards({ identity: ({ name, text }) => `${name}-${text}` }),
    says: "can be updated",
  },
  {
    rule: "identity-is-derived",
    what: "an identity that depends on the order of fields",
    subject: cards({ identity: (spec) => JSON.stringify(Object.keys(spec)) }),
    says: "order of the fields",
  },
  {
    rule: "token-tracks-value",
    what: "a token that never changes",
    subject: cards({
      async observe(target, context) {
        const seen = await observeCard(target, context)
        return seen.kind === "present" ? { ...seen, token: "1" } : seen
      },
      update: (target, context) => blindPut(target, context),
    }),
    says: "although the target changed",
  },
  {
    rule: "token-tracks-value",
    what: "a token that always changes",
    subject: cards({
      async observe(target, context) {
        const seen = await observeCard(target, context)
        return seen.kind === "present" ? { ...seen, token: `${fresh()}` } : seen
      },
    }),
    says: "two tokens",
  },
  {
    rule: "token-tracks-value",
    what: "a token of the whole list instead of the item",
    subject: notes({
      async list(scope, sample, context) {
        const listed = await listNotes(scope, sample, context)
        const token = listed.items.map((item) => item.token).join()
        return { ...listed, items: listed.items.map((item) => ({ ...item, token })) }
      },
    }),
    says: "another target is made",
  },
  {
    rule: "fingerprints-notice",
    what: "a fingerprint that never changes",
    subject: cards({ fingerprints: (identities) => identities.map(() => "same") }),
    says: "although the target was made",
  },
  {
    rule: "fingerprints-notice",
    what: "too few fingerprints",
    subject: cards({ fingerprints: () => [undefined] }),
    says: "one fingerprint per identity",
  },
  {
    rule: "batch-answers-each",
    what: "one result for a whole batch",
    subject: () =>
      listing({
        ...batching,
        actBatch: async (scope, items) =>
          (await batching.actBatch?.(scope, items))?.slice(0, 1) ?? [],
      }),
    says: "4 actions got 1 results",
  },
  {
    rule: "batch-answers-each",
    what: "a batch that ignores the tokens",
    subject: () =>
      listing({
        ...batching,
        actBatch: (_, items) =>
          Promise.all(items.map(({ target, context }) => blindPut(target, context))),
      }),
    says: "a stale token inside a batch",
  },
]

export const calmMutants: readonly Mutant[] = [
  {
    rule: "observe-changes-nothing",
    what: "an observe that writes a trace of itself",
    subject: cards({
      async observe(target, context) {
        const trace = { method: "PUT", url: `${target.desired.api}/items/seen`, body: "{}" }
        await context.world.http.request(trace, context.signal).catch(() => {})
        return observeCard(target, context)
      },
    }),
    says: "tried to change something",
  },
  {
    rule: "create-then-equal",
    what: "a create that forgets a field",
    subject: notes({
      create: (target, context) =>
        note.create({ ...target, desired: { ...target.desired, tags: ["wrong"] } }, context),
    }),
    says: "the field tags is not as desired",
  },
  {
    rule: "create-then-equal",
    what: "an absence without proof",
    subject: cards({
      async observe(target, context) {
        const seen = await observeCard(target, context)
        return seen.kind === "absent" ? absent("") : seen
      },
    }),
    says: "without a proof",
  },
  {
    rule: "update-converges",
    what: "an observe that takes whatever is there for unfinished",
    subject: cards({
      async observe(target, context) {
        const seen = await observeCard(target, context)
        return seen.kind === "present" ? { ...seen, unfinished: true } : seen
      },
    }),
    says: "is taken for unfinished",
  },
  {
    rule: "update-converges",
    what: "an update that does nothing",
    subject: cards({ update: done }),
    says: "after update the field text is not as desired",
  },
  {
    rule: "delete-then-absent",
    what: "a delete that does nothing",
    subject: cards({ delete: done }),
    says: "after delete the target is present",
  },
  {
    rule: "acts-are-idempotent",
    what: "a create that counts its attempts in the target",
    subject: cards({ create: (target, context) => blindPut(target, context, { made: fresh() }) }),
    says: "a repeated create changed something",
  },
  {
    rule: "acts-are-idempotent",
    what: "a delete that throws when it is already gone",
    subject: cards({
      async delete(target, context) {
        const result = await card.delete(target, context)
        if (result.kind === "failed") throw new Error("not found")
        return result
      },
    }),
    says: "a repeated delete answered",
  },
  {
    rule: "foreign-untouched",
    what: "a delete that cleans up what it does not know",
    subject: notes({
      async delete(target, context) {
        const { world, signal } = context
        for (const name of ["foreign-1", "foreign-2"]) {
          const url = `${target.desired.api}/items/${name}`
          await world.http.request({ method: "DELETE", url }, signal)
        }
        return note.delete(target, context)
      },
    }),
    says: "delete changed a foreign target",
  },
]
