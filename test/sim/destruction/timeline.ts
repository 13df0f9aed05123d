// What was in force from when on. Asked about a span it answers with every value that counted at
// some instant of it.

export class Timeline<T> {
  readonly #steps: { readonly from: number; readonly value: T }[] = []

  constructor(value: T) {
    this.#steps.push({ from: 0, value })
  }

  get now(): T {
    return this.#steps[this.#steps.length - 1]?.value as T
  }

  set(from: number, value: T): void {
    this.#steps.push({ from, value })
  }

  during(from: number, to: number): readonly T[] {
    return this.#steps
      .filter((step, index) => {
        const end = this.#steps[index + 1]?.from ?? Number.POSITIVE_INFINITY
        return step.from <= to && end >= from
      })
      .map((step) => step.value)
  }
}
