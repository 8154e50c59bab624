import type { Reader } from './storage.ts'

type Opened = Reader & { readonly close: () => void | Promise<void> }

/**
 * A reader that opens on the first read. If opening fails, that read reports the error and the next read tries again.
 * So the service recovers without a restart once the store is reachable.
 */
export const lazyReader = (
  dialect: Reader['dialect'],
  open: () => Promise<Opened>,
): Reader & { readonly close: () => Promise<void> } => {
  let opening: Promise<Opened> | null = null
  let isClosed = false
  const opened = (): Promise<Opened> => {
    if (isClosed) return Promise.reject(new Error('the reader is closed'))
    if (opening) return opening
    const begun = open()
    opening = begun
    begun.catch(() => {
      if (opening === begun) opening = null
    })
    return begun
  }
  return {
    dialect,
    read: async (query) => (await opened()).read(query),
    readAll: async (queries) => (await opened()).readAll(queries),
    close: async () => {
      isClosed = true
      const reader = await opening?.catch(() => null)
      await reader?.close()
    },
  }
}
