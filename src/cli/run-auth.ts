// Asks the plane what the caller may do and who they are.

import { at, isArray, type Json } from "../base/json.ts"
import type { Cli } from "./command.ts"
import type { CanIOptions } from "./commands/auth.ts"
import { exitCode } from "./exit-codes.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"
import { findKind, servedKinds } from "./resolve-kinds.ts"

export async function canI(cli: Cli, verb: string, resource: string, options: CanIOptions) {
  const client = cli.connect()
  const spec = resource.startsWith("/")
    ? { nonResourceAttributes: { verb, path: resource } }
    : { resourceAttributes: await attributes(cli, verb, resource, options) }
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
  const kind = "SelfSubjectAccessReview"
  const body: Json = { apiVersion: "authorization.k8s.io/v1", kind, spec }
  const answer = await client.call("POST", path, body)
  const allowed = at(answer, "status", "allowed") === true
  const reason = String(at(answer, "status", "reason") ?? "")
  const code = allowed ? exitCode.ok : exitCode.failed
  if (await printData(cli, { allowed, ...(reason === "" ? {} : { reason }) })) return code
  cli.terminal.print(allowed ? "yes" : "no")
  if (reason !== "") cli.terminal.note(printable(reason))
  return code
}

async function attributes(cli: Cli, verb: string, typed: string, options: CanIOptions) {
  const [kind = "", name = ""] = typed.split("/")
  const { namespace } = cli.options()
  const { subresource } = options
  const found = findKind(await servedKinds(cli.connect()), kind)
  const everywhere = options.allNamespaces === true || !found.namespaced
  return {
    ...{ verb, group: found.group, resource: found.resource, name },
    ...(subresource === undefined ? {} : { subresource }),
    ...(everywhere ? {} : { namespace }),
  }
}

export async function whoAmI(cli: Cli): Promise<number> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
  const kind = "SelfSubjectReview"
  const body = { apiVersion: "authentication.k8s.io/v1", kind }
  const user = at(await cli.connect().call("POST", path, body), "status", "userInfo") ?? {}
  if (await printData(cli, user)) return exitCode.ok
  const groups = at(user, "groups")
  cli.terminal.print(printable(String(at(user, "username"))))
  for (const group of isArray(groups) ? groups : []) {
    cli.terminal.print(`  ${printable(String(group))}`)
  }
  return exitCode.ok
}
