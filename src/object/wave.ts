// In which wave an object is: a whole number in an annotation, 0 without one. Admission refuses
// what is no such number; what is stored in spite of that counts as none.

import { type ApiObject, waveAnnotation } from "./object.ts"

export const waveMax = 1000

export function waveOf({ metadata }: Pick<ApiObject, "metadata">): number {
  return readWave(metadata.annotations?.[waveAnnotation]) ?? 0
}

/** Undefined when it is no wave. */
export function readWave(text: string | undefined): number | undefined {
  if (text === undefined) return 0
  const wave = /^-?\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return Math.abs(wave) <= waveMax ? wave : undefined
}
