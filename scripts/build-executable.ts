// `npm run build:exe`: one file that needs no Node and no packages, dist/setpoint-linux-ARCH or as
// the argument says. The program with all its packages is joined into one script; workers, the shim
// and the dashboard go in beside it. The Node that runs this becomes the executable:
// docs/decisions/0031-packaging.md

import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { joinModule, joinScript } from "./executable/join-script.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const target = resolve(process.argv[2] ?? join(dist, `setpoint-linux-${process.arch}`))
const work = `${target}.parts`
/** What a provider may import without having it: see own-modules.ts. */
const modules: Readonly<Record<string, string>> = {
  "setpoint/provider": join(dist, "provider/index.js"),
  "setpoint/client": join(dist, "client/index.js"),
  zod: join(root, "node_modules/zod/index.js"),
}
/** What Node looks for in itself. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"

/** Every file below a folder, as paths relative to it. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
}

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { timeout: 120_000 })
  if (status !== 0) throw new Error(`${program} ${args[0] ?? ""} failed\n${stdout}${stderr}`)
}

async function gatherAssets(): Promise<Record<string, string>> {
  const assets: Record<string, string> = { "process-shim.sh": join(root, "bin/process-shim.sh") }
  for (const path of filesBelow(dist).filter((name) => name.endsWith("-worker.js"))) {
    const name = `workers/${basename(path)}`
    assets[name] = join(work, basename(path))
    writeFileSync(assets[name], await joinScript(join(dist, path)))
  }
  for (const path of filesBelow(join(dist, "dashboard"))) {
    assets[`dashboard/${path}`] = join(dist, "dashboard", path)
  }
  for (const [name, path] of Object.entries(modules)) {
    const file = join(work, `${name.replaceAll("/", "-")}.js`)
    assets[`modules/${name}.js`] = file
    writeFileSync(file, await joinModule(path))
  }
  const program = await joinScript(join(dist, "cli/main.js"))
  // As a function, so that it is handed what a module would have.
  const text = `(function (require, module) {\nconst { exports } = module\n${program}\n})`
  writeFileSync(join(work, "program.js"), text)
  const script = new Script(text, { filename: "setpoint" })
  writeFileSync(join(work, "program.cache"), script.createCachedData())
  return {
    ...assets,
    "program.js": join(work, "program.js"),
    "program.cache": join(work, "program.cache"),
  }
}

async function build(): Promise<void> {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const entry = join(work, "entry.js")
  writeFileSync(entry, await joinScript(join(root, "scripts/executable/entry.ts")))
  const blob = join(work, "parts.blob")
  const config = join(work, "sea-config.json")
  const settings = {
    main: entry,
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    assets: await gatherAssets(),
  }
  writeFileSync(config, JSON.stringify(settings, null, 2))
  run(process.execPath, ["--experimental-sea-config", config])
  const made = join(work, "setpoint")
  copyFileSync(process.execPath, made)
  chmodSync(made, 0o755)
  const postject = join(root, "node_modules/postject/dist/cli.js")
  run(process.execPath, [postject, made, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse])
  renameSync(made, target)
  rmSync(work, { recursive: true, force: true })
  const megabytes = (statSync(target).size / 1024 / 1024).toFixed(0)
  console.log(`${relative(process.cwd(), target)}: ${megabytes} MB, Node ${process.version}`)
}

await build()
