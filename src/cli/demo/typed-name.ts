// What somebody types here to run this program: by its name where it is installed, by its path in a
// clone of the repository.

import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

const name = "setpoint"

export function typedName(path = process.env.PATH ?? "", folder = process.cwd()): string {
  const places = path.split(delimiter).filter((one) => one !== "")
  if (places.some((one) => existsSync(join(one, name)))) return name
  return existsSync(join(folder, "bin", name)) ? `bin/${name}` : name
}
