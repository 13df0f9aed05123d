// How long from sending a create until the last of many watchers has its event, and how long a list
// that is streamed (WatchList) takes to its end mark.

import { connect } from "node:tls"
import { LightClient, type Place } from "./light-client.ts"
import { configMap, configMapsPath, widgetsPath } from "./objects.ts"

interface Watcher {
  /** Answers when the event of that name has come. */
  seen(name: string): Promise<number>
  close(): void
}

/** Over a bare TLS connection: parsing HTTP a hundred times over would be what is measured. */
function openWatch(
  place: Place,
  path: string,
  onText: (text: string) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const { host, port, token } = place
    const socket = connect({ host, port, rejectUnauthorized: false }, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
          `Authorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`,
      )
    })
    let open = false
    socket.once("error", reject)
    socket.on("data", (chunk: Buffer) => {
      const text = chunk.toString("latin1")
      if (open) return onText(text)
      if (!text.startsWith("HTTP/1.1 200 ")) reject(new Error(`watch: ${text.slice(0, 12)}`))
      open = true
      resolve(() => socket.destroy())
      onText(text)
    })
  })
}

async function openWatcher(place: Place, resourceVersion: string): Promise<Watcher> {
  const waiting = new Map<string, (at: number) => void>()
  const path = `${configMapsPath}?watch=1&resourceVersion=${resourceVersion}`
  let tail = ""
  const close = await openWatch(place, path, (text) => {
    const at = performance.now()
    for (const [name, resolve] of waiting) {
      if (!`${tail}${text}`.includes(`"name":"${name}"`)) continue
      waiting.delete(name)
      resolve(at)
    }
    // A name may be cut in two by the records of TLS.
    tail = text.slice(-64)
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
    let tail = ""
    openWatch(place, path, (text) => {
      const seen = tail + text
      if (seen.includes("k8s.io/initial-events-end")) finish(performance.now() - start)
      else if (seen.includes('{"type":"ERROR"')) finish(undefined)
      tail = text.slice(-64)
    }).then((end) => {
      close = end
    }, reject)
  })
}
