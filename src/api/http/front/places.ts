// Things under way, each with a number, in places that are used again. A map would do, but for one
// thing: it grows and shrinks with every request, makes itself anew again and again, and each of
// its old selves keeps alive what it held until a full collection (0036). An array forgets at once.
// A number means one thing only: it says the place, and how often the place was taken before.

/** More things at once than fit into memory. */
const placesMax = 2 ** 24

/** Of the side that is told the numbers. */
export class Places<T extends object> {
  /** The number that each place has, or had last. */
  readonly #numbers: number[] = []
  readonly #things: (T | undefined)[] = []

  set(number: number, thing: T): void {
    const place = number % placesMax
    this.#numbers[place] = number
    this.#things[place] = thing
  }

  get(number: number): T | undefined {
    const place = number % placesMax
    return this.#numbers[place] === number ? this.#things[place] : undefined
  }

  /** False when it was not there. */
  delete(number: number): boolean {
    if (this.get(number) === undefined) return false
    this.#things[number % placesMax] = undefined
    return true
  }

  /** Of all that is there now. */
  numbers(): number[] {
    return this.#numbers.filter((number) => this.get(number) !== undefined)
  }
}

/** Of the side that gives the numbers. */
export class NumberedPlaces<T extends object> extends Places<T> {
  /** Numbers of places that are free; the one left last is taken first, so that few are in use. */
  readonly #left: number[] = []
  #count = 0

  add(thing: T): number {
    const left = this.#left.pop()
    const number = left === undefined ? this.#count++ : numberAfter(left)
    this.set(number, thing)
    return number
  }

  override delete(number: number): boolean {
    const wasThere = super.delete(number)
    if (wasThere) this.#left.push(number)
    return wasThere
  }
}

/** The same place, taken once more. Begins again long after anybody speaks of the first. */
export function numberAfter(number: number): number {
  const next = number + placesMax
  return next <= Number.MAX_SAFE_INTEGER ? next : number % placesMax
}
