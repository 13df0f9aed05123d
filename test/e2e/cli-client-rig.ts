// What tests of the client commands share: outputs without what differs from run to run, and
// manifests of files in the rig's folder.

import { userInfo } from "node:os"
import type { CliRig, Finished } from "./cli-server-rig.ts"

/** Without what differs from run to run: folders, times, ages, hashes. */
export function toldBy(rig: CliRig, { code, stdout, stderr }: Finished): string {
  const names = new Map<string, string>()
  const plan = (name: string) => {
    if (!names.has(name)) names.set(name, `PLAN-${names.size + 1}`)
    return names.get(name) ?? ""
  }
  const text = `${stdout}${stderr}exit ${code}`
  return text
    .replaceAll(rig.folder, "DIR")
    .replaceAll(/site-[0-9a-f]{10}(-\d+)?/g, plan)
    .replaceAll(/default-[0-9a-f]{10}(-\d+)?/g, plan)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
    .replaceAll(/\b[0-9a-f]{12}\b/g, "HASH12")
    .replaceAll(/\(\d+ ms\)/g, "(N ms)")
    .replaceAll(/(?<=[\s(])\d+(m\d+)?s(?= ago|\s|$|\))/gm, "AGE")
    .replaceAll(`(by ${userInfo().username}`, "(by USER")
    .replaceAll(/AGE +/g, "AGE   ")
    .replaceAll(/SINCE +/g, "SINCE   ")
    .replaceAll(/^.{81,}$/gm, (line) => (line.match(/.{1,80}/g) ?? []).join("\n  ↪ "))
}

export const fileManifest = (rig: CliRig, name: string, content: string): string =>
  [
    "apiVersion: host.setpoint.dev/v1",
    "kind: File",
    `metadata: {name: ${name}}`,
    "spec:",
    `  path: ${rig.path("out", name)}`,
    "  content: |",
    ...content.split("\n").map((line) => `    ${line}`),
    "",
  ].join("\n")
