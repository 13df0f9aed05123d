// Yes or no in a query, in all the spellings that Kubernetes takes: Python's client says "True".

const yes: ReadonlySet<string> = new Set(["", "1", "t", "T", "true", "TRUE", "True"])

/** Undefined when it was not asked. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null ? undefined : yes.has(text)
}
