// What people print with setpoint and with kubectl while Secrets are changed, compared, refused and
// held. A Secret that is asked for in full is shown, of course: that is asked for nowhere here.

import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { program } from "../../program.ts"
import type { PlaneRig } from "../plane/plane-rig.ts"
import type { CanarySearch } from "./canary-search.ts"

const environment = (plane: PlaneRig) => ({
  ...process.env,
  XDG_CONFIG_HOME: join(plane.base, "config"),
  HOME: plane.base,
  KUBECONFIG: join(plane.data, "kubeconfig"),
})

export function setpoint(plane: PlaneRig, ...args: readonly string[]): string {
  const options = { encoding: "utf8", env: environment(plane) } as const
  return execFileSync(process.execPath, [program, "--data", plane.data, ...args], options)
}

/**
 * Manifests of the Secret `plain` beside the plane, in right and in wrong forms. It has none of
 * kubectl's annotations: kubectl shows those, whatever they hold.
 */
function manifests(plane: PlaneRig, value: string) {
  const folder = join(plane.base, "given")
  // A folder of the same loop, with another value than the one that is held.
  const site = join(folder, "site")
  mkdirSync(site, { recursive: true })
  copyFileSync(plane.manifest("password"), join(site, "password.yaml"))
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const head = "apiVersion: v1\nkind: Secret\nmetadata: {name: plain, namespace: default}\n"
  const declared = head.replace("plain", "declared")
  write("site/secret.yaml", `${declared}stringData: {password: ${value}}\n`)
  return {
    site,
    right: write("right.yaml", `${head}stringData: {a: ${value}}\n`),
    wrong: write("wrong.yaml", `${head}stringData:\n  a: >${value}\n`),
    tagged: write("tagged.yaml", `${head}stringData:\n  a: !${value}\n`),
    other: write("other.yaml", `${head.replace("plain", "fresh")}stringData: {a: ${value}}\n`),
    invalid: write("invalid.yaml", `${head}stringData: {a: [${value}]}\n`),
    unknown: write("unknown.yaml", `${head}stringDate: {a: ${value}}\n`),
  }
}

/** Keeps what both streams say; the exit code is the caller's to judge. */
function print(search: CanarySearch, name: string, command: string, args: string[], env: object) {
  const options = { encoding: "utf8", timeout: 120_000, env } as const
  const { status, stdout, stderr } = spawnSync(command, args, { ...options, env: { ...env } })
  search.place(name, stdout + stderr)
  return status
}

export function printAll(plane: PlaneRig, search: CanarySearch, kubectl: string, value: string) {
  const given = manifests(plane, value)
  const held = /\bsite-\w+/.exec(setpoint(plane, "plans"))?.[0] ?? ""
  const own: [number, ...string[]][] = [
    [1, "plan", plane.site],
    [2, "diff", "file", "password"],
    [3, "plan", given.site],
    [2, "diff", "-f", given.right],
    [2, "diff", "-f", given.right, "-o", "json"],
    [2, "diff", "-f", given.other],
    [1, "diff", "-f", given.wrong],
    [1, "diff", "-f", given.tagged],
    [1, "apply", "-f", given.wrong],
    [1, "apply", "-f", given.invalid],
    [0, "explain", "file", "password"],
    [1, "explain", "secret", "made"],
    [0, "history"],
    [0, "history", "file", "password"],
    [0, "plans"],
    [0, "plans", held],
    [0, "status"],
    [0, "events"],
    [0, "report", plane.loop],
    [0, "inventory"],
    [0, "secrets", "keys"],
    [0, "get", "files", "-o", "yaml"],
    [0, "get", "secrets"],
    [0, "describe", "file", "password"],
    [0, "describe", "secret", "made"],
  ]
  const env = environment(plane)
  const codes = own.map(([, ...args]) => {
    const all = [program, "--data", plane.data, ...args]
    const code = print(search, `setpoint ${args.join(" ")}`, process.execPath, all, env)
    return `${args.join(" ")} ${code}`
  })
  expect(codes).toEqual(own.map(([wanted, ...args]) => `${args.join(" ")} ${wanted}`))
  if (kubectl === "") return
  const theirs: [number, string][] = [
    [1, `diff -f ${given.right}`],
    [1, `diff --server-side --force-conflicts -f ${given.right}`],
    [1, `create -f ${given.invalid}`],
    [1, `create -f ${given.unknown}`],
    [1, `create -f ${given.right}`],
    [1, `apply --server-side --field-manager=other -f ${given.right}`],
    [0, "get secrets"],
    [0, "describe secrets"],
    [0, "get secret plain -o name -v=6"],
    [0, "describe file password"],
    [0, "get events -A"],
    [0, "explain secret.data"],
  ]
  const ended = theirs.map(([, args]) => {
    const code = print(search, `kubectl ${args}`, kubectl, args.split(" "), env)
    return `${args} ${code}`
  })
  expect(ended).toEqual(theirs.map(([code, args]) => `${args} ${code}`))
}
