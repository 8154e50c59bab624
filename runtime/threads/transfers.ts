import { isMarkedAsUntransferable, MessagePort, type TransferListItem } from 'node:worker_threads'

/** The `body` of a result, if it is a Uint8Array that fills its buffer. */
export const wholeBody = (result: unknown): TransferListItem[] => {
  const body = (result as { body?: unknown } | null | undefined)?.body
  const isWhole = body instanceof Uint8Array && body.byteOffset === 0 && body.byteLength === body.buffer.byteLength
  return isWhole && body.buffer instanceof ArrayBuffer ? [body.buffer] : []
}

/** Bytes from this size on are transferred to a thread; smaller ones are faster to copy. */
const MIN_TRANSFERRED_BYTES = 16 * 1024

/**
 * What a call transfers: ports, and bytes that are an argument or the `body` of one. A slice of Node's pool, such as a small
 * body that arrived compressed, cannot be transferred.
 */
export const transferredBy = (args: readonly unknown[]): TransferListItem[] => {
  const items: TransferListItem[] = []
  for (const arg of args) {
    if (arg instanceof MessagePort) items.push(arg)
    const bytes = arg instanceof Uint8Array ? arg : (arg as { body?: unknown } | null | undefined)?.body
    if (!(bytes instanceof Uint8Array) || bytes.length < MIN_TRANSFERRED_BYTES) continue
    const { buffer } = bytes
    if (buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)) items.push(buffer)
  }
  return items
}
