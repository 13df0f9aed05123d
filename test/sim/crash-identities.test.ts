import { crashSuite } from "./crash-suite.ts"

crashSuite(
  [
    ["single, searchable, without marks", { identityRule: "searchable", marks: false }],
    ["single, client tokens", { identityRule: "clientToken" }],
  ],
  3,
)
