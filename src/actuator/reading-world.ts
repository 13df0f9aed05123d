// The handles a provider observes through, made from whatever the composition root has: only
// reading passes, at run time too, whatever type a provider casts them to. They are shared by all
// kinds and by all their calls, so nothing can be put into them.

import { protects } from "../base/protections.ts"
import type { CommandsRead } from "../contract/commands.ts"
import type { ProcessesRead } from "../contract/processes.ts"
import type { SocketsRead } from "../contract/sockets.ts"
import type { FilesAct, FilesRead, Http, ReadWorld } from "../contract/world.ts"
import { actuatorFault } from "./faults.ts"

type Changing = Exclude<keyof FilesAct, keyof FilesRead>

const changing: Readonly<Record<Changing, true>> = {
  ...{ writeTemporary: true, chmod: true, chown: true, rename: true, link: true, symlink: true },
  ...{ mkdir: true, unlink: true, rmdir: true, syncDirectory: true },
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD"])

export function isReading(method: string): boolean {
  return readingMethods.has(method)
}

export function readingWorld(world: ReadWorld): ReadWorld {
  if (!protects("reading-handles")) return world
  return sealed({
    files: readingFiles(world.files),
    http: readingHttp(world.http),
    commands: sealed({
      ...refusals("commands", ["run", "tell"]),
      ...askingCommands(world.commands),
    }),
    sockets: sealed({ ...refusals("sockets", ["change"]), ...askingSockets(world.sockets) }),
    processes: sealed({
      ...refusals("processes", ["reserve", "start", "cancel", "signal", "reap", "remove"]),
      ...lookingProcesses(world.processes),
    }),
  })
}

/** Neither changed nor reached through a prototype. */
export function sealed<T extends object>(handle: T): T {
  return Object.freeze(Object.setPrototypeOf(handle, null))
}

export function readingPart(files: FilesRead): FilesRead {
  return {
    lstat: (path) => files.lstat(path),
    lstatMany: (paths) => files.lstatMany(paths),
    read: (path, bytesMax) => files.read(path, bytesMax),
    readlink: (path) => files.readlink(path),
    list: (path) => files.list(path),
    userId: (name) => files.userId(name),
    groupId: (name) => files.groupId(name),
    userName: (id) => files.userName(id),
    groupName: (id) => files.groupName(id),
    watch: (directory, changed) => files.watch(directory, changed),
  }
}

export function askingCommands(commands: CommandsRead): CommandsRead {
  return {
    look: (request, signal) => commands.look(request, signal),
    ask: (request, message, signal) => commands.ask(request, message, signal),
    follow: (request, line, ended) => commands.follow(request, line, ended),
  }
}

export function askingSockets(sockets: SocketsRead): SocketsRead {
  return {
    datagram: (to, payload, accepts, signal) => sockets.datagram(to, payload, accepts, signal),
    framed: (to, payload, takes, signal) => sockets.framed(to, payload, takes, signal),
    listen: (at, received) => sockets.listen(at, received),
  }
}

export function lookingProcesses(processes: ProcessesRead): ProcessesRead {
  return {
    bootId: () => processes.bootId(),
    facts: (pid) => processes.facts(pid),
    look: (directory, known) => processes.look(directory, known),
    log: (directory, request) => processes.log(directory, request),
    watch: (directory, changed) => processes.watch(directory, changed),
    gone: (identity, timeoutMs, signal) => processes.gone(identity, timeoutMs, signal),
  }
}

function readingFiles(files: FilesRead): FilesRead {
  return sealed({ ...refusals("files", Object.keys(changing)), ...readingPart(files) })
}

/** A changing call gets a clear answer instead of "is not a function". */
function refusals(handle: string, calls: readonly string[]): Record<string, () => Promise<never>> {
  return Object.fromEntries(calls.map((call) => [call, () => refused(`${handle}.${call}`)]))
}

function readingHttp(http: Http): Http {
  return sealed({
    request: (asked, signal) => {
      // What was looked at is what is sent, also when the request is an object with tricks.
      const request = { ...asked }
      if (isReading(request.method)) return http.request(request, signal)
      return refused(`http ${request.method}`)
    },
  })
}

function refused(call: string): Promise<never> {
  return Promise.reject(actuatorFault("SPT-ACT-008", { call }))
}
