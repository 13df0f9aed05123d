// Where nft runs: on this host or in one of its named network namespaces. Only argument vectors
// come out of here.

import type { CommandRequest } from "../../contract/commands.ts"
import type { FirewallHostPlace, FirewallSpec } from "./firewall-spec.ts"
import { normalProgram } from "./programs.ts"

const outputBytesMax = 16 * 1024 * 1024
const plain = { env: { LC_ALL: "C" }, outputBytesMax }

export const hostName = (host: FirewallHostPlace): string => host.netns ?? ""

const prefixOf = ({ netns }: FirewallHostPlace): readonly string[] =>
  netns === undefined ? [] : ["ip", "netns", "exec", netns]

export function onHost(host: FirewallHostPlace, argv: readonly string[]): CommandRequest {
  return { ...plain, argv: [...prefixOf(host), ...argv] }
}

export function programOn(
  host: FirewallHostPlace,
  program: string,
  args: readonly string[],
  input = "",
): CommandRequest {
  return { ...onHost(host, ["sh", "-c", program, "setpoint", ...args]), input }
}

export const listTable = ({ host, family, table }: FirewallSpec): CommandRequest =>
  onHost(host, ["nft", "-j", "list", "table", family, table])

export const listTables = ({ host }: FirewallSpec): CommandRequest =>
  onHost(host, ["nft", "-j", "list", "tables"])

/** In a network namespace of its own, which ends with the program. */
export function normalise(spec: FirewallSpec, input: string): CommandRequest {
  const argv = ["unshare", "-n", "sh", "-c", normalProgram, "setpoint", spec.family, spec.table]
  return { ...plain, argv, input }
}
