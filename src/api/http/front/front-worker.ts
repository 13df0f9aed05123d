// The front: a thread that speaks TLS and HTTP and nothing else. It knows no object, no caller and
// no rule; it hands every request to the thread that answers and sends what that one says.

import { parentPort, workerData } from "node:worker_threads"
import { isFault } from "../../../base/faults.ts"
import { systemClock } from "../../../base/system.ts"
import { bodyBytesMax } from "../body-limit.ts"
import { Deadlines } from "../deadlines.ts"
import { requestMs } from "../listener.ts"
import { listenWithTls, type TlsListener, type TlsPortOptions } from "../tls-listener.ts"
import { Forwarder } from "./forward.ts"
import type { FromFront, ToFront } from "./messages.ts"
import { Outbox } from "./outbox.ts"

/** What it is told when it starts. */
export type FrontData = TlsPortOptions

const port = parentPort
if (port === null) throw new Error("front-worker.ts runs as a worker only")

const outbox = new Outbox<FromFront>(port)

function hear(forwarder: Forwarder, listener: TlsListener, message: ToFront): void {
  const [kind] = message
  if (kind === "renew") listener.renew({ certificate: message[1], key: message[2] })
  else if (kind === "closeIdle") listener.closeIdle()
  else if (kind === "closeAll") listener.closeAll()
  else if (kind === "stop") void listener.stop().then(() => outbox.say(["stopped"]))
  else forwarder.hear(message)
}

async function begin(data: FrontData): Promise<void> {
  const deadlines = new Deadlines(systemClock, data.bodyMs ?? requestMs)
  const forwarder = new Forwarder(outbox, bodyBytesMax, deadlines)
  try {
    const listener = await listenWithTls(data, (request, response) =>
      forwarder.forward(request, response),
    )
    port?.on("message", (messages: readonly ToFront[]) => {
      for (const message of messages) {
        try {
          hear(forwarder, listener, message)
        } catch (error) {
          // What can't be done is no reason to lose every connection.
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
      forwarder.flush()
    })
    outbox.say(["listening", listener.port ?? 0])
  } catch (error) {
    const { where = "", why = undefined } = isFault(error) ? error.details : {}
    const text = error instanceof Error ? error.message : String(error)
    outbox.say(["refused", where, why ?? text])
  }
}

// What one connection brings about inside node must not end all the others: this thread holds
// nothing but connections, and the one in question is lost already.
process.on("uncaughtException", (error) => process.emitWarning(error))

void begin(workerData as FrontData)
