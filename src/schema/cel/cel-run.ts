// One evaluation: what it may still cost, what it stumbled over, and which items decided it. Every
// step of every expression draws on the budget, so that no input makes it run long.

/** Ends an evaluation. `fatal` is never swallowed by `||`, `&&`, `all` or `exists`. */
export class CelStop extends Error {
  readonly at: number
  readonly fatal: boolean

  constructor(message: string, at: number, fatal = false) {
    super(message)
    this.name = "CelStop"
    this.at = at
    this.fatal = fatal
  }
}

export const witnessesMax = 5

export class CelRun {
  #left: number
  /** Comprehensions around the current step. */
  depth = 0
  /** Items for which an outermost `all` was false. */
  readonly failing: unknown[] = []
  /** Items for which an outermost `exists` was true. */
  readonly found: unknown[] = []

  constructor(budget: number) {
    this.#left = budget
  }

  charge(cost: number, at: number): void {
    this.#left -= cost
    if (this.#left < 0) throw new CelStop("it costs more than an expression may", at, true)
  }

  /** What is left of the budget; below zero when it did not suffice. */
  get left(): number {
    return this.#left
  }

  get spent(): boolean {
    return this.#left <= 0
  }
}
