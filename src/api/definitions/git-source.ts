// What a Loop says of a git repository as its source. The rules for addresses and refs are in
// contract/git-source.ts and asked by admission.

import type { JsonObject } from "../../base/json.ts"
import { duration, flag, object, text } from "./define.ts"

const name = text({ minLength: 1, maxLength: 253 })
const secretRef = object({ name }, { required: ["name"] })

const ref = object({
  branch: text({ minLength: 1, maxLength: 200 }),
  tag: text({ minLength: 1, maxLength: 200 }),
  semver: text({ minLength: 1, maxLength: 200 }),
  commit: text({ pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$" }),
})

const verify = object(
  {
    signers: object(
      { kind: text({ enum: ["ConfigMap", "Secret"], default: "ConfigMap" }), name },
      { required: ["name"] },
    ),
    what: text({ enum: ["Commit", "TagOrCommit"], default: "Commit" }),
  },
  { required: ["signers"] },
)

export const gitSource: JsonObject = object(
  {
    url: text({ minLength: 1, maxLength: 2000 }),
    ref,
    path: text({ maxLength: 1000 }),
    interval: duration({ default: "1m" }),
    secretRef,
    verify,
    environment: text({ pattern: "^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$" }),
    webhook: object({ secretRef }, { required: ["secretRef"] }),
    allowRewrite: flag({ default: false }),
  },
  { required: ["url"] },
)
