// A kind whose rules compare with what was, look through lists and say in their own words what is
// wrong: what a write may be refused for, and in which words.

import type { JsonObject } from "../../src/base/json.ts"
import { packDefinition, versionOf } from "./versioned-boxes.ts"

const text: JsonObject = { type: "string", maxLength: 20 }

const port: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    number: { type: "integer" },
    weight: { type: "integer", default: 1 },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(oldSelf.number) || (has(self.number) && self.number == oldSelf.number)",
      message: "the number of a port stays",
      fieldPath: ".number",
      reason: "FieldValueForbidden",
    },
  ],
}

export const ruledSpec = {
  replicas: {
    type: "integer",
    "x-kubernetes-validations": [
      {
        rule: "self >= oldSelf - 2",
        messageExpression: "(oldSelf > 4 ? 'from many' : 'from few') + ' is too far'",
      },
    ],
  },
  phase: {
    ...text,
    "x-kubernetes-validations": [
      {
        rule: "oldSelf.hasValue() ? self != 'New' || oldSelf.value() == 'New' : self == 'New'",
        optionalOldSelf: true,
        message: "begins as New and never comes back to it",
      },
    ],
  },
  ports: {
    type: "array",
    maxItems: 10,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: port,
    "x-kubernetes-validations": [
      {
        rule:
          "self.all(one, !has(one.number) || self.filter(other, has(other.number) && " +
          "other.number == one.number).size() == 1)",
        message: "two ports have one number",
      },
      {
        rule: "self.size() == 0 || self.exists_one(one, one.weight > 5)",
        messageExpression:
          "self.exists(one, one.weight > 5) ? 'more than one is heavy' : 'none is heavy'",
        reason: "FieldValueInvalid",
      },
    ],
  },
  tags: {
    type: "array",
    maxItems: 10,
    "x-kubernetes-list-type": "set",
    items: text,
    "x-kubernetes-validations": [
      { rule: "oldSelf.all(one, one in self)", message: "a tag that is there stays" },
    ],
  },
} as const

export const ruledDefinition = () =>
  packDefinition("pots", "Pot", [versionOf("v1", ruledSpec, { storage: true })])

export const goodPot: JsonObject = {
  replicas: 5,
  phase: "New",
  ports: [
    { name: "a", number: 1, weight: 9 },
    { name: "b", number: 2 },
  ],
  tags: ["x", "y"],
}

export interface RuledCase {
  readonly what: string
  /** What the good one becomes; undefined: it is created so. */
  readonly after: JsonObject
  readonly creates?: boolean
  readonly causes: readonly string[]
}

const ports = (...all: readonly JsonObject[]): JsonObject => ({ ...goodPot, ports: all })
const heavy: JsonObject = { name: "a", number: 1, weight: 9 }

/** Each with the causes that kube-apiserver 1.35 names. */
export const ruledCases: readonly RuledCase[] = [
  {
    what: "a step that is too far, by where it began",
    after: { ...goodPot, replicas: 2 },
    causes: ["Invalid spec.replicas: Invalid value: 2: from many is too far"],
  },
  { what: "nothing of a step that is not", after: { ...goodPot, replicas: 3 }, causes: [] },
  {
    what: "what no old value allows at a create",
    creates: true,
    after: { phase: "Ready" },
    causes: [
      'Invalid spec.phase: Invalid value: "Ready": begins as New and never comes back to it',
    ],
  },
  { what: "nothing of going on", after: { ...goodPot, phase: "Ready" }, causes: [] },
  {
    what: "the changed number of an item that is found by its key, wherever it stands",
    after: ports({ name: "b", number: 3 }, heavy),
    causes: ["Forbidden spec.ports[0].number: Forbidden: the number of a port stays"],
  },
  {
    what: "nothing of an item that is new",
    after: ports({ name: "c", number: 7 }, heavy),
    causes: [],
  },
  {
    what: "two items that together are wrong",
    after: ports(heavy, { name: "c", number: 1 }),
    causes: ["Invalid spec.ports: Invalid value: two ports have one number"],
  },
  {
    what: "items that are counted, in its own words",
    after: ports(heavy, { name: "c", weight: 6 }),
    causes: ["Invalid spec.ports: Invalid value: more than one is heavy"],
  },
  {
    what: "their weights by default, too",
    after: ports({ name: "a", number: 1 }),
    causes: ["Invalid spec.ports: Invalid value: none is heavy"],
  },
  {
    what: "an item of a set that went",
    after: { ...goodPot, tags: ["y", "z"] },
    causes: ["Invalid spec.tags: Invalid value: a tag that is there stays"],
  },
  {
    what: "nothing of a set in another order",
    after: { ...goodPot, tags: ["y", "x"] },
    causes: [],
  },
]

/** Definitions that are refused for their rules alone. */
const unbounded = { type: "array", items: { type: "string" } }

export const costlySpec = (rule: string): Readonly<Record<string, JsonObject>> => ({
  list: { ...unbounded, "x-kubernetes-validations": [{ rule }] },
})

export const costlyRule = "self.all(a, self.all(b, self.all(c, a + b != c)))"
