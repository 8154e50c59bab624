import { statfs } from 'node:fs/promises'
import { redactedUrl } from '../storage/postgres/address.ts'

/** Where the store is, without any password, and the space that is left for it. */
export type StorageLocation = {
  readonly location: string
  /** Null for a database, whose disk this process does not see. */
  readonly freeBytes: () => Promise<number | null>
}

/** The location that a configuration names: its database, else its state directory. */
export const storageLocation = ({
  dataDir,
  database,
}: {
  readonly dataDir: string
  readonly database: { readonly url: string } | null
}): StorageLocation =>
  database
    ? { location: redactedUrl(database.url), freeBytes: async () => null }
    : {
        location: dataDir,
        freeBytes: async () => {
          const { bavail, bsize } = await statfs(dataDir)
          return bavail * bsize
        },
      }
