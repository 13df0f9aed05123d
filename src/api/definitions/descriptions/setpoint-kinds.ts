// What Setpoint's own kinds and their fields mean, for `kubectl explain` and the reference.

import { below, type Descriptions } from "./describe.ts"
import { gitFields } from "./git-fields.ts"

const conditions: Descriptions = {
  "status.conditions": "What is true of it now, one entry for each type.",
  "status.conditions[].type": "What the entry is about, such as Ready.",
  "status.conditions[].status": "True, False or Unknown.",
  "status.conditions[].reason": "Why, in one word.",
  "status.conditions[].message": "Why, in a sentence.",
  "status.conditions[].lastTransitionTime": "Since when the status is this.",
  "status.conditions[].observedGeneration": "The generation that it is about.",
}

/** Of spec; docs/reference/loop.md shows them too. */
export const loopFields: Descriptions = {
  source: "Where manifests come from. Without it objects come through the API.",
  "source.directory": "A folder on this host.",
  "source.directory.path": "Its path. Relative ones only at the top of `setpoint up PATH`.",
  "source.directory.root":
    "A folder above it in which bases of its overlay may lie. Without it they lie in the folder.",
  ...below("source.git", gitFields),
  "source.promotion":
    "Take only revisions that another loop of the same repository held converged.",
  "source.promotion.from": "The other loop, as NAME or NAMESPACE.NAME.",
  "source.promotion.cleanRounds":
    "For so many clean rounds: looks at everything with nothing failing, held or broken.",
  mode:
    "How far it goes. Observe only looks and reports, Propose does what a person approved, " +
    "Enforce acts within the limits and holds the rest.",
  interval: "The level trigger: everything is looked at this often. At least 1s.",
  limits: "How much may happen in a window; what is more waits in a plan for a person.",
  "limits.deletes": "At most so many deletes in a window.",
  "limits.deletesPercent": "And at most this share of what the loop owns.",
  "limits.changes":
    "At most so many updates, replaces and re-creations in a window; then it waits.",
  "limits.window": "The length of the window.",
  "limits.shrinkPercent":
    "A revision of the source with fewer objects than this share of the last one is held.",
  onEmpty: "`Hold`: taking the last target, or the last of a kind, waits for a person.",
  onDrift: "Correct it, only report it, or hold it for a person.",
  onConflict: "A field that both sides changed: hold it, let the declaration win, or leave it.",
  onVanish: "All targets of a kind gone at once: hold their re-creation, or go ahead.",
  paths: "Fields that do something else than the loop says.",
  "paths[].path": "The field as a difference names it; everything below it is meant too.",
  "paths[].onDrift": "Instead of the loop's `onDrift`.",
  "paths[].onConflict": "Instead of the loop's `onConflict`.",
  windows: "When it may act, and when it may not. Without an `Open` one: always.",
  "windows[].kind": "`Open`: acts only inside. `Freeze`: does not act inside.",
  "windows[].schedule": "Five cron fields: when the window begins.",
  "windows[].duration": "How long it lasts.",
  "windows[].timeZone": "IANA name of the zone of the schedule.",
  approvals: "What a plan needs before it is done.",
  "approvals.required": "So many different people.",
  "approvals.separateAuthor": "Who asked for the change may not approve it.",
  "approvals.approvers": "Names of those who may approve; any person when empty.",
  "approvals.expiresAfter": "A plan that is not decided on ends after this.",
  cleanRounds: "So many clean rounds in Observe before a person may promote it.",
  sourceMaxAge: "Deletes wait when the source could not be read for this long.",
  deletionDeadline: "A marked object that is not gone after this is reported as stalled.",
}

const loop: Descriptions = {
  "":
    "A loop keeps a set of objects as they are declared: it observes the real things, compares, " +
    "lets guards judge, acts within its limits, and reports.",
  spec: "Where the declarations come from, how far the loop goes and how much it may do at once.",
  ...below("spec", loopFields),
  status: "What the loop found and did; written by the plane.",
  ...conditions,
}

const plan: Descriptions = {
  "":
    "A plan holds actions that wait for people, each with what it would change and why it waits. " +
    "Written by the plane; `setpoint approve NAME` lets exactly these actions happen.",
  spec: "The loop, a summary, and the held actions with their digests.",
  status:
    "Its phase (Pending, Approved, Executing, Done, Rejected, Stale, Superseded or Expired) and " +
    "who approved what.",
}

const plane: Descriptions = {
  "": "The plane itself. There is one; it says what is stopped.",
  spec: "What people decide about the plane.",
  "spec.stop": "What does not act now. Observing goes on. `setpoint stop` and `resume` write it.",
  "spec.stop[].loop": "Only this loop; everything when loop, provider and object are empty.",
  "spec.stop[].provider": "Only what this provider does, in all loops.",
  "spec.stop[].object": "Only this object.",
  "spec.stop[].scope": "All acting, or only deletes.",
  "spec.stop[].by": "Who stopped it; set by the plane.",
  "spec.stop[].at": "When; set by the plane.",
  "spec.stop[].reason": "Why.",
  "spec.stop[].until": "When it ends by itself; a person ends it when empty.",
  status: "What the plane says of itself.",
}

const guardPolicy: Descriptions = {
  "":
    "A floor for many loops that none of them can loosen: a loop is judged by the stricter of " +
    "its own word and of every policy that covers it.",
  spec: "Which loops, and what they may do at most.",
  "spec.loops": "Which loops, as NAMESPACE.NAME; a star stands for any, as in shop.* or *.",
  "spec.limits": "Limits for each of these loops.",
  "spec.limits.deletes": "At most so many deletes in a window.",
  "spec.limits.deletesPercent": "And at most this share of what a loop owns.",
  "spec.limits.changes": "At most so many updates, replaces and re-creations in a window.",
  "spec.limits.window": "The length of the window.",
  "spec.everywhere": "A limit for all loops together.",
  "spec.everywhere.deletes": "At most so many deletes of all loops in a window.",
  "spec.everywhere.window": "The length of the window.",
  "spec.protectedKinds": "Kinds of which nothing is deleted without a person.",
  "spec.approvals": "What every plan of these loops needs.",
  "spec.approvals.required": "So many different people.",
  "spec.approvals.separateAuthor": "Who asked for the change may not approve it.",
  "spec.approvals.approvers": "Names of those who may approve; any person when empty.",
  "spec.freezes": "When none of these loops acts.",
  "spec.freezes[].schedule": "Five cron fields: when the freeze begins.",
  "spec.freezes[].duration": "How long it lasts.",
  "spec.freezes[].timeZone": "IANA name of the zone of the schedule.",
}

const invariant: Descriptions = {
  "":
    "An invariant says what must always be true of a loop's targets. What would make it false is " +
    "denied, whoever asks for it; when the world breaks it, people are told.",
  spec: "The expression, what it speaks of, and what happens when it is broken.",
  "spec.loop": "The loop it guards, in the same namespace.",
  "spec.expression":
    "CEL that gives true or false, over `objects` (each with kind, namespace, name, labels and " +
    "spec) and `signals`.",
  "spec.kinds": "Which kinds `objects` holds.",
  "spec.over":
    "Observed: judged after each look. Predicted: judged before acting, with the effects applied.",
  "spec.signals": "Names of the signals that the expression speaks of.",
  "spec.onBroken": "Report it, stop deletes of the loop, or stop all its acting.",
  "spec.for": "So long it must be broken before that is told and answered. Guards don't wait.",
  "spec.correction": "Sets fields of one object of the same loop when it is broken.",
  "spec.correction.apiVersion": "API version of that object.",
  "spec.correction.kind": "Kind of that object.",
  "spec.correction.name": "Name of that object.",
  "spec.correction.spec": "The fields to set, and nothing else.",
  "spec.message": "What it is for, in words; shown when it is broken.",
  status: "Whether it holds, and which objects fail.",
  ...conditions,
}

const signal: Descriptions = {
  "": "A signal observes a number that invariants may speak of. It has exactly one probe.",
  spec: "The probe, how often it looks, and what counts as bad.",
  "spec.http": "Asks a URL (GET): how long it took, its status, or a number of its JSON answer.",
  "spec.http.url": "The URL.",
  "spec.http.expectStatus": "Any other status is no reading.",
  "spec.http.read": "latencyMs, status, or a dotted path into the JSON answer.",
  "spec.prometheus": "Asks Prometheus a query that gives one series.",
  "spec.prometheus.url": "The server.",
  "spec.prometheus.query": "The query, in PromQL.",
  "spec.sql": "Asks PostgreSQL for one number, in a read-only transaction.",
  "spec.sql.connection": "Name of a connection that the plane's operator set up.",
  "spec.sql.query": "The query; one row with one number.",
  "spec.command": "Runs a program that the plane was started with. No shell is involved.",
  "spec.command.argv": "The program and its arguments.",
  "spec.command.read": "The number that it prints, or its exit code.",
  "spec.log": "Counts the new lines of a file that match.",
  "spec.log.path": "The file.",
  "spec.log.pattern": "A regular expression (RE2).",
  "spec.log.window": "Lines that were added in this time count.",
  "spec.interval": "How often it looks.",
  "spec.timeout": "A look that takes longer is no reading.",
  "spec.staleAfter": "A reading older than this counts as unknown. Three intervals by default.",
  "spec.breach": "Past these it is Breached.",
  "spec.breach.above": "More than this is bad.",
  "spec.breach.below": "Less than this is bad.",
  "spec.clear": "Where it counts as good again; the limits of breach when it is not given.",
  "spec.clear.above": "Good again at or below this.",
  "spec.clear.below": "Good again at or above this.",
  "spec.for": "So many readings in a row change the state.",
  status: "The last number, when it was read, and the state.",
  ...conditions,
}

const secretKey = (path: string, what: string) => ({
  [path]: `${what} A key of a Secret in the same namespace.`,
  [`${path}.name`]: "Name of the Secret.",
  [`${path}.key`]: "Key in its data.",
})

const notifier: Descriptions = {
  "": "A notifier sends a message when something needs a person, and when it does no more.",
  spec: "What is told, and where to.",
  "spec.webhook": "The address that messages are posted to, and how they look.",
  "spec.webhook.url": "The address; no part of it is secret.",
  ...secretKey("spec.webhook.urlFrom", "The address, when it holds a token."),
  "spec.webhook.format":
    "Json: all facts. Slack: what Slack, Mattermost and others take. Template: your own.",
  "spec.webhook.template":
    "The text. Filled in are plane, state, type, loop, subject, message, since and next.",
  "spec.webhook.contentType": "Of a template.",
  "spec.webhook.headersFrom": "Headers whose values come from Secrets.",
  "spec.webhook.headersFrom[].header": "Name of the header.",
  ...secretKey("spec.webhook.headersFrom[].valueFrom", "Its value."),
  ...secretKey("spec.webhook.signingKeyFrom", "Signs every message, in setpoint-signature."),
  "spec.on": "What is told: Held, Stalled, Stopped, InvariantBroken, SourceFailing.",
  "spec.loops": "Only of these loops; of all when empty.",
  "spec.for": "So long it must be so before it is told.",
  "spec.repeat": "Told again so often while it stays so; never when missing.",
  "spec.resolved": "Whether the end of it is told.",
  status: "What was told and still stands, and whether messages arrive.",
  ...conditions,
}

export const setpointDescriptions: Readonly<Record<string, Descriptions>> = {
  Loop: loop,
  Plan: plan,
  Plane: plane,
  GuardPolicy: guardPolicy,
  Invariant: invariant,
  Signal: signal,
  Notifier: notifier,
}
