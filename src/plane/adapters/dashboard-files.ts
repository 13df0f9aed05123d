// The dashboard's files as the build left them in dist/dashboard, read once at the start. Running
// from the sources without a build there are none; then the page says how to make them.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { DashboardOptions, Page } from "../../api/http/dashboard.ts"
import { partNames, partText } from "../../base/parts.ts"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Setpoint</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> in the repository and start the plane again.</p>
</body>
</html>
`

/** Beside this file's own folder, built or not: src/plane/adapters and dist/plane/adapters. */
export function dashboardFolder(): string {
  return fileURLToPath(new URL("../../../dist/dashboard", import.meta.url))
}

export function dashboardFiles(
  folder = dashboardFolder(),
): Pick<DashboardOptions, "index" | "assets"> {
  const assets = new Map<string, Page>()
  const html = types[".html"] ?? ""
  const names = namesIn(folder)
  if (!names.includes("index.html")) {
    return { index: { contentType: html, text: notBuilt }, assets }
  }
  for (const name of names) {
    const contentType = types[extname(name)]
    if (contentType === undefined || name === "index.html") continue
    assets.set(`/dashboard/assets/${name}`, { contentType, text: textOf(folder, name) })
  }
  return { index: { contentType: html, text: textOf(folder, "index.html") }, assets }
}

/** Names of the built files: below the folder, or inside of the single executable. */
function namesIn(folder: string): readonly string[] {
  const inside = partNames("dashboard/").map((name) => name.slice("dashboard/".length))
  return inside.length > 0 || !existsSync(folder) ? inside : readdirSync(folder)
}

function textOf(folder: string, name: string): string {
  return partText(`dashboard/${name}`) ?? readFileSync(join(folder, name), "utf8")
}
