// Records the demo from the real program: `npm start` on a terminal made by `script`, with keys
// pressed as a person would. Writes docs/images/demo.svg; no network, no service. `npm run record`
// after the demo has changed.

import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { framesOf, type Written } from "./recording/recording.ts"
import { svgFilm } from "./recording/svg-film.ts"

const size = { columns: 88, rows: 30 }
const root = fileURLToPath(new URL("..", import.meta.url))
const images = fileURLToPath(new URL("../docs/images", import.meta.url))
const keyMs = 60_000
/** Time to read what a key did. */
const readMs = 3500

const written: Written[] = []
const started = performance.now()
const note = (text: string) => written.push({ at: (performance.now() - started) / 1000, text })

note("$ npm start\r\n")
const command = `stty cols ${size.columns} rows ${size.rows}; exec node bin/setpoint demo`
const { NO_COLOR: _, ...env } = process.env
const child = spawn("script", ["-qfec", command, "/dev/null"], {
  ...{ cwd: root, env, stdio: ["pipe", "pipe", "inherit"] as const },
})
child.stdout.on("data", (chunk) => note(String(chunk)))
const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))

async function until(pattern: RegExp, from: number): Promise<void> {
  const deadline = performance.now() + keyMs
  const text = () => written.map((one) => one.text).join("")
  while (!pattern.test(text().slice(from))) {
    if (performance.now() > deadline)
      throw new Error(`never said ${pattern}: ${text().slice(-800)}`)
    await pause(50)
  }
}

await until(/q {2}quit/, 0)
await pause(2 * readMs)
for (const key of ["k", "r", "a", "b", "u", "b", "9"]) {
  const from = written.reduce((sum, { text }) => sum + text.length, 0)
  child.stdin.write(key)
  await until(/web: \d+ requests, \d+ failed/, from)
  await pause(readMs)
}
child.stdin.write("q")
await ended

const pace = { everySeconds: 0.5, waitSeconds: 3, ticker: /^web \d+ requests/ }
const title =
  "Setpoint's demo: replicas are killed, manifests removed, the plane killed in a rollout"
mkdirSync(images, { recursive: true })
writeFileSync(`${images}/demo.svg`, svgFilm(framesOf(written, size, pace), { ...size, title }))
