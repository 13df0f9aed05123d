// What the single executable runs first: the program that lies inside of it, compiled already. It
// is also the Node of what the program starts: `-e TEXT` as Node has it, and `--script FILE`.

import { createRequire } from "node:module"
import { resolve } from "node:path"
import { getAsset, getRawAsset } from "node:sea"
import { pathToFileURL } from "node:url"
import { constants, Script } from "node:vm"

const quiet = process.emitWarning
process.noDeprecation = true
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  const [given] = rest
  const type = typeof given === "object" && given !== null ? Reflect.get(given, "type") : given
  const name = warning instanceof Error ? warning.name : type
  if (name !== "ExperimentalWarning") Reflect.apply(quiet, process, [warning, ...rest])
}

const fromFiles = createRequire(process.execPath)

function runText(text: string, args: readonly string[]): void {
  process.argv = [process.execPath, ...(args[0] === "--" ? args.slice(1) : args)]
  run(new Script(`(function (require) {${text}\n})`, { filename: "[eval]" }))
}

function runProgram(): void {
  const script = new Script(getAsset("program.js", "utf8"), {
    filename: process.execPath,
    cachedData: Buffer.from(getRawAsset("program.cache")),
    // So that providers can be imported from the disk.
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  run(script)
}

function run(script: Script): void {
  const start: unknown = script.runInThisContext()
  if (typeof start === "function") start(fromFiles, { exports: {} })
}

function runFile(file: string, args: readonly string[]): void {
  const path = resolve(file)
  process.argv = [process.execPath, path, ...args]
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const load = new Script("(url) => import(url)", { importModuleDynamically }).runInThisContext()
  load(pathToFileURL(path).href)
}

const [, , first, second = "", ...rest] = process.argv
if (first === "-e") runText(second, rest)
else if (first === "--script") runFile(second, rest)
else runProgram()
