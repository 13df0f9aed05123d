// docs/reference/kinds.md: every kind that comes with Setpoint, made from its definition, with an
// example that the tests read and validate.

import { existsSync, readFileSync } from "node:fs"
import { kindPage } from "../src/provider/kind-page.ts"
import { documentedKinds } from "./documented-kinds.ts"

const opening = `# Kinds

Generated from the kinds' definitions by \`npm run reference\`; do not edit. Kinds of your own:
[writing a provider](../guides/writing-a-provider.md). The Loop object has [a page of its
own](loop.md).
`

export async function kindsPage(): Promise<string> {
  const pages = documentedKinds.map((kind) => {
    const page = lower(kindPage(kind))
    const file = new URL(`./kind-examples/${kind.kind}.yaml`, import.meta.url)
    if (!existsSync(file)) return page
    const [fields] = page.split("### Example\n")
    return `${fields}### Example\n\n\`\`\`yaml\n${readFileSync(file, "utf8")}\`\`\`\n`
  })
  return [opening, ...pages].join("\n")
}

/** Headings one level down, outside of code. */
function lower(page: string): string {
  let code = false
  const lines = page.split("\n").map((line) => {
    if (line.startsWith("```")) code = !code
    return !code && line.startsWith("#") ? `#${line}` : line
  })
  return lines.join("\n")
}
