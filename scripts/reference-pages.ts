// The pages of docs/reference that are made from the code, by path. test/docs and test/tidy compare
// them with what is committed.

import { cliPage } from "./cli-page.ts"
import { corpusPage, corpusPath } from "./corpus-page.ts"
import { errorsPage, errorsPath } from "./errors-page.ts"
import { kindsPage } from "./kinds-page.ts"
import { loopPage } from "./loop-page.ts"
import { metricsPage, metricsPath } from "./metrics-page.ts"

export const referencePages: Readonly<Record<string, () => Promise<string>>> = {
  [corpusPath]: corpusPage,
  [errorsPath]: errorsPage,
  [metricsPath]: metricsPage,
  "docs/reference/cli.md": cliPage,
  "docs/reference/kinds.md": kindsPage,
  "docs/reference/loop.md": loopPage,
}
