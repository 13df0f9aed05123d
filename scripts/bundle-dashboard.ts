// A step of a build: the dashboard as static files in dist/dashboard. One script, one style sheet,
// named by their content, so that a browser never mixes two versions. No other host is named in
// them, and nothing is inline: the plane forbids both.

import { createHash } from "node:crypto"
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("..", import.meta.url))
const from = join(root, "dashboard", "src")
const to = join(root, "dist", "dashboard")

/** Base first: what is more special comes later and wins. */
const sheets = ["app/base.css", "app/shell.css", "ui/*.css", "pages/**/*.css", "charts/**/*.css"]

function styleSheet(): string {
  const files = sheets.flatMap((pattern) => globSync(pattern, { cwd: from }).sort())
  return files
    .map((file) => readFileSync(join(from, file), "utf8"))
    .join("\n")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\s*([{};,])\s*/g, "$1")
}

/** The script that the page names comes first; the others are fetched by it. */
async function scripts(): Promise<readonly { readonly name: string; readonly code: string }[]> {
  const bundle = await rolldown({
    input: { app: join(from, "main.tsx") },
    platform: "browser",
    preserveEntrySignatures: false,
    cwd: join(root, "dashboard"),
    tsconfig: join(root, "dashboard", "tsconfig.json"),
  })
  const names = "[name]-[hash].js"
  const { output } = await bundle.generate({
    ...{ format: "esm", minify: true },
    ...{ entryFileNames: names, chunkFileNames: names },
    // Few files: what the first page needs, the other pages, and the charts.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "charts", test: /dashboard\/src\/charts\// },
        { name: "pages", test: /dashboard\/src\/pages\/(?!overview|stop|sign-in)/ },
        { name: "shared", test: /./ },
      ],
    },
  })
  await bundle.close()
  return output.flatMap((one) =>
    one.type === "chunk" ? [{ name: one.fileName, code: one.code }] : [],
  )
}

const css = styleSheet()
const cssName = `app-${createHash("sha256").update(css).digest("hex").slice(0, 8)}.css`
const [app, ...others] = await scripts()
if (app === undefined) throw new Error("the bundler made nothing")
const html = readFileSync(join(from, "index.html"), "utf8")
  .replace("assets/app.css", `assets/${cssName}`)
  .replace("assets/app.js", `assets/${app.name}`)

mkdirSync(to, { recursive: true })
writeFileSync(join(to, cssName), css)
for (const { name, code } of [app, ...others]) writeFileSync(join(to, name), code)
writeFileSync(join(to, "icon.svg"), readFileSync(join(from, "icon.svg")))
writeFileSync(join(to, "index.html"), html)
// At the end, so that there is a whole dashboard at every moment.
const kept = new Set([
  cssName,
  ...[app, ...others].map(({ name }) => name),
  "icon.svg",
  "index.html",
])
for (const old of readdirSync(to).filter((name) => !kept.has(name))) rmSync(join(to, old))

const size = (...texts: readonly string[]): string => {
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).byteLength, 0)
  return `${(bytes / 1000).toFixed(1)} kB`
}
const first = [html, css, app.code]
const every = others.map(({ code }) => code)
console.log(`dashboard, gzip: ${size(...first)} at first, ${size(...first, ...every)} in all`)
