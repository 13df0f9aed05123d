// `npm run reference`: writes every page of docs/reference that is made from the code. Each
// generator gives its page as text; tests compare that text with what is committed.

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { referencePages } from "./reference-pages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
for (const [path, render] of Object.entries(referencePages)) {
  mkdirSync(dirname(root + path), { recursive: true })
  writeFileSync(root + path, await render())
  console.log(`wrote ${path}`)
}
