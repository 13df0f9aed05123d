// docs/reference/kinds.md: every kind that comes with Setpoint, made from its definition, with an
// example that the tests read and validate.

import { kindPage } from "../src/provider/kind-page.ts"
import { fileKinds } from "../src/providers/file/file-kinds.ts"

const opening = `# Kinds

Generated from the kinds' definitions by \`npm run reference\`; do not edit. Kinds of your own:
[writing a provider](../guides/writing-a-provider.md). The Loop object has [a page of its
own](loop.md).
`

const examples: Readonly<Record<string, string>> = {
  File: `apiVersion: host.setpoint.dev/v1
kind: File
metadata:
  name: motd
spec:
  path: /srv/setpoint-example/motd
  content: |
    Declared once, kept true.
  mode: "0644"
`,
  Directory: `apiVersion: host.setpoint.dev/v1
kind: Directory
metadata:
  name: conf
spec:
  path: /srv/setpoint-example/conf.d
  mode: "0750"
`,
}

export async function kindsPage(): Promise<string> {
  const kinds = fileKinds({ roots: ["/"], forbidden: [] })
  const pages = kinds.map((kind) => {
    const [fields] = lower(kindPage(kind)).split("### Example\n")
    const example = examples[kind.kind]
    if (example === undefined)
      throw new Error(`scripts/kinds-page.ts has no example of ${kind.kind}`)
    return `${fields}### Example\n\n\`\`\`yaml\n${example}\`\`\`\n`
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
