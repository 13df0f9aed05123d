// What a User object says. Fields that are not given are left as they are.

import { z } from "zod"
import { ref } from "../../provider/ref.ts"
import { listSet, secret } from "../../provider/schema-marks.ts"

/** As useradd takes them; no upper case, so that no two users differ by it alone. */
export const accountName = /^[a-z_][a-z0-9_-]{0,30}$/
const line = "[^:\\n\\r\\x00]"
const path = new RegExp(`^/${line}*$`)
const control = "\\x00-\\x1f"
const keyPattern = new RegExp(`^[^#\\s${control}][^${control}]*$`)
const hashPattern = /^(\$[^:\s!*]+|[./0-9A-Za-z]{13})$/

export const accountId = z.int().min(1).max(4_294_967_293)

export const userSpec = z.strictObject({
  name: z.string().regex(accountName).describe("The login name."),
  uid: accountId.optional().describe("Unset = the next free one."),
  group: z
    .string()
    .regex(accountName)
    .optional()
    .describe("Primary group; unset = one of the same name is made with the user."),
  groups: listSet(z.string().regex(accountName))
    .max(200)
    .optional()
    .describe("All further groups: others are left. Unset = not managed."),
  comment: z
    .string()
    .max(200)
    .regex(new RegExp(`^${line}*$`))
    .optional()
    .describe("Full name and the like (GECOS)."),
  home: z.string().max(4000).regex(path).optional().describe("Nothing is moved when it changes."),
  createHome: z.boolean().default(true).describe("Make the home directory with the user."),
  shell: z.string().max(4000).regex(path).optional(),
  passwordHash: ref(
    secret(
      z
        .string()
        .max(500)
        .regex(hashPattern)
        .optional()
        .describe("As crypt(5) writes it (`openssl passwd -6`). Unset = not managed."),
    ),
  ),
  enabled: z.boolean().default(true).describe("false = locked and expired: nobody can log in."),
  authorizedKeys: listSet(z.string().max(16_000).regex(keyPattern))
    .max(200)
    .optional()
    .describe("All lines of ~/.ssh/authorized_keys. Unset = not managed."),
  system: z
    .boolean()
    .default(false)
    .describe("Accounts with a uid below 1000 are touched only with this."),
  onDelete: z
    .enum(["disable", "remove"])
    .default("disable")
    .describe("disable = lock and expire; remove = userdel. The home directory always stays."),
})

export type UserSpec = z.output<typeof userSpec>
