// The tables of Kubernetes' own kinds, with the columns that people know from kubectl.

import { at, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { toCoreEvent } from "../kinds/event-view.ts"
import { ageText, type Column, nameCell, nameColumn, type TableMaker } from "./table-column.ts"

type Cell = (object: ApiObject, now: number) => Json

interface Field {
  readonly column: Column
  readonly cell: Cell
}

function field(name: string, cell: Cell, more: Partial<Column> = {}): Field {
  const column = { name, type: "string", format: "", description: "", priority: 0, ...more }
  return { column, cell }
}

const wide = { priority: 1 }
const name: Field = { column: nameColumn, cell: nameCell }
const age = field("Age", ({ metadata }, now) => ageText(metadata.creationTimestamp, now))
const createdAt = field("Created At", ({ metadata }) => metadata.creationTimestamp ?? null, {
  type: "date",
})

function table(...fields: readonly Field[]): TableMaker {
  return {
    columns: fields.map(({ column }) => column),
    cells: (object, now) => fields.map(({ cell }) => cell(object, now)),
  }
}

const member = (object: ApiObject, ...path: readonly string[]): Json | undefined =>
  at(object as Json, ...path)

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

const size = (value: Json | undefined): number => {
  if (isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

const items = (value: Json | undefined): JsonObject[] =>
  isArray(value) ? value.filter((item) => isObject(item)) : []

const eventFirst = (event: ApiObject): string =>
  text(event.firstTimestamp as Json) || text(event.eventTime as Json)

function eventLast(event: ApiObject): string {
  const series = text(member(event, "series", "lastObservedTime"))
  return series || text(event.lastTimestamp as Json) || eventFirst(event)
}

function eventTarget(event: ApiObject): string {
  const kind = text(member(event, "involvedObject", "kind")).toLowerCase()
  const named = text(member(event, "involvedObject", "name"))
  return named === "" ? kind : `${kind}/${named}`
}

function eventSource(event: ApiObject): string {
  const component = text(member(event, "source", "component"))
  const host = text(member(event, "source", "host"))
  const from = component || text(event.reportingComponent as Json)
  return host === "" ? from : `${from}, ${host}`
}

function eventCount(event: ApiObject): number {
  const count = member(event, "series", "count") ?? event.count
  return typeof count === "number" && count > 0 ? count : 1
}

const events = table(
  field("Last Seen", (event, now) => ageText(eventLast(event), now)),
  field("Type", (event) => text(event.type as Json)),
  field("Reason", (event) => text(event.reason as Json)),
  field("Object", eventTarget),
  field("Subobject", (event) => text(member(event, "involvedObject", "fieldPath")), wide),
  field("Source", eventSource, wide),
  field("Message", (event) => text(event.message as Json).trim()),
  field("First Seen", (event, now) => ageText(eventFirst(event), now), wide),
  field("Count", eventCount, wide),
  { ...name, column: { ...nameColumn, ...wide } },
)

const subjects = (kind: string): Cell => {
  return (binding) =>
    items(binding.subjects as Json)
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === "ServiceAccount"
          ? `${text(subject.namespace)}/${text(subject.name)}`
          : text(subject.name),
      )
      .join(", ")
}

const bindings = table(
  name,
  field(
    "Role",
    (binding) =>
      `${text(member(binding, "roleRef", "kind"))}/${text(member(binding, "roleRef", "name"))}`,
  ),
  age,
  field("Users", subjects("User"), wide),
  field("Groups", subjects("Group"), wide),
  field("ServiceAccounts", subjects("ServiceAccount"), wide),
)

const roles = table(name, createdAt)

const webhooks = table(
  name,
  field("Webhooks", (object) => size(object.webhooks as Json), { type: "integer" }),
  age,
)

const policies = table(
  name,
  field("Validations", (policy) => size(policy.spec?.validations), { type: "integer" }),
  field("ParamKind", (policy) => {
    const kind = text(member(policy, "spec", "paramKind", "kind"))
    return kind === ""
      ? "<unset>"
      : `${text(member(policy, "spec", "paramKind", "apiVersion"))}/${kind}`
  }),
  age,
)

const policyBindings = table(
  name,
  field("PolicyName", (binding) => text(binding.spec?.policyName)),
  field("ParamRef", (binding) => text(member(binding, "spec", "paramRef", "name")) || "<unset>"),
  age,
)

/** By the name of the definition. */
export const builtInTables: ReadonlyMap<string, TableMaker> = new Map([
  [
    "namespaces",
    table(
      name,
      field("Status", (one) => text(one.status?.phase)),
      age,
    ),
  ],
  [
    "configmaps",
    table(
      name,
      field("Data", (one) => size(one.data as Json) + size(one.binaryData as Json)),
      age,
    ),
  ],
  [
    "secrets",
    table(
      name,
      field("Type", (one) => text(one.type as Json)),
      field("Data", (one) => size(one.data as Json)),
      age,
    ),
  ],
  ["serviceaccounts", table(name, age)],
  ["events", events],
  [
    "events.events.k8s.io",
    { columns: events.columns, cells: (event, now) => events.cells(toCoreEvent(event), now) },
  ],
  [
    "leases.coordination.k8s.io",
    table(
      name,
      field("Holder", (lease) => text(lease.spec?.holderIdentity)),
      age,
    ),
  ],
  ["customresourcedefinitions.apiextensions.k8s.io", roles],
  ["roles.rbac.authorization.k8s.io", roles],
  ["clusterroles.rbac.authorization.k8s.io", roles],
  ["rolebindings.rbac.authorization.k8s.io", bindings],
  ["clusterrolebindings.rbac.authorization.k8s.io", bindings],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", webhooks],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", webhooks],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", policies],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", policyBindings],
])
