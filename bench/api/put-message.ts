// A PutRequest of etcd as gRPC frames it; the few bytes of the message are written by hand.

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = []
  let rest = bytes.length
  while (rest > 127) {
    length.push((rest & 127) | 128)
    rest >>= 7
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes])
}

export function putMessage(key: string, value: Buffer): Buffer {
  const message = Buffer.concat([field(1, Buffer.from(key)), field(2, value)])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
