// The one table of decided differences; docs/compatibility.md says the same in words. Whatever is
// not excused here fails.

import { isDeepStrictEqual } from "node:util"
import type { Comparable } from "./comparable.ts"
import type { Request } from "./request-parts.ts"

export interface KnownDifference {
  readonly what: string
  readonly why: string
  excuses(asked: Request, theirs: Comparable, ours: Comparable): boolean
}

const deletion = ["resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"]
const owned = ["managedFields", "resourceVersion", "generateName"]
const pages = ["continue", "remainingItemCount"]
const leaving = ["resourceVersion", "generateName"]
const names = ["name", "group", "kind"] as const
const isRefusal = ({ status }: Comparable) => status >= 400 && status < 500
const text = (value: unknown) => JSON.stringify(value) ?? ""

interface Failure {
  readonly name: string | null
  readonly group: string | null
  readonly kind: string | null
  readonly reason: string | null
  readonly causes: readonly string[]
}

function failure({ body }: Comparable): Failure | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined
  const textOr = (value: unknown) => (typeof value === "string" ? value : null)
  if (!Array.isArray(body.causes)) return undefined
  const { name, group, kind, reason } = body
  return {
    ...{ name: textOr(name), group: textOr(group), kind: textOr(kind), reason: textOr(reason) },
    causes: body.causes.map(String),
  }
}

/** Every mistake that a request can contain, to count those that one request has. */
const mistakes: readonly RegExp[] = [
  /dryRun=Some|"dryRun":\["Some"\]/,
  /fieldValidation=Loud/,
  /fieldValidation=Strict.*("unknown"|"extra"|"other"|"odd")/,
  /"kind":"(Wrong|)"/,
  /"bad key!"|"app":("-"|1)/,
  /"a\/b\/c"/,
  /"bad finalizer"/,
  /"namespace":"elsewhere"/,
  /"ConfigMap","name":"a"\}\]/,
  /"size":(-1|101|"1"|1\.5|null)/,
  /"color":("pink"|1|null)/,
  /"size":51/,
  /"code":"(AB|abcdefghij)"/,
  /"when":"today"/,
  /"ratio":0[,}]/,
  /"on":"yes"/,
  /"either":true/,
  /"fixed"/,
  /"port":0/,
  /"deep":(null|\{"odd")/,
  /"a b"|"n":1|"data":"text"|"k":null/,
  /"binaryData"|"\?"/,
  /"type":"(x\/y|kubernetes.io\/tls)"/,
  /"immutable"/,
  /strategic-merge-patch.*|wrong type/,
  /"op":/,
  /apply-patch(?!.*fieldManager)/,
  /(labelSelector|fieldSelector)=/,
  /limit=(-1|x)/,
  /resourceVersion=/,
  /resourceVersionMatch=/,
  /continue=/,
  /sendInitialEvents=/,
  /timeoutSeconds=x/,
  /"propagationPolicy":"Odd"/,
  /"gracePeriodSeconds":-1/,
  /"preconditions"/,
  /"accept"/,
  /"(tags|ports)":/,
]

/** What is not there is one more. */
function mistakesOf(asked: Request, ...answers: readonly Comparable[]): number {
  const said = text({ ...asked, path: `${asked.type} ${decodeURIComponent(asked.path)}` })
  const missing = answers.some(({ status }) => status === 404 || status === 409) ? 1 : 0
  return mistakes.filter((mistake) => mistake.test(said)).length + missing
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    what: "an error of the server where the request is at fault",
    why: "Kubernetes answers 500 to what cannot be merged or converted; we say 4xx and the field",
    excuses: ({ path }, theirs, ours) =>
      theirs.status === 500 && (isRefusal(ours) || /fieldValidation=(Ignore|Warn)/.test(path)),
  },
  {
    what: "a body that claims to be protobuf",
    why: "Kubernetes 1.37 hangs up on it for custom resources; we answer 400",
    excuses: (_, theirs, ours) => theirs.status === 0 && isRefusal(ours),
  },
  {
    what: "which of several mistakes is named",
    why: "the order of checks is no promise; both refuse",
    excuses: (asked, theirs, ours) =>
      isRefusal(theirs) && isRefusal(ours) && mistakesOf(asked, theirs, ours) > 1,
  },
  {
    what: "how often a mistake is named",
    why: "some values are checked in two places, and lists to the end or to the first mistake",
    excuses: (_, theirs, ours) => {
      const [their, our] = [failure(theirs)?.causes ?? [], failure(ours)?.causes ?? []]
      const within = (some: readonly string[], all: readonly string[]) =>
        some.length > 0 && some.every((cause) => all.includes(cause))
      const isInvalid = theirs.status === 422 && ours.status === 422
      return isInvalid && (within(our, their) || within(their, our))
    },
  },
  {
    what: "names in the details of an error",
    why: "one of the two names the object or the field where the other leaves it out",
    excuses: (_, theirs, ours) => {
      const [their, our] = [failure(theirs), failure(ours)]
      if (their === undefined || our === undefined || theirs.status !== ours.status) return false
      const agrees = (one: keyof Failure) =>
        their[one] === null || our[one] === null || their[one] === our[one]
      const isSilent = their.causes.length === 0 || isDeepStrictEqual(their.causes, our.causes)
      return their.reason === our.reason && isSilent && names.every(agrees)
    },
  },
  {
    what: "which field a patch made wrong",
    why: "Kubernetes names the whole patch; we name the field",
    excuses: (_, theirs, ours) =>
      failure(theirs)?.causes.join() === "patch FieldValueInvalid" && isRefusal(ours),
  },
  {
    what: "a negative limit, a negative grace period",
    why: "refused with 400; Kubernetes takes them for none",
    excuses: ({ path, body }, _, ours) =>
      (path.includes("limit=-1") || text(body).includes('"gracePeriodSeconds":-1')) &&
      ours.status === 400,
  },
  {
    what: "a generateName that changes",
    why: "it says how the object was named, so it stays as it was created",
    excuses: (_, theirs, ours) =>
      text(theirs.body).includes('"generateName"') !== text(ours.body).includes('"generateName"') &&
      isDeepStrictEqual(without(theirs, ...leaving), without(ours, ...leaving)),
  },
  {
    what: "pages of ConfigMaps",
    why: "every namespace holds kube-root-ca.crt, which a controller beside kube-apiserver makes",
    excuses: ({ path }, theirs, ours) =>
      /configmaps\?.*limit=/.test(path) &&
      isDeepStrictEqual(without(theirs, ...pages), without(ours, ...pages)),
  },
  {
    what: "the revision of an object that lost its last finalizer",
    why: "that of its deletion; Kubernetes repeats the last one stored",
    excuses: (_, theirs, ours) =>
      text(ours.body).includes('"deletionTimestamp"') &&
      isDeepStrictEqual(without(theirs, ...leaving), without(ours, ...leaving)),
  },
  {
    what: "the revision of a dry run",
    why: "what was not stored has none; Kubernetes repeats the stored one",
    excuses: ({ path }, theirs, ours) =>
      path.includes("dryRun=All") &&
      isDeepStrictEqual(without(theirs, ...leaving), without(ours, ...leaving)),
  },
  {
    what: "a list that asks for the revision of another kind",
    why: "there is one order of revisions; a cache of Kubernetes may not have come that far",
    excuses: ({ path }, theirs, ours) =>
      path.includes("resourceVersion=") && theirs.status === 504 && ours.status === 200,
  },
  {
    what: "the text of an unknown path",
    why: "Kubernetes answers text/plain; a Status says the same and clients read both",
    excuses: (_, theirs, ours) => theirs.type === "text/plain" && theirs.status === ours.status,
  },
  {
    what: "answers in YAML",
    why: "bodies may be YAML, answers are JSON, Tables, metadata and protobuf",
    excuses: ({ accept }) => accept === "application/yaml",
  },
  {
    what: "metadata of a list under the name of a single object, or the other way round",
    why: "406 in Kubernetes; we answer what is there",
    excuses: ({ accept = "" }, theirs) =>
      accept.includes("=PartialObjectMetadata") && [406, 500].includes(theirs.status),
  },
  {
    what: "an owner without a uid, or a key that is no name",
    why: "they are refused while the object is read, with 400 instead of 422",
    excuses: ({ body }, theirs, ours) =>
      /"ConfigMap","name":"a"\}\]|"a\/b\/c"/.test(text(body)) &&
      theirs.status === 422 &&
      isRefusal(ours),
  },
  {
    what: "an object that does not say its kind, or another one",
    why: "it is 400 for every kind; Kubernetes fills it in for some and answers 422 for others",
    excuses: ({ body }, _, ours) => /"kind":"(Wrong)?"/.test(text(body)) && ours.status === 400,
  },
  {
    what: "a body that is no object at all",
    why: "it is read before anything else is judged",
    excuses: ({ body }, theirs, ours) =>
      typeof body === "string" && isRefusal(theirs) && ours.status === 400,
  },
  {
    what: "a number or text where a built-in kind wants something else",
    why: "422 naming the field, as for every other kind, instead of 400",
    excuses: ({ body }, theirs, ours) =>
      /"n":1|"data":"text"|"app":1/.test(text(body)) &&
      theirs.status === 400 &&
      ours.status === 422,
  },
  {
    what: "null as a value of data",
    why: "null means that there is nothing; Kubernetes makes it an empty text",
    excuses: ({ body, path }) => text(body).includes('"k":null') && path.includes("configmaps"),
  },
  {
    what: "a delete that orphans or waits for dependents",
    why: "without dependents it is done at once; Kubernetes leaves it to a controller",
    excuses: ({ method, body }, theirs, ours) =>
      method === "DELETE" &&
      /"(Orphan|Foreground)"/.test(text(body)) &&
      theirs.status === 200 &&
      ours.status === 200,
  },
  {
    what: "what a delete of many answers",
    why: "what each became, with its deletionTimestamp; Kubernetes repeats what was listed",
    excuses: ({ method, path }, theirs, ours) =>
      method === "DELETE" &&
      /(configmaps|secrets|things)(\?|$)/.test(path) &&
      isDeepStrictEqual(without(theirs, ...deletion), without(ours, ...deletion)),
  },
  {
    what: "who owns the label that every namespace has",
    why: "the server sets it, so nobody owns it",
    excuses: ({ path }, theirs, ours) =>
      path.startsWith("/api/v1/namespaces") &&
      !/configmaps|secrets|things/.test(path) &&
      theirs.status === ours.status &&
      isDeepStrictEqual(without(theirs, "managedFields"), without(ours, "managedFields")),
  },
  {
    what: "who owns what came as stringData",
    why: "it is owned as data, which is what is stored, so that two managers can be in conflict",
    excuses: ({ body, type = "" }, theirs, ours) =>
      type.includes("apply") &&
      text(body).includes('"stringData"') &&
      (ours.status === 409 ||
        isDeepStrictEqual(without(theirs, ...owned), without(ours, ...owned))),
  },
]

/** Also without what is not compared anyway. */
function without({ status, body }: Comparable, ...members: readonly string[]): object {
  const unlike = [...members, "generation", "kind", "apiVersion"]
  const kept = (key: string, value: unknown) => (unlike.includes(key) ? undefined : value)
  return { status, body: JSON.parse(JSON.stringify(body, kept)) }
}

/** Members that are taken out of answers about built-in kinds before they are compared. */
export const uncompared: readonly {
  readonly what: string
  readonly why: string
  readonly member: RegExp
}[] = [
  {
    what: "generation of kinds without a spec",
    why: "counted for every kind, so that one rule holds",
    member: /"generation":\d+,?/g,
  },
  {
    what: "kind and apiVersion of the items of a list",
    why: "every item says what it is; Kubernetes leaves it out of lists of built-in kinds",
    member: /"(kind|apiVersion)":"(ConfigMap|Secret|Namespace|v1)",?/g,
  },
]
