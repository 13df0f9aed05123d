// Decides how to start: here, again with another Node that npm brought along, or not at all with
// one sentence that says what is needed. Old syntax only: the Node that reads this may be any.
"use strict"

var fs = require("fs")
var path = require("path")

var needed = [22, 16]
var quiet = "--disable-warning=ExperimentalWarning"
var forwarded = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2"]

function newEnough(version) {
  var parts = version.replace(/^v/, "").split(".").map(Number)
  return parts[0] > needed[0] || (parts[0] === needed[0] && parts[1] >= needed[1])
}

/** What to do, as a plain value, so that it can be tested for any Node. */
function decide(facts) {
  if (newEnough(facts.version)) {
    if (!facts.built) {
      var steps = facts.packages ? "npm run build" : "npm ci && npm run build"
      return { say: "setpoint: not built yet; run `" + steps + "` in " + facts.root + " first" }
    }
    // Up to 23 the built-in SQLite warns that it is new, also from its thread: start over quietly.
    var warns = Number(facts.version.replace(/^v/, "").split(".")[0]) < 24
    if (warns && facts.canReplace && facts.execArgv.indexOf(quiet) < 0) {
      return { replace: facts.execPath, flags: [quiet].concat(facts.execArgv) }
    }
    return { load: true }
  }
  if (facts.brought !== undefined) return { spawn: facts.brought, flags: [quiet] }
  return { say: tooOld(facts.version, facts.checkout) }
}

function tooOld(version, checkout) {
  var what = "Node " + needed.join(".") + " or newer (this is " + version + ")"
  var other = checkout
    ? "or let `npm ci` bring one, with optional packages"
    : "or use the single executable, which brings its own"
  return "setpoint: needs " + what + "; please install it, " + other
}

/** A Node that npm put beside us, or into any folder above where packages are hoisted to. */
function findBrought(start, arch, exists) {
  var name = "node-linux-" + arch
  for (var folder = start; ; folder = path.dirname(folder)) {
    var candidate = path.join(folder, "node_modules", name, "bin", "node")
    if (exists(candidate)) return candidate
    if (path.dirname(folder) === folder) return undefined
  }
}

function launch() {
  var root = path.dirname(__dirname)
  var self = path.join(__dirname, "setpoint")
  var args = process.argv.slice(2)
  var todo = decide({
    version: process.version,
    execArgv: process.execArgv,
    execPath: process.execPath,
    canReplace: typeof process.execve === "function",
    built: fs.existsSync(path.join(root, "dist", "cli", "main.js")),
    brought: findBrought(root, process.arch, fs.existsSync),
    packages: fs.existsSync(path.join(root, "node_modules")),
    checkout: fs.existsSync(path.join(root, "src")),
    root: root,
  })
  if (todo.load) return require("./load.js")
  if (todo.replace) {
    var argv = [todo.replace].concat(todo.flags, [self], args)
    return process.execve(todo.replace, argv, process.env)
  }
  if (todo.spawn) return runWith(todo.spawn, todo.flags.concat([self], args))
  console.error(todo.say)
  process.exitCode = 1
}

/** Another process with our terminal: signals go to it, its end is ours. */
function runWith(node, args) {
  var env = {}
  for (var name in process.env) env[name] = process.env[name]
  env.SETPOINT_LAUNCHER = String(process.pid)
  // The fourth channel tells the child when we are gone, even by kill -9.
  var options = { stdio: ["inherit", "inherit", "inherit", "pipe"], env: env }
  var child = require("child_process").spawn(node, args, options)
  forwarded.forEach(function (signal) {
    process.on(signal, function () {
      // A key on the terminal reaches the whole group: passing it on would press it twice.
      var fromKey = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT")
      if (!fromKey) child.kill(signal)
    })
  })
  child.on("error", function (error) {
    console.error("setpoint: cannot start " + node + ": " + error.message)
    process.exitCode = 1
  })
  child.on("exit", function (code, signal) {
    if (signal === null) process.exit(code)
    forwarded.forEach(function (name) {
      process.removeAllListeners(name)
    })
    process.kill(process.pid, signal)
  })
}

module.exports = {
  decide: decide,
  findBrought: findBrought,
  launch: launch,
  newEnough: newEnough,
  tooOld: tooOld,
}
