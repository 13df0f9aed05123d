// Ways around the guards: cutting, renaming, forcing, forging, switching off.

import type { CorpusSection } from "./row.ts"

export const bypassRows: CorpusSection = {
  title: "Guard bypass",
  file: "test/corpus/bypass.test.ts",
  rows: [
    {
      id: "G01",
      fault: "a hundred deletes come as ten times ten",
      holds: "all deletes of a window count together, over restarts too",
      proofs: {
        "window-counts-all": "holds the rest, however the deletes are cut",
        "budget-survives-restart": "a restart does not make the window new",
      },
    },
    {
      id: "G02",
      fault: "a small set loses nearly all, below any minimum",
      holds: "no minimum; protected objects whatever the budget says",
      proofs: {
        "limit-has-no-minimum": "holds two of three",
        "protected-object": "holds the delete of a protected object, within the budget too",
      },
    },
    {
      id: "G03",
      fault: "scaling to zero, emptying, removing items: not called delete",
      holds: "what destroys is counted by its effect",
      proofs: { "destruction-by-effect": "holds updates that empty more than may be deleted" },
    },
    {
      id: "G06",
      fault: "a finalizer is taken off by hand, or an object is marked without being judged",
      holds: "the inventory notices; the orphan is shown; the delete waits",
      proofs: {
        "orphan-is-noticed": "shows the target of an object that vanished",
        "delete-needs-grant": "holds the delete of an object that nobody judged",
      },
    },
    {
      id: "G07",
      fault: "force is switched on and stays on",
      holds: "break-glass ends, has a reason and a number",
      proofs: { "break-glass-expires": "holds again when the time of a break-glass is over" },
    },
    {
      id: "G08",
      fault: "a guard throws",
      holds: "no verdict is a no",
      proofs: { "guard-failure-denies": "denies what a broken guard could not judge" },
    },
    {
      id: "G09",
      fault: "the limits themselves are loosened by what they limit",
      holds: "loosening is held on its own, and the old limit counts until then",
      proofs: { "loosening-is-held": "judges by the old limit until the new one is approved" },
    },
    {
      id: "G10",
      fault: "a rollback deletes",
      holds: "a rollback is judged like anything else",
      proofs: { "rollback-is-judged": "holds the deletes of a rollback" },
    },
    {
      id: "G11",
      fault: "the kill switch is reconciled away",
      holds: "only a person lifts it; a lost file lifts nothing",
      proofs: {
        "people-lift-stops": "neither a service nor an agent lifts a stop",
        "stop-outlives-its-file": "a stop stands over a restart although its file was lost",
      },
    },
    {
      id: "G13",
      fault: "approvals that are self-given, replayed or given by a program",
      holds: "another person, once",
      proofs: {
        "separate-author": "who asked for it does not approve it",
        "agents-never-approve": "a program does not approve",
        "approval-single-use": "an approval that was used is used up, over a crash too",
      },
    },
    {
      id: "G15",
      fault: "a dry run, or a look, changes something",
      holds: "nothing that acts is handed out",
      proofs: {
        "dry-run-stores-nothing": "a dry run leaves no trace",
        "reading-handles": "a provider that changes something while it looks is refused",
      },
    },
    {
      id: "G16",
      fault: "an admission webhook does not answer",
      holds: "an explicit policy; destruction is refused",
      notYet: "there are no webhooks",
    },
  ],
}
