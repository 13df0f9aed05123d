// The loop `site`: a hundred small config files, declared in site/ and kept in www/. Pure.

export const pageCount = 100

export function pageName(number: number): string {
  return `page-${String(number).padStart(3, "0")}`
}

export function pageKey(number: number): string {
  return `files.host.setpoint.dev/default/${pageName(number)}`
}

export function pageContent(number: number): string {
  return `<h1>Page ${number}</h1>\n`
}

export function pageManifest(number: number, path: string): string {
  return [
    "apiVersion: host.setpoint.dev/v1",
    "kind: File",
    `metadata: { name: ${pageName(number)} }`,
    "spec:",
    `  path: ${JSON.stringify(path)}`,
    '  mode: "0644"',
    `  content: ${JSON.stringify(pageContent(number))}`,
    "",
  ].join("\n")
}
