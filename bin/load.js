// Runs on a Node that is new enough: keeps runtime notices away from users, ends when the launcher
// that started us is gone, and loads the program.
"use strict"

const fs = require("node:fs")
const net = require("node:net")
const path = require("node:path")

process.noDeprecation = true
const emitWarning = process.emitWarning
process.emitWarning = (warning, ...rest) => {
  const given = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0]
  const type = warning instanceof Error ? warning.name : given
  if (type !== "ExperimentalWarning") emitWarning.call(process, warning, ...rest)
}

if (process.env.SETPOINT_LAUNCHER === String(process.ppid)) {
  const channel = new net.Socket({ fd: 3 })
  channel.on("error", () => {})
  channel.on("close", () => process.kill(process.pid, "SIGKILL"))
  channel.resume()
  channel.unref()
}
delete process.env.SETPOINT_LAUNCHER

/** The joined program, unless something was built after it was; the modules are as good. */
function program(dist) {
  const joined = madeAt(path.join(dist, "bundle", "main.js"))
  const built = madeAt(path.join(dist, ".tsbuildinfo")) // None in a package: it is one build.
  return joined > 0 && joined >= built ? "../dist/bundle/main.js" : "../dist/cli/main.js"
}

function madeAt(file) {
  const facts = fs.statSync(file, { throwIfNoEntry: false })
  return facts === undefined ? 0 : facts.mtimeMs
}

import(program(path.join(__dirname, "..", "dist"))).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
