// Joins a module and everything it imports, packages too, into one text: what the single executable
// is made of. Plain scripts for what it runs, modules for what a provider imports.

import { rolldown } from "rolldown"

/** Optional parts of packages that nothing here uses. */
const absent = new Set(["pg-native", "pg-cloudflare"])

export const joinScript = (input: string) => join(input, "cjs")
export const joinModule = (input: string) => join(input, "esm")

async function join(input: string, format: "cjs" | "esm"): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => id.startsWith("node:") || absent.has(id),
    plugins: [
      {
        name: "inside",
        transform(code) {
          if (!code.includes("import.meta.url")) return null
          // What is loaded late is inside as well; places mean nothing there.
          return code
            .replaceAll(/\bcreateRequire\(import\.meta\.url\)\(/g, "require(")
            .replaceAll("import.meta.url", '"file:///setpoint"')
        },
      },
    ],
  })
  const { output } = await bundle.generate({
    format,
    codeSplitting: false,
    minify: { compress: false, mangle: false, codegen: true },
  })
  await bundle.close()
  const [first, ...others] = output
  if (others.length > 0) throw new Error(`${input} was joined into ${output.length} files`)
  return first.code
}
