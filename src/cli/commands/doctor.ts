// `setpoint doctor`: looks at the host and the data directory and says what is wrong and what to
// do about it. Changes nothing.

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Cli, CliCommand } from "../command.ts"
import type { Finding } from "../doctor/finding.ts"
import { exitCode } from "../exit-codes.ts"
import { printData } from "../print-data.ts"

export const doctorCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("doctor")
      .description("check the host, the data directory, the store and the journal; changes nothing")
      .addHelpText("after", "\nExample:\n  setpoint doctor --data /var/lib/setpoint")
      .action(() => cli.run(() => doctor(cli)))
  },
}

async function doctor(cli: Cli): Promise<number> {
  const findings = await examine(resolve(cli.options().data))
  const failed = findings.some(({ level }) => level === "fail")
  const code = failed ? exitCode.failed : exitCode.ok
  if (await printData(cli, JSON.parse(JSON.stringify({ findings })))) return code
  const { terminal } = cli
  const colours = { ok: "green", warn: "yellow", fail: "red" } as const
  for (const { level, check, text, hint } of findings) {
    terminal.print(
      `${terminal.paint(colours[level], level.padEnd(4))}  ${check.padEnd(8)}  ${text}`,
    )
    if (hint !== undefined) terminal.print(`${" ".repeat(16)}hint: ${hint}`)
  }
  return code
}

async function examine(directory: string): Promise<Finding[]> {
  const host = await import("../doctor/check-host.ts")
  const { warn } = await import("../doctor/finding.ts")
  const findings = [host.checkNode(process.version), host.checkWatches()]
  if (!existsSync(directory)) {
    const hint = "`setpoint up` makes it; or name another with --data"
    const none = warn("data", `${directory} does not exist`, hint)
    return [...findings, host.checkClock(Date.now(), undefined), none]
  }
  const data = await import("../doctor/check-data.ts")
  const { readIdentity } = await import("../../store/engines/identity-file.ts")
  const identity = data.checkIdentity(directory)
  findings.push(host.checkClock(Date.now(), data.newestWrite(directory)))
  findings.push(host.checkSpace(directory), ...data.checkPermissions(directory), identity)
  findings.push(await data.checkPlane(directory))
  if (identity.level === "ok") {
    findings.push(...(await data.checkStore(directory)))
    findings.push(...data.checkKey(directory, readIdentity(directory)?.planeId))
  }
  return [...findings, ...data.checkStops(directory)]
}
