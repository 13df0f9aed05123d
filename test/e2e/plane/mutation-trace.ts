// Reads an strace of a plane: which calls changed something below a folder, and which look at the
// stop file came before each. Calls through a directory that is held open are read as calls in that
// directory. Only the main thread decides; what its thread pool still writes into
// an open temporary file belongs to a call that had begun.

export interface Mutation {
  readonly call: string
  /** Seconds since 1970, when the call began. */
  readonly at: number
  /** When the stop file was last looked for before it, and how often since the last mutation. */
  readonly checkedAt: number
  readonly checks: number
}

const changing = new RegExp(
  `^(${[
    "rename|renameat2?|(un)?link(at)?|symlink(at)?|mkdir(at)?|rmdir",
    "f?chmod(at)?|[lf]chown(at)?|truncate",
  ].join("|")})\\(`,
)

const throughHeld = /"\/proc\/self\/fd\/(\d+)(?=["/])/g

const looking = /^(openat|statx|newfstatat)\(/

export const tracedCalls = [
  "openat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,symlink,symlinkat",
  "mkdir,mkdirat,rmdir,chmod,fchmodat,lchown,fchownat,truncate,pwrite64,write,pwritev,writev",
  "statx,newfstatat",
].join(",")

/** `strace -D` leaves the plane as the process that was started. */
export function straceCommand(file: string): readonly string[] {
  return [
    "strace",
    "-D",
    "-f",
    "-y",
    "-ttt",
    "-qq",
    "-s",
    "300",
    "-o",
    file,
    "-e",
    `trace=${tracedCalls}`,
  ]
}

export function mutationsOf(trace: string, main: number, folder: string, stopFile: string) {
  const mutations: Mutation[] = []
  const held = new Map<string, string>()
  let checkedAt = 0
  let checks = 0
  for (const line of trace.split("\n")) {
    const match = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line)
    if (match === null || Number(match[1]) !== main) continue
    const [, , time = "0", said = ""] = match
    const [, fd, path] = /^(?:openat\(|<\.\.\. openat ).* = (\d+)<(.*)>$/.exec(said) ?? []
    if (fd !== undefined && path !== undefined) held.set(fd, path)
    if (said.startsWith("<...")) continue
    const body = said.replaceAll(throughHeld, (all, one: string) => `"${held.get(one) ?? all}`)
    if (looking.test(body) && body.includes(`"${stopFile}"`)) {
      checkedAt = Number(time)
      checks++
      continue
    }
    const creates = body.startsWith("openat(") && body.includes("O_CREAT")
    if (!creates && !changing.test(body)) continue
    if (!body.includes(`"${folder}/`) && !body.includes(`<${folder}`)) continue
    mutations.push({ call: body.slice(0, 160), at: Number(time), checkedAt, checks })
    checks = 0
  }
  return mutations
}

/** Lines of the trace that write to an open file whose path ends like this. */
export function writesTo(trace: string, suffix: string): string[] {
  return trace
    .split("\n")
    .filter(
      (line) => /(pwrite64|write|pwritev|writev)\(\d+</.test(line) && line.includes(`${suffix}>`),
    )
}
