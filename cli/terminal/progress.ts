export type Progress = {
  readonly done: number
  /** Null while unknown. */
  readonly total: number | null
  /** The processed part of the bytes, 0 to 1. */
  readonly share: number
  readonly seconds: number
}

/** One line for a terminal: bar, done of total, rate, time left. Never wider than `columns`. */
export const renderProgress = ({ done, total, share, seconds }: Progress, columns: number): string => {
  const rate = seconds > 0 ? done / seconds : 0
  const remaining = share >= 1 ? 0 : share > 0 ? (seconds * (1 - share)) / share : null
  const tail = ` ${done}${total === null ? '' : `/${total}`}  ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} docs/s  eta ${remaining === null ? '–' : formatDuration(remaining)}`
  const width = Math.min(40, columns - tail.length - 3)
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width)
  const bar = width >= 5 ? `[${'█'.repeat(filled)}${'░'.repeat(width - filled)}]` : ''
  return (bar + tail).slice(0, Math.max(columns - 1, 0))
}

const formatDuration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return h > 0 ? `${h}h${String(m).padStart(2, '0')}m` : m > 0 ? `${m}m${String(s).padStart(2, '0')}s` : `${s}s`
}
