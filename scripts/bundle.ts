// The last step of a build: the program in a few files instead of a thousand, since opening modules
// is most of what a start costs. It stands in dist/bundle beside the modules it was made from;
// everything that is found by its place (workers, scripts) is found where it was.

import { existsSync, renameSync, rmSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { pruneDist } from "./prune-dist.ts"

const dist = fileURLToPath(new URL("../dist", import.meta.url))
const folder = `${dist}/bundle`
const [fresh, old] = [`${folder}.new`, `${folder}.old`]

pruneDist(fileURLToPath(new URL("../src", import.meta.url)), dist)
rmSync(fresh, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: `${dist}/cli/main.js` },
  platform: "node",
  // Packages stay packages: only our own modules are joined.
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  plugins: [
    {
      name: "places",
      transform(code, id) {
        if (!code.includes("import.meta.url")) return null
        const place = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`
        return code.replaceAll("import.meta.url", place)
      },
    },
  ],
})
await bundle.write({ dir: fresh, format: "esm" })
await bundle.close()
// Whoever starts the program meanwhile finds a whole one, but for a moment that modules fill.
rmSync(old, { recursive: true, force: true })
if (existsSync(folder)) renameSync(folder, old)
renameSync(fresh, folder)
rmSync(old, { recursive: true, force: true })
