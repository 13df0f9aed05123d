// How much a source may hold. The cheap ones are checked on the text, before anything is built.

export interface ManifestLimits {
  readonly fileBytes: number
  /** Of one object, once variables and patches are in it. */
  readonly objectBytes: number
  readonly sourceBytes: number
  readonly documents: number
  readonly depth: number
  readonly nodesPerFile: number
  /** Issues reported for one source; the rest is counted. */
  readonly issues: number
}

export const manifestLimits: ManifestLimits = {
  fileBytes: 1024 * 1024,
  objectBytes: 1024 * 1024,
  sourceBytes: 64 * 1024 * 1024,
  documents: 100_000,
  depth: 64,
  nodesPerFile: 100_000,
  issues: 100,
}
