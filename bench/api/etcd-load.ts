// etcd by its own API: gRPC Put of 1 KB values over so many connections, for a while. The same
// shape as load.ts.

import { type ClientHttp2Session, connect } from "node:http2"
import { printLoad } from "./load-result.ts"
import { putMessage } from "./put-message.ts"

interface EtcdOrder {
  readonly url: string
  readonly connections: number
  readonly ms: number
  readonly tag: string
  readonly bytes: number
}

function put(session: ClientHttp2Session, key: string, value: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/etcdserverpb.KV/Put",
      "content-type": "application/grpc",
      te: "trailers",
    })
    let code = ""
    stream.on("trailers", (headers) => {
      code = String(headers["grpc-status"])
    })
    stream.on("error", reject)
    stream.on("close", () => (code === "0" ? resolve() : reject(new Error(`grpc status ${code}`))))
    stream.resume()
    stream.end(putMessage(key, value))
  })
}

async function connection(order: EtcdOrder, id: number, until: number): Promise<number[]> {
  const session = connect(order.url, { rejectUnauthorized: false })
  const value = Buffer.alloc(order.bytes, 120)
  const times: number[] = []
  for (let n = 0; performance.now() < until; n++) {
    const start = performance.now()
    await put(session, `/bench/${order.tag}-${id}-${n}`, value)
    times.push(performance.now() - start)
  }
  session.destroy()
  return times
}

const order = JSON.parse(process.argv[2] ?? "{}") as EtcdOrder
await printLoad(order.connections, order.ms, (id, until) => connection(order, id, until))
