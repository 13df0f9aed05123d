// Handles for worlds that have only some: using one that is missing is an error that says so, never
// an empty answer.

import type { CommandsAct } from "../contract/commands.ts"
import type { ProcessesAct } from "../contract/processes.ts"
import type { SocketsAct } from "../contract/sockets.ts"
import type { ActWorld, FilesAct, Http } from "../contract/world.ts"
import { providerFault } from "./faults.ts"

/** A world with these handles; the others refuse every call. */
export function worldWith(handles: Partial<ActWorld>): ActWorld {
  return {
    files: handles.files ?? missing<FilesAct>("files"),
    http: handles.http ?? missing<Http>("http"),
    commands: handles.commands ?? missing<CommandsAct>("commands"),
    sockets: handles.sockets ?? missing<SocketsAct>("sockets"),
    processes: handles.processes ?? missing<ProcessesAct>("processes"),
  }
}

function missing<T extends object>(handle: string): T {
  return new Proxy({} as T, {
    get: (_, name) => () => {
      throw providerFault("SPT-PROV-011", { call: `${handle}.${String(name)}` })
    },
  })
}
