// Label selectors in their written form (matchLabels, matchExpressions). One that can't be
// understood selects nothing.

import { isArray, isObject, type Json } from "../../base/json.ts"

interface Expression {
  readonly key: string
  readonly operator: string
  readonly values: readonly Json[]
}

export interface LabelSelector {
  readonly labels: readonly (readonly [string, Json | undefined])[]
  readonly expressions: readonly Expression[]
}

export function readSelector(value: Json): LabelSelector {
  const given = isObject(value) ? value : {}
  const labels = isObject(given.matchLabels) ? Object.entries(given.matchLabels) : []
  const expressions = (isArray(given.matchExpressions) ? given.matchExpressions : []).map((one) => {
    const { key, operator, values } = isObject(one) ? one : {}
    return {
      key: typeof key === "string" ? key : "",
      operator: typeof operator === "string" ? operator : "",
      values: isArray(values) ? values : [],
    }
  })
  return { labels, expressions }
}

/** An empty selector selects nothing here: a role must not take over all others by a slip. */
export function selects(
  { labels, expressions }: LabelSelector,
  of: Readonly<Record<string, string>>,
): boolean {
  if (labels.length + expressions.length === 0) return false
  const value = (key: string) => (Object.hasOwn(of, key) ? of[key] : undefined)
  return (
    labels.every(([key, wanted]) => value(key) === wanted) &&
    expressions.every((one) => holds(one, value(one.key)))
  )
}

function holds({ operator, values }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value)
    case "NotIn":
      return value === undefined || !values.includes(value)
    case "Exists":
      return value !== undefined
    case "DoesNotExist":
      return value === undefined
    default:
      return false
  }
}
