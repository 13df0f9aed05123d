// Capability handles: how a provider reaches the world. Reading handles go to `observe`; acting
// handles are made by the actuator and check stop, fence and epoch before every mutating call. A
// plane that can't offer one has handles that refuse every call.

import type { CommandsAct, CommandsRead } from "./commands.ts"
import type { ProcessesAct, ProcessesRead } from "./processes.ts"
import type { SocketsAct, SocketsRead } from "./sockets.ts"

/** Everything needed to notice a change without reading the content. */
export interface FileStat {
  readonly type: "file" | "directory" | "symlink" | "other"
  readonly inode: string
  readonly device: string
  readonly size: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly mtimeNs: string
  readonly ctimeNs: string
}

export interface Closeable {
  close(): void
}

/** Errors are thrown as faults with the errno in `details.errno`; only ENOENT is `undefined`. */
export interface FilesRead {
  /** Does not follow the last component. Undefined means ENOENT, with a readable parent. */
  lstat(path: string): Promise<FileStat | undefined>
  /** The same for many, as cheap as the platform allows; an error stands in its place. */
  lstatMany(paths: readonly string[]): readonly (FileStat | undefined | Error)[]
  read(path: string, bytesMax: number): Promise<Uint8Array>
  readlink(path: string): Promise<string>
  list(path: string): Promise<readonly { readonly name: string; readonly type: FileStat["type"] }[]>
  /** Names of users and groups to ids and back; undefined when there is none. */
  userId(name: string): number | undefined
  groupId(name: string): number | undefined
  userName(id: number): string | undefined
  groupName(id: number): string | undefined
  /** A hint that something in this directory may have changed; never the truth. */
  watch(directory: string, changed: (name: string | undefined) => void): Closeable
}

/**
 * What changes something leads through no symlink, in whatever component: whoever may write in a
 * directory on the way could lead it elsewhere. So paths are given as they really are.
 */
export interface FilesAct extends FilesRead {
  /**
   * A new file `.setpoint-[LABEL-]RANDOM` in the directory, content synced; returns its path. The
   * label says whose it is, so that what a crash leaves behind can be told from foreign files.
   */
  writeTemporary(
    directory: string,
    content: Uint8Array,
    mode: number,
    label?: string,
  ): Promise<string>
  chmod(path: string, mode: number): Promise<void>
  /** Does not follow symlinks. */
  chown(path: string, uid: number, gid: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Fails with EEXIST when `to` exists: how a create never replaces a foreign file. */
  link(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  mkdir(path: string, mode: number): Promise<void>
  unlink(path: string): Promise<void>
  rmdir(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One request, one bounded answer. Network failures are thrown as `retry` faults. */
export interface Http {
  /** On a reading handle only GET and HEAD; anything else is refused before it leaves. */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
}

export interface ReadWorld {
  readonly files: FilesRead
  readonly http: Http
  readonly commands: CommandsRead
  readonly sockets: SocketsRead
  readonly processes: ProcessesRead
}

export interface ActWorld {
  readonly files: FilesAct
  readonly http: Http
  readonly commands: CommandsAct
  readonly sockets: SocketsAct
  readonly processes: ProcessesAct
}
