// Finds in a trace of system calls everything that changes something outside the process: files
// that are opened for writing, made, renamed, removed or changed, and bytes that go anywhere but
// to the process's own outputs, pipes and sockets.

export const tracedCalls = [
  ...["open", "openat", "openat2", "creat", "rename", "renameat", "renameat2", "unlink"],
  ...["unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat"],
  ...["chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"],
  ...["truncate", "ftruncate", "fallocate", "utimensat", "utime", "utimes", "futimesat"],
  ...["setxattr", "lsetxattr", "fsetxattr", "removexattr", "mknod", "mknodat"],
  ...["write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile"],
  ...["mmap", "io_uring_setup"],
]

const harmlessFile = /^(\/dev\/(null|tty|pts\/\d+|random|urandom)|\/proc\/self\/fd\/\d+)$/
const harmlessTarget = /^(pipe:|socket:|anon_inode:|TCP|UNIX|\/dev\/(null|tty|pts\/)|\/memfd:)/
const writing = /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/

/** Each line that changes something; attempts count as well as successes. */
export function findWrites(trace: string): string[] {
  return trace.split("\n").filter((line) => {
    const call = /^(?:\[pid\s+\d+\]\s*|\d+\s+)?(\w+)\((.*)$/.exec(line)
    const [, name = "", rest = ""] = call ?? []
    if (name === "") return false // Signals, exits, and the second halves of calls.
    if (name.startsWith("open") || name === "creat") {
      if (name !== "creat" && !writing.test(rest)) return false
      return !harmlessFile.test(/"([^"]*)"/.exec(rest)?.[1] ?? "")
    }
    if (name === "io_uring_setup") return !/= -1 ENOSYS/.test(rest)
    if (name === "mmap") {
      return /PROT_WRITE/.test(rest) && /MAP_SHARED/.test(rest) && /\d+<\//.test(rest)
    }
    if (/^(p?write|sendfile|copy_file)/.test(name)) {
      return !harmlessTarget.test(/^\d+<([^>]*)>/.exec(rest)?.[1] ?? "")
    }
    return true
  })
}
