// How long from sending a create until the last of many watchers has its event, and how long a list
// that is streamed (WatchList) takes to its end mark.

import { request } from "node:https"
import { LightClient, type Place } from "./light-client.ts"
import { configMap, configMapsPath, widgetsPath } from "./objects.ts"

interface Watcher {
  /** Answers when the event of that name has come. */
  seen(name: string): Promise<number>
  close(): void
}

function openWatch(
  place: Place,
  path: string,
  onLine: (line: string) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ host: place.host, port: place.port, path, rejectUnauthorized: false, agent: false },
      headers: { authorization: `Bearer ${place.token}` },
    })
    call.once("error", reject)
    call.once("response", (response) => {
      if (response.statusCode !== 200) reject(new Error(`watch: ${response.statusCode}`))
      let rest = ""
      response.setEncoding("utf8")
      response.on("error", () => {})
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) onLine(line)
      })
      resolve(() => call.destroy())
    })
    call.end()
  })
}

async function openWatcher(place: Place, resourceVersion: string): Promise<Watcher> {
  const waiting = new Map<string, (at: number) => void>()
  const path = `${configMapsPath}?watch=1&resourceVersion=${resourceVersion}`
  const close = await openWatch(place, path, (line) => {
    const at = performance.now()
    for (const [name, resolve] of waiting) {
      if (!line.includes(`"name":"${name}"`)) continue
      waiting.delete(name)
      resolve(at)
    }
  })
  const seen = (name: string) => new Promise<number>((resolve) => waiting.set(name, resolve))
  return { seen, close }
}

/** Milliseconds of each round. */
export async function createToLastWatcher(
  place: Place,
  watchers: number,
  rounds: number,
): Promise<number[]> {
  const client = await LightClient.open(place)
  const { body } = await client.send("GET", `${configMapsPath}?limit=1`)
  const { resourceVersion } = JSON.parse(body.toString("utf8")).metadata
  const open = await Promise.all(
    Array.from({ length: watchers }, () => openWatcher(place, resourceVersion)),
  )
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const name = `watched-${round}`
    const all = open.map((watcher) => watcher.seen(name))
    const start = performance.now()
    await client.send("POST", configMapsPath, configMap(name))
    times.push(Math.max(...(await Promise.all(all))) - start)
  }
  for (const watcher of open) watcher.close()
  client.close()
  return times
}

/** Undefined when the server refuses to stream a list. */
export function watchListMs(place: Place): Promise<number | undefined> {
  const path =
    `${widgetsPath}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true` +
    "&resourceVersionMatch=NotOlderThan&timeoutSeconds=60"
  const start = performance.now()
  return new Promise((resolve, reject) => {
    let close: (() => void) | undefined
    const finish = (value: number | undefined) => {
      resolve(value)
      close?.()
    }
    openWatch(place, path, (line) => {
      if (line.includes("k8s.io/initial-events-end")) finish(performance.now() - start)
      else if (line.startsWith('{"type":"ERROR"')) finish(undefined)
    }).then((end) => {
      close = end
    }, reject)
  })
}
