// ConfigMaps: keys that are file names and stand in only one of the two maps, at most 1 MiB.

import type { FieldCause } from "../faults.ts"
import { invalid, tooLong } from "./cause.ts"
import {
  base64Bytes,
  checkBase64,
  checkImmutable,
  checkKeys,
  dataBytesMax,
  dataObjectBytesMax,
  mapAt,
} from "./data-keys.ts"
import type { KindRules } from "./kind-rules.ts"

export const configMapRules: KindRules = {
  bytesMax: dataObjectBytesMax,
  complete: (object) => {
    checkBase64("ConfigMap", mapAt(object, "binaryData"))
    return object
  },
  check: (object, old) => {
    const [data, binary] = [mapAt(object, "data"), mapAt(object, "binaryData")]
    const causes: FieldCause[] = [...checkKeys("data", data), ...checkKeys("binaryData", binary)]
    for (const key of Object.keys(data)) {
      if (!Object.hasOwn(binary, key)) continue
      causes.push(invalid(`data[${key}]`, "duplicate of key present in binaryData"))
    }
    const sizes = [
      ...Object.values(data).map((value) => Buffer.byteLength(String(value))),
      ...Object.values(binary).map((value) => base64Bytes(String(value))),
    ]
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
    if (size > dataBytesMax) causes.push(tooLong("data", dataBytesMax))
    return [...causes, ...checkImmutable(object, old, ["data", "binaryData"])]
  },
}
