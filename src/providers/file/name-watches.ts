// Spreads the hints of a directory to the targets in it by name: one subscription per directory,
// so that a change of one file among ten thousand wakes one target and asks no other.

import type { Closeable, FilesRead } from "../../contract/world.ts"
import { directoryOf, nameOf } from "./bounds.ts"

type Wake = () => void

interface Room {
  readonly watch: Closeable
  readonly names: Map<string, Set<Wake>>
}

export class NameWatches {
  readonly #rooms = new WeakMap<FilesRead, Map<string, Room>>()

  watch(files: FilesRead, path: string, changed: () => void): Closeable {
    const rooms = this.#rooms.get(files) ?? new Map<string, Room>()
    this.#rooms.set(files, rooms)
    const directory = directoryOf(path)
    const room = rooms.get(directory) ?? openRoom(files, directory)
    rooms.set(directory, room)
    const name = nameOf(path)
    const wakes = room.names.get(name) ?? new Set<Wake>()
    room.names.set(name, wakes)
    const wake = () => changed()
    wakes.add(wake)
    return {
      close() {
        if (!wakes.delete(wake) || wakes.size > 0) return
        room.names.delete(name)
        if (room.names.size > 0) return
        room.watch.close()
        rooms.delete(directory)
      },
    }
  }
}

function openRoom(files: FilesRead, directory: string): Room {
  const names = new Map<string, Set<Wake>>()
  const watch = files.watch(directory, (name) => {
    const woken = name === undefined ? [...names.values()] : [names.get(name) ?? []]
    for (const wakes of woken) for (const wake of [...wakes]) wake()
  })
  return { watch, names }
}
