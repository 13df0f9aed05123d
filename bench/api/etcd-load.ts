// etcd by its own API: gRPC transactions that create keys of 1 KB over so many connections, for a
// while. The same shape as load.ts.

import { createMessage } from "./create-message.ts"
import { GrpcLane } from "./grpc-lane.ts"
import { printLoad } from "./load-result.ts"

interface EtcdOrder {
  readonly url: string
  readonly connections: number
  readonly ms: number
  /** Makes the names of this process its own. */
  readonly tag: string
  readonly bytes: number
}

async function connection(order: EtcdOrder, id: number, until: number): Promise<number[]> {
  const lane = await GrpcLane.open(order.url, "/etcdserverpb.KV/Txn")
  const value = Buffer.alloc(order.bytes, 120)
  const times: number[] = []
  for (let n = 0; performance.now() < until; n++) {
    const start = performance.now()
    await lane.call(createMessage(`/registry/core/configmaps/bench/${order.tag}-${id}-${n}`, value))
    times.push(performance.now() - start)
  }
  lane.close()
  return times
}

const order = JSON.parse(process.argv[2] ?? "{}") as EtcdOrder
await printLoad(order.connections, order.ms, (id, until) => connection(order, id, until))
