// The wave of an object is a number: one that can't be read would let it act out of turn.

import type { Admission } from "../../contract/admission.ts"
import { waveAnnotation } from "../../object/object.ts"
import { readWave, waveMax } from "../../object/wave.ts"
import { invalidFault } from "../validate-object.ts"

export const waveAdmission: Admission = {
  admit: ({ key, kind, object, old, operation }) => {
    if (operation === "delete") return object
    const given = object.metadata.annotations?.[waveAnnotation]
    if (readWave(given) !== undefined) return object
    if (given === old?.metadata.annotations?.[waveAnnotation]) return object
    const message = `Invalid value: "${given}": a whole number from -${waveMax} to ${waveMax}`
    const field = `metadata.annotations[${waveAnnotation}]`
    throw invalidFault(kind, key.name, [{ field, reason: "FieldValueInvalid", message }])
  },
}
