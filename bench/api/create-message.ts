// A create as etcd knows it, and as kube-apiserver sends it: a transaction that puts a key where
// there is none. The few bytes of the messages are written by hand, as gRPC frames them.

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = []
  let rest = bytes.length
  while (rest > 127) {
    length.push((rest & 127) | 128)
    rest >>= 7
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes])
}

const framed = (message: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

const put = (key: string, value: Buffer): Buffer =>
  Buffer.concat([field(1, Buffer.from(key)), field(2, value)])

/** Whether or not there is such a key. */
export const putMessage = (key: string, value: Buffer): Buffer => framed(put(key, value))

/** Compare.target: CREATE, and a create revision of 0. */
const [targetCreate, revisionZero] = [Buffer.from([0x10, 0x01]), Buffer.from([0x28, 0x00])]

export function createMessage(key: string, value: Buffer): Buffer {
  const isNew = Buffer.concat([targetCreate, field(3, Buffer.from(key)), revisionZero])
  return framed(Buffer.concat([field(1, isNew), field(2, field(2, put(key, value)))]))
}
