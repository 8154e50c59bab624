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
  const reader = (): Promise<Opened> => {
    if (isClosed) return Promise.reject(new Error('the reader is closed'))
    if (opening) return opening
    const attempt = open()
    opening = attempt
    attempt.catch(() => {
      if (opening === attempt) opening = null
    })
    return attempt
  }
  return {
    dialect,
    read: async (query) => (await reader()).read(query),
    readAll: async (queries) => (await reader()).readAll(queries),
    close: async () => {
      isClosed = true
      const openedReader = await opening?.catch(() => null)
      await openedReader?.close()
    },
  }
}
