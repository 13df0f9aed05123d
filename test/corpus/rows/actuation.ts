// Faults of acting: answers that are lost, half done, late, refused or too many.

import type { CorpusSection } from "./row.ts"

export const actuationRows: CorpusSection = {
  title: "Actuation",
  file: "test/corpus/actuation.test.ts",
  rows: [
    {
      id: "A01",
      fault: "a create times out and has happened",
      holds: "one target per object; what can't be known is said",
      proofs: {
        "same-client-token": "a second try of one create makes no second target",
        "uncertain-create-waits": "waits where nobody can find out whether it was made",
      },
    },
    {
      id: "A02",
      fault: "a create is done and the plane ends before it is written down",
      holds: "the intent comes first; nothing that was made is forgotten",
      proofs: {
        "intent-before-act": "makes nothing whose intent can't be written down",
        "interrupted-create-is-ours": "knows what it made in a life that was cut off",
      },
    },
    {
      id: "A03",
      fault: "an update is half applied",
      holds: "looks again before the next step",
      proofs: { "unknown-is-not-done": "finishes an update of which only a part arrived" },
    },
    {
      id: "A04",
      fault: "a delete is accepted and takes 40 minutes",
      holds: "it is going until it is seen to be gone",
      proofs: { "gone-only-when-seen": "keeps the object until its target is gone" },
    },
    {
      id: "A05",
      fault: "a delete is refused",
      holds: "stays in the inventory, is tried again, is shown",
      proofs: { "refused-delete-stays-ours": "does not forget a target that refused to go" },
    },
    {
      id: "A06",
      fault: "an action is performed long after it was planned",
      holds: "refused at the effect when the target has changed",
      proofs: { "token-at-the-effect": "never writes over what changed after it was planned" },
    },
    {
      id: "A08",
      fault: "a field that can't be changed in place makes a replace",
      holds: "a replace is a delete in every budget and approval",
      proofs: { "destruction-by-effect": "holds replaces that are more than may be deleted" },
    },
    {
      id: "A09",
      fault: "the old is taken away before the new is there",
      holds: "what is new comes first",
      proofs: { "new-before-old": "asks for what a revision adds before it drops the rest" },
      notYet: "deletes do not wait for slow creates of the same revision",
    },
    {
      id: "A11",
      fault: "an id of one thing is taken for an id of another",
      holds: "ids are typed and echoed",
      proofs: {
        "approval-names-the-hash": "an approval that names another plan's hash is refused",
        "uid-precondition": "a delete meant for an earlier object of that name is refused",
      },
    },
    {
      id: "A12",
      fault: "everything retries at once when a system comes back",
      holds: "jitter, and a bounded number of acts under way",
      proofs: {
        "acts-at-once": "never has more than sixteen acts under way",
        "backoff-jitter": "spreads the retries of what failed together",
      },
    },
    {
      id: "A13",
      fault: "one object fails each time",
      holds: "it waits longer each time; the others go on",
      proofs: { "backoff-grows": "tries a poisoned object less and less, and all others work" },
    },
    {
      id: "A15",
      fault: "a program prints without end, never exits, leaves children",
      holds: "output, time and children are bounded",
      notYet: "comes with the exec provider",
    },
    {
      id: "A16",
      fault: "something that holds data is destroyed for good",
      holds: "there is a way back",
      proofs: { "adoption-keeps-a-copy": "keeps what a file held before it was adopted" },
      notYet: "a file of ours that is deleted is gone; its content is in the source's past",
    },
  ],
}
