// Runs on a Node that is new enough: keeps runtime notices away from users, ends when the launcher
// that started us is gone, and loads the program.
"use strict"

const net = require("node:net")

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

import("../dist/cli/main.js").catch((error) => {
  console.error(error)
  process.exitCode = 1
})
