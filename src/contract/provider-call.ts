// What whoever counts calls of providers is told. It hears of them and changes nothing.

export interface ProviderCall {
  readonly kind: string
  readonly call: "observe" | "list" | "create" | "update" | "delete"
  /** "unknown": no answer in time, or one that says nothing. */
  readonly result: "ok" | "unknown" | "failed"
  readonly ms: number
}

export interface ProviderCalls {
  called(call: ProviderCall): void
  /** A read of this object's target waited for the rate limit of its connection. */
  limited(kind: string, object: string, ms: number): void
  /** Acts on these objects begin. */
  acting(objects: readonly string[]): void
}
