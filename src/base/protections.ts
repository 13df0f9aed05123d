// The protections that can be switched off one at a time, so that a test can show that it fails
// without exactly that one ("twin"). Every site that asks `protects(name)` is the real code path.
// Nothing in `src` ever switches one off: `test/tidy` holds that only tests import `disarm`.

/** Name and what the real code does because of it. One line each, sorted. */
export const protections = {
  "agents-never-approve": "only a person decides on a plan",
  "approval-bound-to-digest": "an approved delete needs the target as it was looked at",
  "approval-expires": "a plan that nobody decided on in time can't be approved any more",
  "approval-single-use": "a done act uses its approval up in the commit of its receipt",
  "break-glass-expires": "a break-glass ends at its time and lifts nothing afterwards",
  "broken-file-fails-the-source": "a file that is no manifest makes the whole source invalid",
  "change-limit": "over the change limit a round waits",
  "circles-are-refused": "objects that wait for each other in a circle are refused",
  "cold-start": "after a start nothing is destroyed before everything was looked at",
  "definition-in-use-stays": "a definition whose objects exist is not deleted",
  "delete-needs-grant": "a delete that was marked without being judged waits",
  "deletion-deadline": "a marked object that does not go in time is told as stalled",
  "destruction-by-effect": "updates and replaces that destroy draw on the window of deletes",
  "duplicates-are-refused": "an object that is declared twice is refused with both places",
  "empty-selector-is-not-all": "a selector that is given and empty selects nothing",
  "emptying-holds": "a set of deletes that empties a loop or a kind waits for a person",
  "folder-error-is-not-empty": "a folder that can't be read is never a revision",
  "folder-stands-still": "a folder that changed while it was read is not a revision",
  "guard-failure-denies": "a guard that throws denies instead of allowing",
  "handles-revoked": "a handle refuses every change once its act has ended or timed out",
  "intent-before-act": "an act whose intent can't be made durable does not happen",
  "invariant-denies": "an action after which an invariant does not hold is denied",
  "journal-head-verified": "a journal whose end was cut off is not sound",
  "one-source-per-object": "an object belongs to the source that made it; another one is refused",
  "orphan-is-noticed": "an owned target whose object is gone becomes an orphan, never nothing",
  "policy-floor": "no loop destroys more than a policy allows",
  "protected-object": "destroying what is protected waits for a person",
  "quarantine-holds": "a quarantined source revision is not used while its rollback stands",
  "removed-field-is-removed": "a field that we applied and that is declared no more is taken away",
  "repointed-source-releases":
    "a loop that points elsewhere lets go of its objects and prunes none",
  restored: "after a restore nothing is destroyed before everything was observed",
  "rollback-is-judged": "what a rollback deletes is judged before anything is marked",
  "separate-author": "who asked for a change does not approve it, where the loop says so",
  "source-age": "nothing is destroyed on the word of a source that is silent for long",
  "source-error-is-not-empty": "a source that can't be read is never taken for an empty one",
  "source-shrunk": "a revision that lost most of its objects prunes nothing by itself",
  "stop-checked-at-effect": "the stop file is read before every single changing call",
  "stop-file-unreadable-stops": "a stop file that can't be understood stops everything",
  "time-window": "outside its windows and in a freeze a loop does not act",
  "unevaluable-invariant-blocks-destruction":
    "no invariant that can't be evaluated allows a delete",
  "unlisted-folder-is-not-empty":
    "a folder inside a source that can't be listed fails the whole read",
  "vanished-targets": "all targets gone at once are not made again without a person",
  "whole-revision-or-nothing": "a source revision with one refused manifest is not taken at all",
} as const

export type Protection = keyof typeof protections

const disarmed = new Set<Protection>()

export function protects(name: Protection): boolean {
  return disarmed.size === 0 || !disarmed.has(name)
}

/** For twins only. Answers with the function that arms it again. */
export function disarm(name: Protection): () => void {
  disarmed.add(name)
  return () => void disarmed.delete(name)
}
