// How values are sealed before they are stored. The place of a value is sealed with it, so that one
// can't be put in another's place. Opening answers with exactly what was sealed, or throws.

export interface Sealer {
  /** With the newest key. */
  seal(place: string, value: Uint8Array): Uint8Array
  /** What was never sealed stays as it is; throws when its key is missing or it was changed. */
  open(place: string, value: Uint8Array): Uint8Array
  /** The key that is needed; undefined when the value was never sealed. */
  keyOf(value: Uint8Array): string | undefined
  /** All that can be opened, the newest last. */
  keys(): readonly string[]
  /** Makes a new key the newest; the others still open. */
  rotate(): void
}
