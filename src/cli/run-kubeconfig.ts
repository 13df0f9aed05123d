// Prints the owner's kubeconfig, or one of the same plane for the holder of a token.

import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { loadKubeconfig } from "../client/http/kubeconfig-client.ts"
import { kubeconfigText } from "../plane/adapters/pki/kubeconfig.ts"
import type { Cli } from "./command.ts"
import type { KubeconfigOptions } from "./commands/kubeconfig.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"

export async function runKubeconfig(cli: Cli, options: KubeconfigOptions): Promise<number> {
  const { data, token: tokenFile } = cli.options()
  const file = join(resolve(data), "kubeconfig")
  const known = readText(file, `--data ${data}`, "start the plane once; that makes it")
  const { server: local, authority, certificate, key, user } = loadKubeconfig(file)
  const server = options.server ?? local
  requireServer(server)
  if (tokenFile === undefined && server === local) {
    cli.terminal.print(known.trimEnd())
    return exitCode.ok
  }
  const text = (given: typeof authority) =>
    given !== undefined && "text" in given ? given.text : ""
  const login =
    tokenFile === undefined
      ? { certificate: text(certificate), key: text(key) }
      : { token: readText(tokenFile, `--token ${tokenFile}`, "name a file with a token").trim() }
  const name = tokenFile === undefined ? user : "setpoint-token"
  const parts = { server, authority: text(authority), user: name, login }
  cli.terminal.print(kubeconfigText(parts).trimEnd())
  return exitCode.ok
}

function requireServer(server: string): void {
  if (/^https:\/\/[^/\s]+$/.test(server) && URL.canParse(server)) return
  const hint = "write it as https://HOST:PORT"
  throw cliFault("SPT-CLI-002", { what: `--server ${server}`, why: "it is no such address", hint })
}

function readText(file: string, what: string, hint: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw cliFault("SPT-CLI-002", { what, why, hint }, error)
  }
}
