// The text of a message as its author wrote it, with facts filled in. A template only names facts:
// there is nothing in it that runs, and no fact can break out of the quotes it stands in. Pure.

const factNames = ["plane", "state", "type", "loop", "subject", "message", "since", "next"] as const

export type MessageFacts = Readonly<Record<(typeof factNames)[number], string>>

const isJson = (contentType: string): boolean => /^application\/([^;]*\+)?json/.test(contentType)

const placeholder = /\$\{([^}]{0,100})\}/g

/** Inside of JSON a value stands between quotes: it can't end them. */
export function fillTemplate(template: string, said: MessageFacts, contentType: string): string {
  const json = isJson(contentType)
  return template.replaceAll(placeholder, (whole, name: string) => {
    const fact = factNames.find((one) => one === name)
    if (fact === undefined) return whole
    return json ? JSON.stringify(said[fact]).slice(1, -1) : said[fact]
  })
}

/** Why a template can't be used. */
export function templateIssue(template: string, contentType: string): string | undefined {
  for (const [, name = ""] of template.matchAll(placeholder)) {
    if (factNames.some((one) => one === name)) continue
    const known = factNames.map((one) => `\${${one}}`).join(", ")
    return `"\${${name}}" is not known; there are ${known}`
  }
  if (!isJson(contentType)) return undefined
  const empty = Object.fromEntries(factNames.map((name) => [name, ""])) as MessageFacts
  try {
    JSON.parse(fillTemplate(template, empty, contentType))
    return undefined
  } catch {
    return "it is no JSON when it is filled in; placeholders stand between quotes"
  }
}
