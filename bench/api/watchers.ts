// How long from sending a create until the last of many watchers has its event, and how long a list
// that is streamed (WatchList) takes to its end mark.

import type { NetConnectOpts } from "node:net"
import { type ConnectionOptions, connect } from "node:tls"
import { LightClient, type Place } from "./light-client.ts"
import { configMap, configMapsPath, widgetsPath } from "./objects.ts"

/** Hears what came, and must be done with it when it returns: the memory is used again. */
type OnBytes = (bytes: Buffer) => void

/** All sockets of this process read into it, one after the other. */
const memory = Buffer.alloc(64 * 1024)

/**
 * Over a bare TLS connection, without a stream between: with a hundred of them the client's own
 * work would be half of what is measured.
 */
function openWatch(
  { host, port, token }: Place,
  path: string,
  onBytes: OnBytes,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    const take = (bytes: Buffer): void => {
      if (!isOpen) {
        const start = bytes.toString("latin1", 0, 13)
        if (start === "HTTP/1.1 200 ") resolve(() => socket.destroy())
        else reject(new Error(`watch: ${start}`))
        isOpen = true
      }
      onBytes(bytes)
    }
    const callback = (size: number): boolean => {
      take(memory.subarray(0, size))
      return true
    }
    const onread = { buffer: memory, callback }
    // Node has it; its types of TLS do not say so.
    const options: ConnectionOptions & Pick<NetConnectOpts, "onread"> = {
      ...{ host, port, rejectUnauthorized: false, onread },
    }
    const socket = connect(options, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
          `Authorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`,
      )
    })
    socket.once("error", reject)
  })
}

/** Answers when a text that was asked for has come, also cut in two by the records of TLS. */
class TextFinder {
  #wanted = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #found: ((at: number) => void) | undefined

  readonly take = (bytes: Buffer): void => {
    const at = performance.now()
    if (this.#found === undefined) return
    const isThere = bytes.includes(this.#wanted) || this.#isCut(bytes)
    if (!isThere) this.#tail = Buffer.from(bytes.subarray(-this.#wanted.length))
    else {
      this.#found(at)
      this.#found = undefined
    }
  }

  find(text: string): Promise<number> {
    this.#wanted = Buffer.from(text)
    this.#tail = Buffer.alloc(0)
    return new Promise((resolve) => {
      this.#found = resolve
    })
  }

  #isCut(bytes: Buffer): boolean {
    const around = Buffer.concat([this.#tail, bytes.subarray(0, this.#wanted.length)])
    return around.includes(this.#wanted)
  }
}

interface Watcher {
  /** Answers when the event of that name has come. */
  seen(name: string): Promise<number>
  close(): void
}

async function openWatcher(server: Place, resourceVersion: string): Promise<Watcher> {
  const finder = new TextFinder()
  const path = `${configMapsPath}?watch=1&resourceVersion=${resourceVersion}`
  const close = await openWatch(server, path, finder.take)
  return { seen: (name) => finder.find(`"name":"${name}"`), close }
}

/** Milliseconds of each round. */
export async function createToLastWatcher(
  server: Place,
  watchers: number,
  rounds: number,
): Promise<number[]> {
  const client = await LightClient.open(server)
  const { body } = await client.send("GET", `${configMapsPath}?limit=1`)
  const { resourceVersion } = JSON.parse(body.toString("utf8")).metadata
  const open = await Promise.all(
    Array.from({ length: watchers }, () => openWatcher(server, resourceVersion)),
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
export function watchListMs(server: Place): Promise<number | undefined> {
  const path =
    `${widgetsPath}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true` +
    "&resourceVersionMatch=NotOlderThan&timeoutSeconds=60"
  const [end, refusal] = [new TextFinder(), new TextFinder()]
  const start = performance.now()
  const both = (bytes: Buffer) => {
    end.take(bytes)
    refusal.take(bytes)
  }
  const result = Promise.race([
    end.find("k8s.io/initial-events-end").then((at) => at - start),
    refusal.find('{"type":"ERROR"').then(() => undefined),
  ])
  return openWatch(server, path, both).then((close) => result.finally(close))
}
