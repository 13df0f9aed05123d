// Faults of what is desired: sources that fail, lie, shrink or contradict each other.

import type { CorpusSection } from "./row.ts"

export const desiredRows: CorpusSection = {
  title: "Desired state",
  file: "test/corpus/desired.test.ts",
  rows: [
    {
      id: "D01",
      fault: "the source can't be reached or read",
      holds: "an error is not empty; the last good revision stays",
      proofs: {
        "source-error-is-not-empty": "keeps every target when the source can't be read",
        "folder-error-is-not-empty": "a folder that is gone is unreadable, not empty",
      },
      notYet: "the git part comes with the git source",
    },
    {
      id: "D02",
      fault: "a read succeeds with garbage: a login page, half a file",
      holds: "an error is not empty; the source is in doubt",
      proofs: {
        "broken-file-fails-the-source": "a file that became garbage takes nothing away",
      },
    },
    {
      id: "D03",
      fault: "the source is emptied, or its folder renamed",
      holds: "bounded; needs an approval of exactly these deletes",
      proofs: {
        "emptying-holds": "an emptied source is held as a plan, however wide the limits are",
        "replaced-folder-is-doubt": "a folder that is not mounted any more takes nothing away",
        "source-shrunk": "a source that lost most of its objects is held as a plan",
      },
    },
    {
      id: "D04",
      fault: "a branch is forced back to an old commit",
      holds: "a step back holds and asks",
      notYet: "comes with the git source; a folder has no history",
    },
    {
      id: "D06",
      fault: "half a checkout: a read in the middle of a copy",
      holds: "only what stood still while it was read is a revision",
      proofs: {
        "folder-stands-still": "a folder that changes while it is read is not a revision",
      },
      notYet: "verified tree objects come with the git source",
    },
    {
      id: "D07",
      fault: "one manifest of many is invalid",
      holds: "the whole revision is refused, the last good one stays, other loops go on",
      proofs: {
        "whole-revision-or-nothing": "takes nothing of a revision in which one manifest is refused",
      },
    },
    {
      id: "D08",
      fault: "one object is declared in two files",
      holds: "refused with both places",
      proofs: { "duplicates-are-refused": "names both places of an object that is declared twice" },
    },
    {
      id: "D09",
      fault: "a field is taken out of the spec",
      holds: "it is taken out of the target, and then it is quiet",
      proofs: { "removed-field-is-removed": "removes from the target what is declared no more" },
    },
    {
      id: "D11",
      fault: "a selector or scope is empty",
      holds: "empty is nothing; all has to be spelled out",
      proofs: {
        "empty-selector-is-not-all": "an empty selector deletes nothing",
        "unclear-choice-refused": "a choice of actions that can't be understood approves none",
        "empty-name-lifts-nothing": "an empty name does not lift the stop of everything",
      },
    },
    {
      id: "D12",
      fault: "two sources claim one object",
      holds: "one owner; the conflict is shown; no ping-pong",
      proofs: { "one-source-per-object": "an object stays with the source that declared it first" },
    },
    {
      id: "D13",
      fault: "a definition is deleted while its objects exist",
      holds: "refused, with the count",
      proofs: { "definition-in-use-stays": "refuses to delete a definition that is in use" },
    },
    {
      id: "D15",
      fault: "what makes the desired state answers with a part of it",
      holds: "a part is never a revision",
      proofs: {
        "unlisted-folder-is-not-empty": "a folder inside that can't be listed fails it all",
      },
    },
    {
      id: "D16",
      fault: "references go in a circle",
      holds: "refused when it is declared, with the circle's names",
      proofs: { "circles-are-refused": "names a circle of references and takes nothing of it" },
    },
    {
      id: "D17",
      fault: "the wrong environment's source is attached",
      holds: "what the old source declared is let go, never destroyed",
      proofs: { "repointed-source-releases": "a loop that points elsewhere deletes nothing" },
      notYet: "pinning a repository to a loop comes with the git source",
    },
  ],
}
