// How long calls of git may take, and how much they may bring.

export interface GitBounds {
  readonly askMs: number
  readonly fetchMs: number
  readonly readMs: number
  readonly refsBytes: number
  readonly copyBytes: number
  /** Of all copies together. */
  readonly allBytes: number
  readonly readBytes: number
}

export const gitBounds: GitBounds = {
  askMs: 30_000,
  fetchMs: 300_000,
  readMs: 60_000,
  refsBytes: 16 * 1024 * 1024,
  copyBytes: 1024 * 1024 * 1024,
  allBytes: 8 * 1024 * 1024 * 1024,
  readBytes: 96 * 1024 * 1024,
}
