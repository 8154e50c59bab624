import type { WriteStream } from 'node:tty'

export type Progress = {
  readonly done: number
  /** Null while nobody knows how many there are. */
  readonly total: number | null
  /** The part of the bytes that is through, 0 to 1. */
  readonly share: number
  readonly seconds: number
}

/** One line for a terminal: bar, done of total, rate, time left. Never wider than `columns`. */
export const renderProgress = ({ done, total, share, seconds }: Progress, columns: number): string => {
  const rate = seconds > 0 ? done / seconds : 0
  const left = share >= 1 ? 0 : share > 0 ? (seconds * (1 - share)) / share : null
  const tail = ` ${done}${total === null ? '' : `/${total}`}  ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} docs/s  eta ${left === null ? '–' : spanOf(left)}`
  const width = Math.min(40, columns - tail.length - 3)
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width)
  const bar = width >= 5 ? `[${'█'.repeat(filled)}${'░'.repeat(width - filled)}]` : ''
  return (bar + tail).slice(0, Math.max(columns - 1, 0))
}

const spanOf = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return h > 0 ? `${h}h${String(m).padStart(2, '0')}m` : m > 0 ? `${m}m${String(s).padStart(2, '0')}s` : `${s}s`
}

export type ProgressLine = { readonly update: (progress: Progress) => void; readonly clear: () => void }

/** Keeps one line of a terminal up to date, ten times a second at most; on anything else it is silent. */
export const progressLine = (
  stream: Pick<WriteStream, 'isTTY' | 'columns' | 'write'>,
  now: () => number,
): ProgressLine => {
  if (!stream.isTTY) return { update: () => {}, clear: () => {} }
  let drawn = -Infinity
  return {
    update: (progress) => {
      if (now() - drawn < 100) return
      drawn = now()
      stream.write(`\r\x1b[K${renderProgress(progress, stream.columns || 80)}`)
    },
    clear: () => {
      if (drawn !== -Infinity) stream.write('\r\x1b[K')
      drawn = -Infinity
    },
  }
}
