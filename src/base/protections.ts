// The protections that can be switched off one at a time, so that a test can show that it fails
// without exactly that one ("twin"). Every site that asks `protects(name)` is the real code path.
// Nothing in `src` ever switches one off: `test/tidy` holds that only tests import `disarm`.

/** Name and what the real code does because of it. One line each, sorted. */
export const protections = {
  "acts-at-once": "only so many acts are under way at once",
  "adoption-keeps-a-copy": "what a file held before it was adopted is kept",
  "agents-never-adopt": "an agent does not let the plane take what others made",
  "agents-never-approve": "only a person decides on a plan",
  "approval-bound-to-digest": "an approved delete needs the target as it was looked at",
  "approval-expires": "a plan that nobody decided on in time can't be approved any more",
  "approval-names-the-hash": "an approval counts only for the plan whose hash it names",
  "approval-single-use": "a done act uses its approval up in the commit of its receipt",
  "backoff-grows": "a key that fails again waits longer",
  "backoff-jitter": "keys that failed together do not come back together",
  "break-glass-expires": "a break-glass ends at its time and lifts nothing afterwards",
  "breaker-opens": "a connection that keeps failing is left alone for a while",
  "broken-file-fails-the-source": "a file that is no manifest makes the whole source invalid",
  "budget-survives-restart": "what a window has used is known to the next plane",
  "change-limit": "over the change limit a round waits",
  "circles-are-refused": "objects that wait for each other in a circle are refused",
  "cold-start": "after a start nothing is destroyed before everything was looked at",
  "compare-normal-forms": "both sides are compared in the form in which the target keeps them",
  "definition-in-use-stays": "a definition whose objects exist is not deleted",
  "delete-limit": "more deletes than the window allows wait for a person",
  "delete-needs-grant": "a delete that was marked without being judged waits",
  "deletion-deadline": "a marked object that does not go in time is told as stalled",
  "destruction-after-complete-look": "nothing is destroyed on the word of an incomplete list",
  "destruction-by-effect": "updates and replaces that destroy draw on the window of deletes",
  "drift-holds": "drift waits for a person where the loop says so",
  "dry-run-stores-nothing": "a dry run ends before anything is stored",
  "duplicates-are-refused": "an object that is declared twice is refused with both places",
  "early-absence-is-doubt": "a target that was just made and is not seen yet is not taken for gone",
  "empty-name-lifts-nothing": "a stop is not lifted by an empty name",
  "empty-selector-is-not-all": "a selector that is given and empty selects nothing",
  "emptying-holds": "a set of deletes that empties a loop or a kind waits for a person",
  "epoch-fence": "a commit of a plane that another one has taken over from is refused",
  "flapping-holds": "a field that keeps changing back is left alone until a person decides",
  "folder-error-is-not-empty": "a folder that can't be read is never a revision",
  "folder-stands-still": "a folder that changed while it was read is not a revision",
  "gone-only-when-seen": "an accepted delete is over when the target is seen to be absent",
  "guard-failure-denies": "a guard that throws denies instead of allowing",
  "handles-revoked": "a handle refuses every change once its act has ended or timed out",
  "host-is-checked": "a request for a host that is not ours is refused",
  "intent-before-act": "an act whose intent can't be made durable does not happen",
  "interrupted-create-is-ours": "what a create without receipt made is known as ours",
  "invariant-denies": "an action after which an invariant does not hold is denied",
  "journal-head-verified": "a journal whose end was cut off is not sound",
  "judged-is-still-wanted": "an action whose object changed after it was judged is not performed",
  "ledger-time": "windows are counted by a clock that a jump of the wall clock does not move",
  "level-trigger": "what no event told of is found by looking at everything again",
  "limit-has-no-minimum": "the limit of deletes counts for the smallest set, too",
  "login-link-works-once": "the link that opens a session of the dashboard opens no second one",
  "loosening-is-held": "a looser limit, policy or protection counts only when it was approved",
  "missing-log-refused": "a store that lost its latest commits is not opened",
  "move-is-no-way-out": "no object leaves its loop for one whose rules are looser",
  "new-before-old": "what a revision adds is asked for before what it drops is taken away",
  "newer-format-refused": "data of a newer format is not opened",
  "no-escalation": "nobody gives away by a role more than they hold",
  "old-intents-are-closed": "an act that a crash cut off gets a receipt that says unknown",
  "one-act-per-object": "nothing else is done to an object while an act on it is under way",
  "one-owner-per-target": "a target that another object claims is left to that one",
  "one-pass-per-key": "a key that is being worked on is not given out a second time",
  "one-plane-per-directory": "a data directory that is in use is not opened a second time",
  "one-source-per-object": "an object belongs to the source that made it; another one is refused",
  "origin-is-checked": "a request made by a page of another site is refused",
  "orphan-is-noticed": "an owned target whose object is gone becomes an orphan, never nothing",
  "partial-list-is-doubt": "what a list that is not complete lacks is unknown, never absent",
  "people-lift-stops": "only a person lifts a stop",
  "policy-approves-itself": "a policy is loosened by no fewer people than it asks for",
  "permission-counts-until-used":
    "a permitted delete counts in its window until it is done, and then from when it was",
  "policy-floor": "no loop destroys more than a policy allows",
  "promotion-by-a-person": "only a person lets a loop that observes act",
  "protected-object": "destroying what is protected waits for a person",
  "put-needs-version": "a replacing write has to say which version it read",
  "quarantine-holds": "a quarantined source revision is not used while its rollback stands",
  "read-after-own-write": "after an act its target is read again before anything is concluded",
  "reading-handles": "what a provider observes through can change nothing",
  "reads-have-deadlines": "a read that never answers is given up",
  "ready-only-from-observation": "after an act only a read says that it worked",
  "refused-delete-stays-ours": "a target whose delete was refused stays in the inventory",
  "relist-notices-deletes": "what a new list lacks is known to be gone",
  "removed-field-is-removed": "a field that we applied and that is declared no more is taken away",
  "replaced-folder-is-doubt":
    "a folder that was swapped for an empty one is not taken for an emptied one",
  "repointed-source-releases":
    "a loop that points elsewhere lets go of its objects and prunes none",
  "reserved-lane": "stop and resume are answered when all other slots are taken",
  "restored-holds": "after a restore nothing is destroyed before everything was observed",
  "rollback-is-judged": "what a rollback deletes is judged before anything is marked",
  "same-client-token": "every try of one create carries the same client token",
  "secrets-are-stored-sealed": "no value of a Secret reaches the disk in clear",
  "separate-author": "who asked for a change does not approve it, where the loop says so",
  "server-side-retry": "a patch that met a faster writer is applied again to what is there now",
  "source-age": "nothing is destroyed on the word of a source that is silent for long",
  "source-error-is-not-empty": "a source that can't be read is never taken for an empty one",
  "source-shrunk": "a revision that lost most of its objects prunes nothing by itself",
  "stale-put-refused": "a write on a version that is not the newest is refused",
  "stop-checked-at-effect": "the stop file is read before every single changing call",
  "stop-file-unreadable-stops": "a stop file that can't be understood stops everything",
  "stop-outlives-its-file": "a stop whose file was lost stands again after a start",
  "time-window": "outside its windows and in a freeze a loop does not act",
  "token-at-the-effect": "an act goes through only on the state that it was planned on",
  "tokens-end-with-their-account": "a token of a deleted service account lets nobody in",
  "uid-precondition": "a delete that names a UID hits no other object of the same name",
  "uncertain-create-waits":
    "a create that can't be found again is not repeated when its end is unknown",
  "unclear-choice-refused": "a decision that can't be understood approves nothing",
  "undone-when-not-written": "a decision that could not be written does not count",
  "unevaluable-invariant-blocks-destruction":
    "no invariant that can't be evaluated allows a delete",
  "unknown-is-not-absent": "a read that failed is never taken for an absence",
  "unknown-is-not-done": "an act without an answer is not taken for done",
  "unlisted-folder-is-not-empty":
    "a folder inside a source that can't be listed fails the whole read",
  "vanished-targets": "all targets gone at once are not made again without a person",
  "views-ask-roles": "the views of the ledger show a caller only what their roles allow",
  "watches-per-caller": "one caller can not open all the watches there are",
  "whole-revision-or-nothing": "a source revision with one refused manifest is not taken at all",
  "window-counts-all": "all deletes of a window count together, however they are cut",
  "windows-outlive-restarts": "a restart counts as no more time than has provably passed",
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
