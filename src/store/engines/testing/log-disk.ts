// One file as the log engine sees it. Writes may sit in a volatile cache until `sync` answers, and
// a failed sync promises nothing about any of them, ever.

export interface LogDisk {
  size(): Promise<number>
  read(offset: number, length: number): Promise<Uint8Array>
  /** May stop half way when it fails; `code` is "ENOSPC" when there is no space. */
  write(offset: number, bytes: Uint8Array): Promise<void>
  truncate(size: number): Promise<void>
  sync(): Promise<void>
}
