// What `setpoint new provider NAME` writes: a kind that works against an HTTP API with ETags, a
// test that holds it to the contract, and a page that says what to change. Pure: it returns files
// and writes none.

import { providerFault } from "./faults.ts"
import { providerBrief } from "./template-brief.ts"

export interface TemplateFile {
  /** Relative to the new folder. */
  readonly path: string
  readonly content: string
}

/** Refuses names that are no file name, package name and kind name at once. */
export function providerTemplate(name: string): readonly TemplateFile[] {
  if (name.length > 40) {
    throw providerFault("SPT-PROV-006", {
      name: `${name.slice(0, 40)}...`,
      cause: "it is too long",
    })
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw providerFault("SPT-PROV-006", { name: JSON.stringify(name), cause: "it has other signs" })
  }
  const kind = name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase())
  return [
    { path: `${name}.ts`, content: kindModule(name, kind) },
    { path: `${name}.test.ts`, content: testModule(name, kind) },
    { path: "README.md", content: readme(name, kind) },
    { path: "BRIEF.md", content: providerBrief(name, kind) },
    { path: "package.json", content: manifest(name) },
    { path: "tsconfig.json", content: compilerOptions() },
  ]
}

const variable = (kind: string) => `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}`

function kindModule(name: string, kind: string): string {
  return `// Keeps the items of an HTTP API true: one item per ${kind}, changed only when
// its ETag is still the one that was read.

import { absent, defineKind, type KindAct, present, unknown } from "setpoint/provider"
import { z } from "zod"

const spec = z.strictObject({
  api: z.url().describe("Address of the API."),
  name: z.string().min(1).max(60).describe("Name of the item there."),
  text: z.string().describe("What it says."),
})

type Spec = z.output<typeof spec>
const urlOf = ({ api, name }: Spec) => \`\${api}/items/\${encodeURIComponent(name)}\`

const send =
  (method: string): KindAct<typeof spec> =>
  async ({ desired }, { world, signal, token }) => {
    const { api: _, name: __, ...item } = desired
    // The check happens at the effect: nobody else's change is ever overwritten.
    const headers: Record<string, string> = token ? { "if-match": token } : { "if-none-match": "*" }
    const request = { method, url: urlOf(desired), headers, body: JSON.stringify(item) }
    const { status } = await world.http.request(request, signal)
    if (status < 300) return { kind: "done" }
    if (status >= 500) throw new Error(\`\${method} answered \${status}\`) // It may have happened.
    return { kind: "failed", cause: \`\${method} answered \${status}\`, stuck: status === 422 }
  }

export const ${variable(kind)} = defineKind({
  group: "${name}.example.com",
  version: "v1alpha1",
  kind: "${kind}",
  spec,
  identity: ({ name }) => name,
  connection: ({ api }) => api,
  replaceOn: ["api", "name"],
  async observe({ desired }, { world, signal }) {
    const request = { method: "GET", url: urlOf(desired) }
    const { status, headers, body } = await world.http.request(request, signal)
    if (status === 404) return absent("the API answered 404")
    // An error is not an empty answer.
    if (status !== 200) return unknown(\`the API answered \${status}\`, status === 401)
    const { id: _, ...item } = JSON.parse(body)
    return present({ api: desired.api, name: desired.name, ...item }, headers.etag ?? "")
  },
  create: send("PUT"),
  update: send("PUT"),
  delete: send("DELETE"),
})

export const kinds = [${variable(kind)}]
`
}

function testModule(name: string, kind: string): string {
  return `// Holds ${kind} to the provider contract, against a real HTTP server with faults.

import { describe, it } from "node:test"
import { describeConformance, restSubject } from "setpoint/testing"
import { ${variable(kind)} } from "./${name}.ts"

const subject = restSubject({
  kind: ${variable(kind)},
  samples: (api) => ({
    first: { api, name: "a", text: "one" },
    second: { api, name: "a", text: "two" },
    others: ["b", "c", "d"].map((name) => ({ api, name, text: \`this is \${name}\` })),
  }),
})

describeConformance(subject, { describe, it })
`
}

function readme(name: string, kind: string): string {
  return `# ${kind}

A Setpoint provider. \`${name}.ts\` defines the kind, \`${name}.test.ts\` examines it.

1. Change \`spec\` to the fields that people declare. Mark secrets with \`secret()\`, fields that
   other objects can fill with \`ref()\`, lists with \`listMap()\` or \`listSet()\`.
2. Make \`observe\` read one target and change nothing. Answer \`present\`, \`absent\` only with a
   proof, and \`unknown\` for everything doubtful.
3. Make \`create\`, \`update\` and \`delete\` do one thing each, checked by the token at the effect.
   Answer \`failed\` only when nothing changed; throw when you can't know.
4. Point the test at your own system: \`restSubject\` is for APIs like the one in the template.

\`BRIEF.md\` says all of this to somebody who is to write it for you, a colleague or an assistant;
the test is what you accept their work by.

    npm install
    npm test                                            # node --test; Node 22.18 or newer
    npm run types                                       # tsc
    setpoint up ./manifests --provider ./${name}.ts

A manifest:

    apiVersion: ${name}.example.com/v1alpha1
    kind: ${kind}
    metadata: { name: first }
    spec: { api: "http://127.0.0.1:8080", name: first, text: hello }
`
}

function compilerOptions(): string {
  const content = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, target: "esnext", module: "nodenext" },
      ...{ types: ["node"], skipLibCheck: true },
      ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true },
    },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

function manifest(name: string): string {
  const content = {
    name: `setpoint-provider-${name}`,
    private: true,
    type: "module",
    scripts: { test: "node --test", types: "tsc" },
    dependencies: { setpoint: "*", zod: "^4.0.0" },
    devDependencies: { "@types/node": "*", typescript: ">=5.8" },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
