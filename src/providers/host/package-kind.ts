// The kind Package: whether a package is installed, and which version. It is only looked at:
// installing and removing is the package manager's business, and is refused here with that reason.

import { z } from "zod"
import { absent, type Observation, present, unknown } from "../../contract/observation.ts"
import type { ActResult, KindProvider } from "../../contract/provider.ts"
import type { ReadWorld } from "../../contract/world.ts"
import { defineKind } from "../../provider/define-kind.ts"
import { complaintOf, failed } from "./results.ts"

const packageSpec = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,127}$/),
  version: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+:~^_-]{0,127}$/)
    .optional()
    .describe("Exactly this one; unset = any."),
})

export function packageKind(): KindProvider {
  const refuse = async (): Promise<ActResult> => {
    const cause = "packages are only looked at; install or remove it with the package manager"
    return failed(cause, true, { class: "Policy" })
  }
  return defineKind({
    ...{ group: "host.setpoint.dev", version: "v1", kind: "Package", plural: "packages" },
    provider: "package",
    description:
      "A package of dpkg or rpm. Preview: only looked at; a difference is shown, never acted on.",
    spec: packageSpec,
    replaceOn: ["name"],
    printerColumns: [{ name: "Version", type: "string", jsonPath: ".spec.version" }],
    identity: (spec) => spec.name,
    observe: ({ desired }, { world, signal }) => look(desired.name, world, signal),
    ...{ create: refuse, update: refuse, delete: refuse },
  })
}

async function look(name: string, world: ReadWorld, signal: AbortSignal): Promise<Observation> {
  if ((await world.files.lstat("/usr/bin/dpkg-query")) !== undefined) {
    return lookByDpkg(name, world, signal)
  }
  if ((await world.files.lstat("/usr/bin/rpm")) !== undefined) return lookByRpm(name, world, signal)
  return unknown("this host has neither dpkg nor rpm", true, { class: "Dependency" })
}

async function lookByDpkg(
  name: string,
  { commands }: ReadWorld,
  signal: AbortSignal,
): Promise<Observation> {
  const format = `\${db:Status-Status} \${Version}\n`
  const argv = ["/usr/bin/dpkg-query", "-W", "-f", format, "--", name]
  const result = await commands.look({ argv }, signal)
  if (result.code === 1 && /no packages found matching/.test(result.stderr)) {
    return absent(`dpkg-query: ${complaintOf(result)}`)
  }
  if (result.code !== 0) return unknown(`dpkg-query: ${complaintOf(result)}`)
  const installed = result.stdout.split("\n").filter((line) => line.startsWith("installed "))
  const [line] = installed
  if (line === undefined) return absent(`dpkg-query: ${result.stdout.trim()}`)
  const version = line.slice("installed ".length)
  return present({ name, version }, version)
}

async function lookByRpm(
  name: string,
  { commands }: ReadWorld,
  signal: AbortSignal,
): Promise<Observation> {
  const argv = ["/usr/bin/rpm", "-q", "--qf", "%{VERSION}-%{RELEASE}\\n", "--", name]
  const result = await commands.look({ argv }, signal)
  if (result.code === 1 && result.stdout.trim() === `package ${name} is not installed`) {
    return absent(`rpm: ${result.stdout.trim()}`)
  }
  const version = result.stdout.trim().split("\n")[0] ?? ""
  if (result.code !== 0 || version === "") return unknown(`rpm: ${complaintOf(result)}`)
  return present({ name, version }, version)
}
