// Test files that `npm test` leaves to `npm run test:all`: `npm test` has ten minutes on two cores
// and shows every promise at least once; what needs a browser, another server or many processes
// for more of the same is here. CI runs both.

export const leftToAll: ReadonlySet<string> = new Set([
  ...inFolder("test/dashboard", "burst", "checkpoints", "journal", "large-plan", "objects"),
  ...inFolder("test/dashboard", "plans", "sign-in"),
  ...inFolder("test/package", "executable", "pack", "upgrade"),
  ...inFolder("test/sim", "crash-identities", "failing-store", "journal", "large-plans", "random"),
  ...inFolder("test/scenarios", "dns", "exec", "firewall", "host", "twins"),
  // Real servers and clients.
  ...inFolder("test/e2e", "client-follow", "firewall", "helm-script", "prometheus"),
  ...inFolder("test/e2e/git", "git-flow", "git-hold", "git-push", "git-secrets", "git-ssh"),
  ...inFolder("test/e2e", "git-promotion"),
  // Many processes, many kills, slow disks.
  ...inFolder("test/e2e", "database-cluster", "demo-ends", "plane-disk", "plane-kill"),
  ...inFolder("test/e2e", "plane-notes", "process-set", "cli-pause"),
])

function inFolder(folder: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.test.ts`)
}
