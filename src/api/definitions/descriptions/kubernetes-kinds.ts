// What the kinds of Kubernetes and their main fields mean, in our own short words.

import type { Descriptions } from "./describe.ts"

const event: Descriptions = {
  "": "Something that happened to an object, kept for a while.",
  involvedObject: "The object that it happened to.",
  regarding: "The object that it happened to.",
  related: "A second object that has to do with it.",
  reason: "What happened, in one word.",
  message: "What happened, in a sentence.",
  note: "What happened, in a sentence.",
  type: "Normal or Warning.",
  action: "What was done about it.",
  count: "How often it was seen.",
  firstTimestamp: "When it was seen first.",
  lastTimestamp: "When it was seen last.",
  eventTime: "When it was seen first.",
  series: "Set when it is seen again and again.",
  source: "Who saw it.",
  reportingComponent: "Who saw it.",
  reportingController: "Who saw it.",
  reportingInstance: "Which of its processes.",
}

const rules: Descriptions = {
  rules: "What is allowed; whatever no rule allows is not.",
  "rules[].verbs": "get, list, watch, create, update, patch, delete, deletecollection, or *.",
  "rules[].apiGroups": 'Groups of the resources; "" is the core group, * any.',
  "rules[].resources": "Plurals such as configmaps or loops/status, or *.",
  "rules[].resourceNames": "Only objects of these names; any when empty.",
  "rules[].nonResourceURLs": "Paths such as /healthz or /metrics/*; in cluster roles only.",
}

const binding: Descriptions = {
  subjects: "Who gets it.",
  "subjects[].kind": "User, Group or ServiceAccount.",
  "subjects[].name": "Their name.",
  "subjects[].namespace": "Of a service account.",
  "subjects[].apiGroup": "rbac.authorization.k8s.io for users and groups.",
  roleRef: "The role that they get; it never changes.",
  "roleRef.apiGroup": "rbac.authorization.k8s.io.",
  "roleRef.kind": "Role or ClusterRole.",
  "roleRef.name": "Its name.",
}

const definition: Descriptions = {
  "": "Defines a kind of your own: its names, its versions and their schemas.",
  spec: "What is defined.",
  "spec.group": "The group of the kind, a domain name.",
  "spec.names": "What the kind is called.",
  "spec.names.plural": "As in paths: lower case.",
  "spec.names.singular": "Lower case; the kind in lower case by default.",
  "spec.names.kind": "In CamelCase.",
  "spec.names.listKind": "The kind of its lists; KINDList by default.",
  "spec.names.shortNames": "Short forms for the command line.",
  "spec.names.categories": "Sets of kinds it belongs to, such as all.",
  "spec.scope": "Whether its objects lie in namespaces.",
  "spec.versions": "Its versions; exactly one is stored.",
  "spec.versions[].name": "As v1 or v1beta1.",
  "spec.versions[].served": "Whether clients can ask for it.",
  "spec.versions[].storage": "Whether objects are stored in it.",
  "spec.versions[].deprecated": "Clients get a warning.",
  "spec.versions[].deprecationWarning": "The text of that warning.",
  "spec.versions[].schema": "What objects look like.",
  "spec.versions[].schema.openAPIV3Schema": "The schema; it must be structural.",
  "spec.versions[].subresources": "Whether there is a status and a scale.",
  "spec.versions[].additionalPrinterColumns": "Columns of `kubectl get`.",
  "spec.versions[].selectableFields": "Fields that field selectors may name.",
  "spec.conversion": "How objects get from one version to another.",
  status: "Whether it is served.",
  "status.conditions": "NamesAccepted and Established are true when it is served.",
  "status.acceptedNames": "The names that it got.",
  "status.storedVersions": "Versions in which objects may be stored.",
}

const asked: Descriptions = { spec: "The question.", status: "The answer." }

export const kubernetesDescriptions: Readonly<Record<string, Descriptions>> = {
  Namespace: {
    "": "A room for names: objects of a namespaced kind lie in one, and go with it.",
    spec: "What is wanted of it.",
    "spec.finalizers": "Who still has to clean up before it may go.",
    status: "Whether it is in use or going.",
    "status.phase": "Active, or Terminating once it was deleted.",
    "status.conditions": "What keeps a deleted one from going.",
  },
  ConfigMap: {
    "": "Configuration as keys and values.",
    data: "Values as text.",
    binaryData: "Values as base64; its keys must not be in data.",
    immutable: "Set once, it and the values never change again.",
  },
  Secret: {
    "": "Values that only those who may read secrets get to see.",
    data: "Values as base64.",
    stringData: "Values as text, for writing only: they end up in data.",
    type: "What it is for; never changes.",
    immutable: "Set once, it and the values never change again.",
  },
  ServiceAccount: {
    "": "An identity for programs, in a namespace.",
    secrets: "Secrets that programs with this identity may use.",
    imagePullSecrets: "Secrets for pulling images.",
    automountServiceAccountToken: "Whether programs get its token by themselves.",
  },
  Event: event,
  Lease: {
    "": "Who leads, and until when: processes agree by it.",
    spec: "The holder and its times.",
    "spec.holderIdentity": "Who holds it.",
    "spec.leaseDurationSeconds": "So long after renewTime others may take it.",
    "spec.acquireTime": "When the holder took it.",
    "spec.renewTime": "When the holder last said that it is alive.",
    "spec.leaseTransitions": "How often it went to another holder.",
  },
  Role: { "": "What may be done in its namespace, for bindings to give away.", ...rules },
  ClusterRole: {
    "": "What may be done anywhere, for bindings to give away.",
    ...rules,
    aggregationRule: "Its rules are those of all cluster roles with these labels.",
  },
  RoleBinding: { "": "Gives a role to somebody, in its namespace.", ...binding },
  ClusterRoleBinding: { "": "Gives a cluster role to somebody, everywhere.", ...binding },
  CustomResourceDefinition: definition,
  SelfSubjectAccessReview: { "": "Asks: may I do this?", ...asked },
  SubjectAccessReview: { "": "Asks: may they do this?", ...asked },
  LocalSubjectAccessReview: { "": "Asks: may they do this, in this namespace?", ...asked },
  SelfSubjectRulesReview: { "": "Asks: what may I do in a namespace?", ...asked },
  SelfSubjectReview: { "": "Asks: who am I?", ...asked },
  TokenReview: { "": "Asks: whose token is this?", ...asked },
  TokenRequest: { "": "Asks for a token of a service account.", ...asked },
}
