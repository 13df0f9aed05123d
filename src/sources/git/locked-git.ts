// How git is called: with every door shut that a repository, a server or this host could open. Only
// the one protocol of the address is allowed; no hooks, filters, helpers, prompts, redirects or
// submodules; no configuration but this. Pure.

import type { GitScheme } from "../../contract/git-source.ts"
import type { GitCredentials, GitRequest } from "./git-program.ts"

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.sshCommand=false",
  "core.gitProxy=false",
  "core.pager=cat",
  "credential.helper=",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "transfer.fsckObjects=true",
  "fetch.fsckObjects=true",
  // Made by old programs that meant no harm.
  "fetch.fsck.zeroPaddedFilemode=warn",
  "fetch.fsck.badTimezone=warn",
  "fetch.fsck.missingSpaceBeforeDate=warn",
  "http.followRedirects=false",
  "http.cookieFile=",
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=60",
  "http.proxy=",
  "protocol.version=2",
  "gpg.x509.program=false",
  "advice.detachedHead=false",
  "init.defaultBranch=main",
]

const protocols = ["https", "http", "ssh", "file", "git", "ext", "fd"]

/** Before the subcommand; without a scheme nothing may go over a network. */
export function lockedArguments(scheme?: GitScheme, more: readonly string[] = []): string[] {
  const allowed = protocols.map(
    (name) => `protocol.${name}.allow=${name === scheme ? "always" : "never"}`,
  )
  const all = [...settings, "protocol.allow=never", ...allowed, ...more]
  return ["--no-pager", "--literal-pathspecs", ...all.flatMap((one) => ["-c", one])]
}

/** The whole environment besides PATH and HOME, which is the call's own folder. */
export function lockedEnvironment(scheme?: GitScheme): Record<string, string> {
  return {
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_ALLOW_PROTOCOL: scheme ?? "none",
    GIT_ADVICE: "0",
  }
}

/** Relative names are files of the call's own folder, in which git runs. */
const sshCommand = [
  "ssh -F /dev/null -i identity",
  "-o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none",
  "-o StrictHostKeyChecking=yes -o UserKnownHostsFile=known_hosts",
  "-o GlobalKnownHostsFile=/dev/null -o UpdateHostKeys=no",
  "-o PasswordAuthentication=no -o KbdInteractiveAuthentication=no",
  "-o ForwardAgent=no -o ForwardX11=no -o ClearAllForwardings=yes -o PermitLocalCommand=no",
  "-o ProxyCommand=none -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=3",
].join(" ")

/** What a call that speaks to a server gets; git asks for the user first and then for the word. */
export function remoteCall(
  scheme: GitScheme,
  credentials: GitCredentials,
): Pick<GitRequest, "env" | "files" | "answers"> & { readonly settings: readonly string[] } {
  const env = lockedEnvironment(scheme)
  const { username, password, identity, knownHosts, authority } = credentials
  if (scheme === "ssh") {
    return {
      env: { ...env, GIT_SSH_COMMAND: sshCommand, GIT_SSH_VARIANT: "ssh" },
      files: { identity: lineEnded(identity ?? ""), known_hosts: lineEnded(knownHosts ?? "") },
      settings: [],
    }
  }
  const known = username !== undefined && password !== undefined
  return {
    env,
    ...(known ? { answers: [username, password] } : {}),
    ...(authority === undefined ? {} : { files: { "ca.crt": lineEnded(authority) } }),
    settings: authority === undefined ? [] : ["http.sslCAInfo=ca.crt"],
  }
}

const lineEnded = (text: string) => (text.endsWith("\n") ? text : `${text}\n`)
