// The models that all kinds share: what metadata looks like, what a delete may say, how the API
// says no. Descriptions are what people read with `kubectl explain`.

import type { JsonObject } from "../../base/json.ts"
import { metaName } from "./model-names.ts"
import {
  boolean,
  integer,
  listOf,
  type Models,
  mapOfText,
  model,
  reference,
  referencesIn,
  string,
} from "./schema-parts.ts"

export const apiVersionProperty = string(
  "Group and version of the kind, as GROUP/VERSION (VERSION alone in the core group).",
)
export const kindProperty = string("The kind of the object, in CamelCase. It never changes.")
export const typeProperties = { apiVersion: apiVersionProperty, kind: kindProperty }

const time = reference(metaName("Time"))
const timeOf = (description: string): JsonObject => ({ ...time, description })

const ofKind = (...kinds: readonly string[]): JsonObject => ({
  "x-kubernetes-group-version-kind": kinds.map((kind) => ({ group: "", version: "v1", kind })),
})

const objectMeta = model("Metadata that every stored object has.", {
  name: string("Unique within the namespace (or within the plane) for its kind. Never changes."),
  generateName: string("A prefix: when name is empty, the server appends a random suffix to it."),
  namespace: string("The namespace that the object lies in; empty for cluster-scoped kinds."),
  labels: mapOfText("Keys and values to select objects by."),
  annotations: mapOfText("Keys and values that tools keep with the object; not selectable."),
  uid: string("Set by the server: unlike the name it is never used again. Read-only."),
  resourceVersion: string(
    "Changes with every write. Send it back with an update to refuse to overwrite what others " +
      "wrote since; treat it as opaque. Read-only.",
  ),
  generation: integer("Counts the changes of what is desired (not of status). Read-only."),
  creationTimestamp: timeOf("When the object was made, by the server's clock. Read-only."),
  deletionTimestamp: timeOf(
    "Set when a delete was accepted; the object ends once finalizers is empty. Read-only.",
  ),
  deletionGracePeriodSeconds: integer("Seconds given to end gracefully. Read-only."),
  finalizers: listOf(
    string("Who still has to clean up."),
    "Whoever has an entry here has work to do before the object may go; each removes its own.",
    { "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge" },
  ),
  ownerReferences: listOf(
    reference(metaName("OwnerReference")),
    "Objects that this one depends on; when all of them are gone it is deleted too.",
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
  ),
  managedFields: listOf(
    reference(metaName("ManagedFieldsEntry")),
    "Which manager set which fields; kept by the server for server-side apply.",
    { "x-kubernetes-list-type": "atomic" },
  ),
  selfLink: string("No longer set."),
})

const listMeta = model("Metadata of a list.", {
  resourceVersion: string("The state that the list shows; a watch may begin here. Read-only."),
  continue: string("Ask again with this token for the next part; empty when this is the last."),
  remainingItemCount: integer("About how many items follow, when that is known."),
  selfLink: string("No longer set."),
})

const ownerReference = model(
  "Names an owner in the same namespace, or a cluster-scoped one.",
  {
    apiVersion: string("API version of the owner."),
    kind: string("Kind of the owner."),
    name: string("Name of the owner."),
    uid: string("UID of the owner."),
    controller: boolean("The owner is the controller that manages this object."),
    blockOwnerDeletion: boolean("A foreground delete of the owner waits for this object."),
  },
  { required: ["apiVersion", "kind", "name", "uid"], "x-kubernetes-map-type": "atomic" },
)

const managedFieldsEntry = model("The fields that one manager set in one way.", {
  manager: string("Who set them."),
  operation: string('How: "Apply" or "Update".'),
  apiVersion: string("The version of the object that the field names belong to."),
  time: timeOf("When the entry last changed."),
  fieldsType: string('Always "FieldsV1".'),
  fieldsV1: reference(metaName("FieldsV1"), "The fields."),
  subresource: string("The subresource that they were written through, if any."),
})

const statusDetails = model("More about a failure.", {
  name: string("Name of the object that it is about."),
  group: string("Its group."),
  kind: string("Its kind or resource."),
  uid: string("Its UID."),
  causes: listOf(reference(metaName("StatusCause")), "One entry for each thing that is wrong."),
  retryAfterSeconds: integer("Wait so long before you try again.", "int32"),
})

const status = model(
  "How a call ended that has no object to return.",
  {
    ...typeProperties,
    metadata: reference(metaName("ListMeta"), "Metadata of the answer."),
    status: string('"Success" or "Failure".'),
    message: string("What happened, for people."),
    reason: string("What happened, in one word, for programs."),
    details: reference(metaName("StatusDetails"), "More about it."),
    code: integer("The HTTP status.", "int32"),
  },
  ofKind("Status"),
)

const deleteOptions = model(
  "How to delete.",
  {
    ...typeProperties,
    gracePeriodSeconds: integer("Seconds given to end gracefully."),
    preconditions: reference(metaName("Preconditions"), "Delete only if these hold, else 409."),
    orphanDependents: boolean("Replaced by propagationPolicy."),
    propagationPolicy: string(
      "What happens to dependents: Orphan leaves them, Background deletes them afterwards, " +
        "Foreground deletes them first.",
    ),
    dryRun: listOf(string("A stage."), 'With "All" nothing is stored.'),
  },
  ofKind("DeleteOptions"),
)

const scale = model(
  "How many replicas an object should have and has.",
  {
    ...typeProperties,
    metadata: reference(metaName("ObjectMeta"), "Metadata of the scaled object."),
    spec: model("What is wanted.", { replicas: integer("Wanted replicas.", "int32") }),
    status: model("What is.", {
      replicas: integer("Observed replicas.", "int32"),
      selector: string("A label selector for the replicas, in text form."),
    }),
  },
  { "x-kubernetes-group-version-kind": [{ group: "autoscaling", version: "v1", kind: "Scale" }] },
)

export const scaleName = "io.k8s.api.autoscaling.v1.Scale"

export const metaModels: Models = new Map<string, JsonObject>([
  [metaName("ObjectMeta"), objectMeta],
  [metaName("ListMeta"), listMeta],
  [metaName("OwnerReference"), ownerReference],
  [metaName("ManagedFieldsEntry"), managedFieldsEntry],
  [metaName("FieldsV1"), { type: "object", description: "A set of fields, as a tree of names." }],
  [metaName("Time"), string("A time, as 2026-01-31T12:00:00Z.", { format: "date-time" })],
  [metaName("Patch"), { type: "object", description: "The body of a patch." }],
  [metaName("Status"), status],
  [metaName("StatusDetails"), statusDetails],
  [
    metaName("StatusCause"),
    model("One thing that is wrong.", {
      reason: string("What, in one word."),
      message: string("What, for people."),
      field: string("The field it is about, as spec.items[0].name."),
    }),
  ],
  [metaName("DeleteOptions"), deleteOptions],
  [
    metaName("Preconditions"),
    model("What must hold for a delete to be done.", {
      uid: string("The object has this UID."),
      resourceVersion: string("The object has this resourceVersion."),
    }),
  ],
  [scaleName, scale],
])

/** These of them, and those that they speak of in turn. */
export function sharedModels(names: readonly string[]): Models {
  const found = new Map<string, JsonObject>()
  const wanted = [...names]
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const shared = metaModels.get(name)
    if (shared === undefined || found.has(name)) continue
    found.set(name, shared)
    wanted.push(...referencesIn(shared))
  }
  return found
}
