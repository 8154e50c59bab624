import type { RunEvent } from '../../engine/runner/progress.ts'
import { progressLine, progressLines, progressState } from './progress-text.ts'

/** A live display is drawn again at most this often. */
const REDRAW_MS = 100
/** Without a terminal a line is written at most this often. A shorter run writes none. */
const LINE_MS = 5_000

type Stream = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown }

export type ProgressDisplay = {
  readonly follow: (event: RunEvent) => void
  readonly writeLine: (line: string) => void
  readonly end: () => void
}

type DisplayOptions = {
  readonly stream: Stream
  readonly isShown: boolean
  /** A clock that only goes forward, in milliseconds. */
  readonly monotonic: () => number
  /** Calls a function again and again until the returned function is called. */
  readonly every: (ms: number, draw: () => void) => () => void
}

/**
 * Shows the progress of a run: on a terminal a live display with the cells that run longest, else now and then a line. Shows
 * nothing unless `isShown`; lines of the log are written all the same.
 */
export const progressDisplay = ({ stream, isShown, monotonic, every }: DisplayOptions): ProgressDisplay => {
  const { state, follow } = progressState(monotonic())
  let drawnLines = 0
  let stop = (): void => {}

  const clear = (): void => {
    // To the start of the first line of the display, then clear to the end of the screen (ECMA-48).
    if (drawnLines > 0) stream.write(`\r${drawnLines > 1 ? `\x1b[${drawnLines - 1}A` : ''}\x1b[J`)
    drawnLines = 0
  }
  const draw = (): void => {
    const lines = progressLines(state, monotonic(), stream.columns || 80)
    clear()
    stream.write(lines.join('\n'))
    drawnLines = lines.length
  }
  const writeLine = (line: string): void => {
    const wasDrawn = drawnLines > 0
    clear()
    stream.write(line)
    if (wasDrawn) draw()
  }
  const isLive = stream.isTTY === true
  const plain = (): void => void stream.write(`${progressLine(state, monotonic())}\n`)

  return {
    follow: (event) => {
      follow(event)
      if (!isShown) return
      if (event.kind === 'run_started') stop = isLive ? every(REDRAW_MS, draw) : every(LINE_MS, plain)
    },
    writeLine,
    end: () => {
      stop()
      clear()
    },
  }
}
