// Whether an object asks to be protected. Any word but "false" counts: whoever wrote "yes" meant
// it, and doubt protects.

import { type ApiObject, protectAnnotation } from "./object.ts"

export function declaresProtection({ metadata }: ApiObject): boolean {
  const word = metadata.annotations?.[protectAnnotation]
  return word !== undefined && word !== "false"
}
