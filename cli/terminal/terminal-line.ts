import type { WriteStream } from 'node:tty'

const REDRAW_MS = 100

/**
 * One line of a terminal that is drawn again and again, at most ten times a second, and never wider than the terminal.
 * Nothing is written to any other stream.
 */
export const terminalLine = (stream: Pick<WriteStream, 'isTTY' | 'columns' | 'write'>, now: () => number) => {
  let drawnAt = -Infinity
  return {
    draw: (text: (columns: number) => string): void => {
      if (!stream.isTTY || now() - drawnAt < REDRAW_MS) return
      drawnAt = now()
      const columns = stream.columns || 80
      stream.write(`\r\x1b[K${text(columns).slice(0, Math.max(columns - 1, 0))}`)
    },
    clear: (): void => {
      if (drawnAt !== -Infinity) stream.write('\r\x1b[K')
      drawnAt = -Infinity
    },
  }
}
