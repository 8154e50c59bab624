import type { WriteStream } from 'node:tty'
import type { FetchCounts } from './fetch-all.ts'

const REDRAW_MS = 100

/** Shows the counts of a fetch on one line of a terminal. Writes nothing to any other stream. */
export const countsLine = (stream: Pick<WriteStream, 'isTTY' | 'columns' | 'write'>, now: () => number) => {
  let drawnAt = -Infinity
  return {
    update: ({ experiments, empty, pages, bytes }: FetchCounts, seconds: number): void => {
      if (!stream.isTTY || now() - drawnAt < REDRAW_MS) return
      drawnAt = now()
      const text = `${experiments + empty} experiments, ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB, ${Math.floor(seconds)} s`
      stream.write(`\r\x1b[K${text.slice(0, Math.max((stream.columns || 80) - 1, 0))}`)
    },
    clear: (): void => {
      if (drawnAt !== -Infinity) stream.write('\r\x1b[K')
      drawnAt = -Infinity
    },
  }
}
