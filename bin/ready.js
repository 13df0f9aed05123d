// Says in one sentence what a checkout lacks before it can be built; npm's scripts run it first.
// Old syntax only: the Node that reads this may be any. It is not published.
"use strict"

var fs = require("fs")
var path = require("path")
var launch = require("./launch.js")

/** Nothing when all is there. */
function lacking(version, root, exists) {
  var has = function (name) {
    return exists(path.join(root, "node_modules", name))
  }
  if (!has("typescript") || !has("rolldown")) {
    return "setpoint: packages are missing; run `npm ci` first (by network or npm's cache)"
  }
  return launch.newEnough(version) ? undefined : launch.tooOld(version, true)
}

module.exports = { lacking: lacking }

if (require.main === module) {
  var say = lacking(process.version, path.dirname(__dirname), fs.existsSync)
  if (say) console.error(say)
  process.exitCode = say ? 1 : 0
}
