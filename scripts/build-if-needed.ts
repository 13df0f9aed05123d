// What `npm start` does first: a build, unless everything that goes into one is older than what
// was built. A build that changes nothing takes seconds of somebody's first two minutes.

import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const inputs = ["src", "dashboard/src", "dashboard/package.json", "scripts", "package-lock.json"]
const settings = ["package.json", "tsconfig.json", "tsconfig.build.json", "dashboard/tsconfig.json"]
/** Written anew by every build that ends well. */
const outputs = ["dist/bundle/main.js", "dist/dashboard/index.html"]

/** When any file there was last changed. A removed one changes its folder. */
function newest(path: string): number {
  if (!existsSync(path)) return 0
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  const below = readdirSync(path).map((name) => newest(join(path, name)))
  return Math.max(found.mtimeMs, ...below)
}

/** When the part was built that was built first; 0 when one is missing. */
function builtAt(): number {
  const files = outputs.map((path) => join(root, path))
  return Math.min(...files.map((path) => (existsSync(path) ? statSync(path).mtimeMs : 0)))
}

const changedAt = Math.max(...[...inputs, ...settings].map((path) => newest(join(root, path))))
if (changedAt >= builtAt()) {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}
