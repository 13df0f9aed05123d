// Options of the commands that run a plane.

import { type Command, InvalidArgumentError } from "commander"

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

function port(value: string): number {
  const number = Number(value.replace(/^(127\.0\.0\.1|localhost):/, ""))
  if (Number.isInteger(number) && number >= 0 && number < 65536) return number
  throw new InvalidArgumentError("give a port from 0 to 65535; only 127.0.0.1 is served")
}

function store(value: string): string {
  if (value === "sqlite") return value
  throw new InvalidArgumentError("only sqlite is there now; etcd comes later")
}

export function planeOptions(command: Command): Command {
  return command
    .option("--root <dir>", "files may lie only below this directory (repeatable)", collect)
    .option("--provider <module>", "load kinds from this module (repeatable)", collect)
    .option("--key-file <file>", "key for hashes of secrets, outside the data directory")
    .option("--listen <port>", "serve the API on 127.0.0.1 as well; 0 picks a free port", port)
    .option("--store <store>", "where objects are kept", store, "sqlite")
}
