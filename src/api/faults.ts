// Every way in which the API refuses. Reasons and statuses are those of Kubernetes, so that its
// clients branch as they are used to. Field causes travel as JSON text in `details.causes`.

import { defineFaults } from "../base/faults.ts"

export const apiFault = defineFaults({
  "SPT-API-001": {
    fault: "stuck",
    text: '{resource} "{name}" not found',
    hint: "list what exists: `setpoint get {resource}`",
    status: 404,
    reason: "NotFound",
  },
  "SPT-API-002": {
    fault: "stuck",
    text: "cannot serve {resource}: no such kind is defined",
    hint: "`setpoint get customresourcedefinitions` lists the definitions; check group and version",
    status: 404,
    reason: "NotFound",
  },
  "SPT-API-003": {
    fault: "stuck",
    text: '{resource} "{name}" already exists',
    hint: "use apply or update, or another name",
    status: 409,
    reason: "AlreadyExists",
  },
  "SPT-API-004": {
    fault: "retry",
    text:
      'Operation cannot be fulfilled on {resource} "{name}": the object has been modified; ' +
      "please apply your changes to the latest version and try again",
    hint: "read the object again and repeat the change on what you read",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-005": {
    fault: "stuck",
    text: '{kind} "{name}" is invalid: {why}',
    hint: "correct the named fields; the reference page of {kind} says what is allowed",
    status: 422,
    reason: "Invalid",
  },
  "SPT-API-006": {
    fault: "stuck",
    text: "cannot {verb} {what}: {why}",
    hint: "correct the request",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-007": {
    fault: "stuck",
    text:
      '{kind} in version "{version}" cannot be handled as a {kind}: ' +
      "strict decoding error: {why}",
    hint: "correct their names, or remove them",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-008": {
    fault: "stuck",
    text: "cannot read the JSON: {why} at offset {offset}",
    hint: "correct the text",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-009": {
    fault: "stuck",
    text: "cannot accept {what}: {size} is more than {limit}",
    hint: "make it smaller, or split it",
    status: 413,
    reason: "RequestEntityTooLarge",
  },
  "SPT-API-010": {
    fault: "retry",
    text: "The resourceVersion for the provided {what} is too old: {revision} (oldest: {oldest})",
    hint: "list again, and watch from the resourceVersion of that list",
    status: 410,
    reason: "Expired",
  },
  "SPT-API-011": {
    fault: "stuck",
    text: 'namespaces "{namespace}" not found',
    hint: "make it first: `setpoint apply` a Namespace named {namespace}",
    status: 404,
    reason: "NotFound",
  },
  "SPT-API-012": {
    fault: "stuck",
    text:
      '{resource} "{name}" is forbidden: unable to create new content in namespace {namespace} ' +
      "because it is being terminated",
    hint: "wait until the namespace is gone, then make it again",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-013": {
    fault: "stuck",
    text: "cannot {verb} {resource} {name}: {why}",
    hint: "{way}",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-014": {
    fault: "wait",
    text: "cannot delete {what}: held as plan {plan}: {why}",
    hint: "`setpoint plans {plan}` shows what would be deleted; `setpoint approve {plan}` does it",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-015": {
    fault: "stuck",
    text: "cannot delete {what}: {why}",
    hint: "{way}",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-016": {
    fault: "stuck",
    text: "cannot {verb} {resource} {name}: {fields} declared at {source} by {manager}",
    hint:
      "change it there, or remove it from that source; " +
      "`setpoint stop LOOP` stops acting while you look",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-017": {
    fault: "stuck",
    text: "Apply failed with {count}: {why}",
    hint: "leave those fields out, or take them over with --force-conflicts",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-018": {
    fault: "stuck",
    text: "cannot delete {resource} {name}: {count} of its objects exist",
    hint: "delete its objects first, for example {example}",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-019": {
    fault: "stuck",
    text: "cannot apply the patch to {resource} {name}: {why}",
    hint: "correct the patch; `setpoint get {resource} {name} -o yaml` shows the object",
    status: 422,
    reason: "Invalid",
  },
  "SPT-API-020": {
    fault: "stuck",
    text: "Unauthorized",
    hint: "send the header `Authorization: Bearer TOKEN`; `setpoint token create` makes one",
    status: 401,
    reason: "Unauthorized",
  },
  "SPT-API-021": {
    fault: "stuck",
    text: "cannot {method} {path}: no such method there",
    hint: "see docs/reference for the methods of this path",
    status: 405,
    reason: "MethodNotAllowed",
  },
  "SPT-API-022": {
    fault: "stuck",
    text:
      "cannot read a body of type {type}: accepted media types include application/json, " +
      "application/yaml, application/vnd.kubernetes.protobuf",
    hint:
      "a patch is application/json-patch+json, merge-patch+json, strategic-merge-patch+json or " +
      "apply-patch+yaml",
    status: 415,
    reason: "UnsupportedMediaType",
  },
  "SPT-API-023": {
    fault: "retry",
    text: "cannot serve the request now: {why}",
    hint: "try again in a moment",
    status: 429,
    reason: "TooManyRequests",
  },
  "SPT-API-024": {
    fault: "retry",
    text: "cannot serve the request now: {why}",
    hint: "try again in a moment",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-API-025": {
    fault: "stuck",
    text: "cannot serve {path}: the server could not find the requested resource",
    hint: "check the path; `setpoint status` shows whether the plane is the one you mean",
    status: 404,
    reason: "NotFound",
  },
  "SPT-API-026": {
    fault: "stuck",
    text: "cannot listen on {where}: {why}",
    hint: "another plane may be running there; `setpoint status` asks it",
  },
  "SPT-API-027": {
    fault: "stuck",
    text: "cannot change {resource} {name} from this source: it belongs to loop {loop}",
    hint: "delete it there, or declare it under another name",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-029": {
    fault: "stuck",
    text: "{what}",
    hint: "ask whoever administers the plane for a role that allows it",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-040": {
    fault: "stuck",
    text: "cannot set loop {loop} to {mode}: {principal} is not a person",
    hint: "a person lets a loop act: `setpoint promote`",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-041": {
    fault: "stuck",
    text: "cannot set loop {loop} to {mode}: {clean} of {needed} clean rounds so far",
    hint: "look at `setpoint report`, then wait, or `setpoint promote --now --reason TEXT`",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-042": {
    fault: "stuck",
    text: "cannot write: another plane has taken over this store (epoch {epoch})",
    hint: "only one plane may write to a store; stop this process and ask the other one",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-API-060": {
    fault: "stuck",
    text: "cannot read the protobuf body: {why} at byte {offset}",
    hint: "send the bytes as Kubernetes' own libraries write them, or JSON",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-061": {
    fault: "stuck",
    text: "cannot read {kind} as protobuf: only built-in kinds of Kubernetes have that form",
    hint: "send application/json or application/yaml",
    status: 415,
    reason: "UnsupportedMediaType",
  },
  "SPT-API-062": {
    fault: "stuck",
    text: "cannot read the YAML: {why} at line {line}, column {column}",
    hint: "correct the text there; one document, without anchors, aliases and tags",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-065": {
    fault: "stuck",
    text: "cannot answer in a form that is accepted: only the following are: {accept}",
    hint: "send an Accept header that names one of them, or none",
    status: 406,
    reason: "NotAcceptable",
  },
  "SPT-API-090": {
    fault: "stuck",
    text: '{kind} in version "{version}" cannot be handled as a {kind}: {key}: {why}',
    hint: "encode the value as base64, or write it as text into stringData of a Secret",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-110": {
    fault: "stuck",
    text: "only the following media types are accepted: application/json",
    hint: "send `Accept: application/json`, alone or with as=Table or as=PartialObjectMetadata",
    status: 406,
    reason: "NotAcceptable",
  },
  "SPT-API-111": {
    fault: "stuck",
    text: 'invalid resource version: resourceVersion: Invalid value: "{text}"',
    hint: "take the resourceVersion of a list or an object as it is",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-112": {
    fault: "retry",
    text: "Timeout: Too large resource version: {revision}, current: {newest}",
    hint: "list again without a resourceVersion; this one is of another or a newer store",
    status: 504,
    reason: "Timeout",
  },
  "SPT-API-113": {
    fault: "retry",
    text:
      "The provided continue parameter is too old to display a consistent list result. You can " +
      "start a new list without the continue parameter, or use the continue token in this " +
      "response to retrieve the remainder of the results, which are as of a newer revision",
    hint: "start a new list, or go on with metadata.continue of this answer",
    status: 410,
    reason: "Expired",
  },
  "SPT-API-091": {
    fault: "stuck",
    text: "cannot open {place}: it is encrypted with key {key}, which is not in the key file",
    hint: "put that key back into the key file (--key-file) and restart; nothing is lost meanwhile",
    status: 500,
    reason: "InternalError",
  },
  "SPT-API-092": {
    fault: "stuck",
    text: "cannot open {place}: what is stored there was changed from outside",
    hint: "restore it from a backup: `setpoint restore`",
    status: 500,
    reason: "InternalError",
  },
  "SPT-API-093": {
    fault: "stuck",
    text: "cannot change the key of Secrets: {principal} is not a person",
    hint: "a person does that: `setpoint secrets rotate`",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-130": {
    fault: "retry",
    text: "conversion webhook for {kind} {why}",
    hint: "its definition names the webhook: spec.conversion.webhook.clientConfig",
    status: 500,
    reason: "InternalError",
  },
  "SPT-API-120": {
    fault: "stuck",
    text:
      'Operation cannot be fulfilled on {resource} "{name}": Precondition failed: ' +
      "UID in precondition: {wanted}, UID in object meta: {uid}",
    hint: "another object has this name now; read it again and decide anew",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-121": {
    fault: "stuck",
    text:
      "the body of the request was in an unknown format - accepted media types include: " +
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    hint: "a strategic merge patch is for built-in kinds; send {kind} a merge patch",
    status: 415,
    reason: "UnsupportedMediaType",
  },
  "SPT-API-122": {
    fault: "stuck",
    text: "cannot {verb} the scale of {resource} {name}: {why}",
    hint: "its definition says where the number is: `setpoint get customresourcedefinitions`",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-094": {
    fault: "stuck",
    text: '{resource} "{name}" is forbidden: this namespace may not be deleted',
    hint: "delete the objects in it instead",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-095": {
    fault: "wait",
    text: 'Operation cannot be fulfilled on namespaces "{name}": it still holds {what}',
    hint: "the namespace ends by itself when nothing is left in it",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-096": {
    fault: "wait",
    text: "{why}",
    hint: "wait until the definition is gone, then make it again",
    status: 405,
    reason: "MethodNotAllowed",
  },
  "SPT-API-097": {
    fault: "stuck",
    text: "cannot delete more than {limit} objects as one set",
    hint: "delete in parts: kind by kind, with a selector or a limit, and then what holds them",
    status: 413,
    reason: "RequestEntityTooLarge",
  },
})

export interface FieldCause {
  readonly field: string
  readonly reason: string
  readonly message: string
}

/** At most this many causes go out; the message says how many there were. */
const causesMax = 50

export function causesText(causes: readonly FieldCause[]): string {
  return JSON.stringify(causes.slice(0, causesMax))
}

/** "a: x; b: y; and 3 more" */
export function summarize(lines: readonly string[], most = 10): string {
  const shown = lines.slice(0, most).join("; ")
  return lines.length > most ? `${shown}; and ${lines.length - most} more` : shown
}
