// The loop of every tutorial: fourteen lines that list what is wanted, list what is there, and make
// one like the other. The demo runs it on the same manifests, with its own folder naive/.

export const naiveScript = `// Makes naive/ look like site/ says, for ever.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
const list = (folder) => { try { return readdirSync(folder) } catch { return [] } }
const read = (file) => { try { return readFileSync(file, "utf8") } catch { return "" } }
const wanted = (name) => JSON.parse(/content: (.*)/.exec(read(\`site/\${name}\`))?.[1] ?? '""')

function reconcile() {
  const desired = new Map(list("site").map((name) => [name.replace("yaml", "html"), wanted(name)]))
  for (const [name, content] of desired)
    if (read(\`naive/\${name}\`) !== content) writeFileSync(\`naive/\${name}\`, content)
  for (const name of list("naive"))
    if (!desired.has(name)) rmSync(\`naive/\${name}\`)
}
setInterval(reconcile, 500)
`
