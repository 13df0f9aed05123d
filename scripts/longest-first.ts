// Starts the files first that take longest: one that starts last has the machine for itself while
// everybody waits for it.

import { BaseSequencer, type TestSpecification } from "vitest/node"

const longest = [
  ...["store-kill-rig", "dns", "plane-kill", "plane-quiet", "client-follow", "process-set"],
  ...["kubectl-script", "plane-disk", "demo-ends", "api-history", "stop-trials", "burst"],
  ...["destruction-property", "destruction-property-2", "journal", "commands", "twins"],
].map((name) => `/${name}.test.ts`)

/** By place in the list; the others after them. */
function rank({ moduleId }: TestSpecification): number {
  const found = longest.findIndex((end) => moduleId.endsWith(end))
  return found === -1 ? longest.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    return usual.sort((a, b) => rank(a) - rank(b))
  }
}
