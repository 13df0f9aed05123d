// The handles a provider acts through. Before every mutating call, in the same turn as the call,
// the gate is asked; nothing can come between. A handle that was revoked (deadline passed, plane
// closing) refuses everything that changes something.

import type { ActWorld, FilesAct, Http } from "../contract/world.ts"
import { isReading, readingPart, sealed } from "./reading-world.ts"

export interface Gate {
  /** Throws when this call must not begin; otherwise notes it as begun and returns its id. */
  enter(call: string): number
  leave(id: number, outcome: "done" | "failed"): void
}

export function guardWorld(world: ActWorld, gate: Gate): ActWorld {
  return sealed({ files: guardFiles(world.files, gate), http: guardHttp(world.http, gate) })
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
