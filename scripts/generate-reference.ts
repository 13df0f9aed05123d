// `npm run reference`: writes every page of docs/reference that is made from the code. Each
// generator gives its page as text; test/tidy compares that text with what is committed.

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { errorsPage, errorsPath } from "./errors-page.ts"

const pages: Readonly<Record<string, () => Promise<string>>> = {
  [errorsPath]: errorsPage,
}

const root = fileURLToPath(new URL("..", import.meta.url))
for (const [path, render] of Object.entries(pages)) {
  mkdirSync(dirname(root + path), { recursive: true })
  writeFileSync(root + path, await render())
  console.log(`wrote ${path}`)
}
