// What generated requests are made of: media types, kinds, paths, and how often something is said.

import fc from "fast-check"

export interface Request {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly accept?: string
  readonly body?: unknown
}

export const json = "application/json"
export const merge = "application/merge-patch+json"
export const patch = "application/json-patch+json"
export const strategic = "application/strategic-merge-patch+json"
export const apply = "application/apply-patch+yaml"

export const resources = ["configmaps", "secrets", "things"] as const
export type Resource = (typeof resources)[number]
export const names = ["a", "b"] as const

export const kinds = {
  configmaps: { apiVersion: "v1", kind: "ConfigMap", root: "/api/v1" },
  secrets: { apiVersion: "v1", kind: "Secret", root: "/api/v1" },
  things: { apiVersion: "compare.dev/v1", kind: "Thing", root: "/apis/compare.dev/v1" },
}

export const collection = (resource: Resource, namespace = "{ns}") =>
  `${kinds[resource].root}/namespaces/${namespace}/${resource}`

export const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 })
export const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
export const mostly = <T>(common: fc.Arbitrary<T>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare })
