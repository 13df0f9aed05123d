// What a Secret says about getting in, for the protocol of an address. Pure.

import type { Fault } from "../../base/faults.ts"
import type { GitAddress } from "../../contract/git-source.ts"
import { gitFault } from "./faults.ts"
import type { GitCredentials } from "./git-program.ts"

const valueMax = 64 * 1024

type Values = ReadonlyMap<string, string>

export function readCredentials(
  { url, scheme }: GitAddress,
  secret: string | undefined,
  values: Values | undefined,
): GitCredentials | Fault {
  const refuse = (problem: string) =>
    gitFault("SPT-GIT-004", { url, secret: secret ?? "(none)", problem })
  if (secret === undefined) {
    return scheme === "ssh" ? refuse("is missing: ssh needs identity and known_hosts") : {}
  }
  if (values === undefined) return refuse("does not exist")
  if ([...values.values()].some((value) => value.length > valueMax)) return refuse("is too large")
  if (scheme === "ssh") {
    const identity = values.get("identity") ?? values.get("ssh-privatekey")
    const knownHosts = values.get("known_hosts")
    if (identity === undefined) return refuse("has no identity")
    if (knownHosts === undefined) return refuse("has no known_hosts")
    return { identity, knownHosts }
  }
  const authority = values.get("ca.crt")
  const password = line(values.get("password") ?? values.get("token"))
  const username = line(values.get("username") ?? (password === undefined ? undefined : "git"))
  if (username === undefined && authority === undefined) return refuse("has no username")
  if (username !== undefined && password === undefined) return refuse("has no password or token")
  if (`${username ?? ""}${password ?? ""}`.match(/\p{Cc}/u)) {
    return refuse("has a username or password of more than one line")
  }
  return {
    ...(username === undefined || password === undefined ? {} : { username, password }),
    ...(authority === undefined ? {} : { authority }),
  }
}

/** Files often end with a line break that nobody meant. */
const line = (value: string | undefined) => value?.replace(/\r?\n$/, "")
