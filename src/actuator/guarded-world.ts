// The handles a provider acts through. Before every mutating call, in the same turn as the call,
// the gate is asked; nothing can come between. A handle that was revoked (deadline passed, plane
// closing) refuses everything that changes something.

import type { CommandsAct } from "../contract/commands.ts"
import type { ProcessesAct } from "../contract/processes.ts"
import type { SocketsAct } from "../contract/sockets.ts"
import type { ActWorld, FilesAct, Http } from "../contract/world.ts"
import {
  askingCommands,
  askingSockets,
  isReading,
  lookingProcesses,
  readingPart,
  sealed,
} from "./reading-world.ts"

export interface Gate {
  /** Throws when this call must not begin; otherwise notes it as begun and returns its id. */
  enter(call: string): number
  leave(id: number, outcome: "done" | "failed"): void
}

export function guardWorld(world: ActWorld, gate: Gate): ActWorld {
  return sealed({
    files: guardFiles(world.files, gate),
    http: guardHttp(world.http, gate),
    commands: guardCommands(world.commands, gate),
    sockets: guardSockets(world.sockets, gate),
    processes: guardProcesses(world.processes, gate),
  })
}

function pass<T>(gate: Gate, call: string, run: () => Promise<T>): Promise<T> {
  let id: number
  try {
    id = gate.enter(call)
  } catch (error) {
    return Promise.reject(error)
  }
  return run().then(
    (value) => {
      gate.leave(id, "done")
      return value
    },
    (error) => {
      gate.leave(id, "failed")
      throw error
    },
  )
}

/** For calls that wait for their turn: asked when it comes, and not when they were made. */
async function passInTurn<T>(
  gate: Gate,
  call: string,
  run: (begin: () => void) => Promise<T>,
): Promise<T> {
  let id: number | undefined
  let outcome: "done" | "failed" = "failed"
  try {
    const value = await run(() => {
      id = gate.enter(call)
    })
    if (id === undefined) throw new TypeError(`${call} was not asked for before it began`)
    outcome = "done"
    return value
  } finally {
    if (id !== undefined) gate.leave(id, outcome)
  }
}

function guardFiles(files: FilesAct, gate: Gate): FilesAct {
  return sealed({
    ...readingPart(files),
    writeTemporary: (directory, ...rest) =>
      pass(gate, `write ${directory}`, () => files.writeTemporary(directory, ...rest)),
    chmod: (path, mode) => pass(gate, `chmod ${path}`, () => files.chmod(path, mode)),
    chown: (path, uid, gid) => pass(gate, `chown ${path}`, () => files.chown(path, uid, gid)),
    rename: (from, to) => pass(gate, `rename ${to}`, () => files.rename(from, to)),
    link: (from, to) => pass(gate, `link ${to}`, () => files.link(from, to)),
    symlink: (target, path) => pass(gate, `symlink ${path}`, () => files.symlink(target, path)),
    mkdir: (path, mode) => pass(gate, `mkdir ${path}`, () => files.mkdir(path, mode)),
    unlink: (path) => pass(gate, `unlink ${path}`, () => files.unlink(path)),
    rmdir: (path) => pass(gate, `rmdir ${path}`, () => files.rmdir(path)),
    // Syncing changes nothing that a reader sees; it must go through even after a stop.
    syncDirectory: (path) => files.syncDirectory(path),
  })
}

function guardHttp(http: Http, gate: Gate): Http {
  return sealed({
    request: (asked, signal) => {
      // What was looked at is what is sent, also when the request is an object with tricks.
      const request = { ...asked }
      const send = () => http.request(request, signal)
      const { method, url } = request
      return isReading(method) ? send() : pass(gate, `${method} ${url}`, send)
    },
  })
}

function guardCommands(commands: CommandsAct, gate: Gate): CommandsAct {
  return sealed({
    ...askingCommands(commands),
    run: (asked, signal) => {
      const request = { ...asked, argv: [...asked.argv] }
      return pass(gate, `run ${request.argv[0] ?? ""}`, () => commands.run(request, signal))
    },
    tell: (asked, message, signal) => {
      const request = { ...asked, argv: [...asked.argv] }
      return passInTurn(gate, `tell ${request.argv[0] ?? ""}`, (begin) =>
        commands.tell(request, message, signal, begin),
      )
    },
  })
}

function guardSockets(sockets: SocketsAct, gate: Gate): SocketsAct {
  return sealed({
    ...askingSockets(sockets),
    change: ({ host, port }, payload, signal) =>
      pass(gate, `change ${host}:${port}`, () => sockets.change({ host, port }, payload, signal)),
  })
}

function guardProcesses(processes: ProcessesAct, gate: Gate): ProcessesAct {
  return sealed({
    ...lookingProcesses(processes),
    start: (asked, signal) => {
      const request = { ...asked, argv: [...asked.argv] }
      return pass(gate, `start ${request.argv[0] ?? ""}`, () => processes.start(request, signal))
    },
    signal: (identity, name) =>
      pass(gate, `${name} to ${identity.pid}`, () => processes.signal({ ...identity }, name)),
    reserve: (place) => pass(gate, `reserve ${place}`, () => processes.reserve(place)),
    cancel: (place, run) => pass(gate, `cancel ${place}`, () => processes.cancel(place, run)),
    giveUp: (place, run) => pass(gate, `give up ${place}`, () => processes.giveUp(place, run)),
    reap: (place, run) => pass(gate, `reap ${place}`, () => processes.reap(place, run)),
    remove: (place) => pass(gate, `remove ${place}`, () => processes.remove(place)),
  })
}
