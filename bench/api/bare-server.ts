// The least that a server on this runtime can do with a create: TLS, HTTP, the body parsed and sent
// back. No roles, no schema, no store. What it reaches is the limit for everything built on it.
//   node bare-server.ts PORT KEY CERTIFICATE

import { readFileSync } from "node:fs"
import { createServer } from "node:https"

const [port, key = "", certificate = ""] = process.argv.slice(2)

createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (request.method === "GET") return void response.end("ok")
    const object: object = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const body = Buffer.from(JSON.stringify({ ...object, status: {} }))
    response.writeHead(201, {
      "content-type": "application/json",
      "content-length": body.length,
    })
    response.end(body)
  })
}).listen(Number(port), "127.0.0.1")
