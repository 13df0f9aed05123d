// A source that answers with what it was told, for planes in tests, in virtual and in real time.

import type { Source, SourceSnapshot } from "../../contract/source.ts"
import type { ApiObject } from "../../object/object.ts"

/** A source whose content the test sets; it answers with what it was told. */
export class ToldSource implements Source {
  description = "simulated"
  #snapshot: SourceSnapshot = { kind: "complete", revision: "empty", manifests: [] }
  #changed: () => void = () => {}

  /** The revision is a counter: content that comes back is a new revision, as with commits. */
  #revision = 0

  declare(objects: readonly ApiObject[], revision?: string): void {
    const manifests = objects.map((object, index) => {
      const position = { file: "sim/all.yaml", line: index + 1, column: 1 }
      return { object, position, locate: () => position }
    })
    const name = revision ?? `r${++this.#revision}`
    this.set({ kind: "complete", revision: name, manifests })
  }

  fail(message: string, kind: "unreadable" | "invalid" = "unreadable"): void {
    this.set({ kind, issues: [{ code: "SIM", message, hint: "wait" }] })
  }

  set(snapshot: SourceSnapshot): void {
    this.#snapshot = snapshot
    this.#changed()
  }

  async read(): Promise<SourceSnapshot> {
    return this.#snapshot
  }

  watch(changed: () => void) {
    this.#changed = changed
    return { close: () => {} }
  }
}
