// Numbers that a seed decides (mulberry32), so that what clients do can be done again.

export interface Random {
  below(end: number): number
  pick<T>(values: readonly T[]): T
}

export function diceOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)]
    if (value === undefined && values.length === 0) throw new Error("nothing to pick from")
    return value as T
  }
  return { below, pick }
}
