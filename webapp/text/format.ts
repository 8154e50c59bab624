// Formats numbers, times and rates for people. For a value that is not known, show UnknownValue instead.

const COUNT = new Intl.NumberFormat('en-US')

/** `1,262` */
export const formatCount = (value: number): string => COUNT.format(value)

/** A number of tokens, rounded to three digits: `582k`, `2.83M`. Show the exact number next to it. */
export const formatTokens = (value: number): string => {
  if (value < 1_000) return String(value)
  for (const [unit, size] of [
    ['k', 1e3],
    ['M', 1e6],
    ['G', 1e9],
  ] as const) {
    // Values that would round to 1000 of a unit use the next unit: 999,600 is 1.00M, not 1000k.
    if (value < size * 999.5) return `${(value / size).toPrecision(3)}${unit}`.replace(/\.0+(?=\D)/, '')
  }
  return formatCount(value)
}

/** US dollars: `$2.33`; below a cent `$0.0042`; zero is `$0.00`. */
export const formatCost = (usd: number): string => {
  if (usd === 0) return '$0.00'
  if (usd < 0.000_05) return '<$0.0001'
  return usd < 0.01
    ? `$${usd.toFixed(4)}`
    : `$${new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(usd)}`
}

/** A share of 1 as `42.0%`. Only exactly 0 and 1 become 0.0% and 100.0%: one failure in 10,000 is 99.9%. */
export const formatRate = (share: number): string => {
  const percent = share * 100
  if (share < 1 && percent >= 99.95) return '99.9%'
  if (share > 0 && percent < 0.05) return '0.1%'
  return `${percent.toFixed(1)}%`
}

/** A score of 0 to 1 for a narrow cell: `.07`, `1.0`, `0`. A score that is close to 0, but not 0, is `.00`. */
export const formatScore = (score: number): string => {
  if (score === 0) return '0'
  const text = score.toFixed(2)
  if (text === '1.00' || text === '-1.00') return score < 1 && score > 0 ? '.99' : text.slice(0, -1)
  return text.replace(/^-?0\.00$/, '.00').replace(/^(-?)0/, '$1')
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** Milliseconds as `850 ms`, `2.1 s`, `18 m 04 s`, `4 h 05 m`, `4 d 6 h`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`
  const hours = Math.round(ms / 3_600_000)
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** The time zone of the browser, such as `Europe/Berlin`. */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Formats times by `options`, in any time zone. A formatter is cached for each zone, because creating one is slow. */
export const timeFormat = (locale: string, options: Intl.DateTimeFormatOptions) => {
  const formatters: Record<string, Intl.DateTimeFormat> = {}
  return (time: Date, timeZone: string): string =>
    (formatters[timeZone] ??= new Intl.DateTimeFormat(locale, { ...options, timeZone })).format(time)
}

/** `2026-03-12 12:58:41 CET`. The zone is `UTC`, a name with summer time such as `CEST`, or an offset such as `GMT+5:30`. */
const exactIn = timeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'long' })

const DAY_MS = 86_400_000

/**
 * How long ago `time` was, both in epoch milliseconds: `just now`, `5 min ago`, `7 h ago`, `3 d ago`; from 45 days on, a
 * date in `timeZone`. If clocks differ, `time` may be later than `now`: `in 2 h`.
 */
export const formatRelative = (time: number, now: number, timeZone: string): string => {
  const ms = Math.abs(now - time)
  const phrase = (value: number, unit: string): string => (time <= now ? `${value} ${unit} ago` : `in ${value} ${unit}`)
  if (ms < 60_000) return 'just now'
  if (ms < 3_600_000) return phrase(Math.floor(ms / 60_000), 'min')
  if (ms < DAY_MS) return phrase(Math.floor(ms / 3_600_000), 'h')
  if (ms < 45 * DAY_MS) return phrase(Math.floor(ms / DAY_MS), 'd')
  return exactIn(new Date(time), timeZone).slice(0, 10)
}

/** `2026-03-12 12:58 UTC`: a time in a time zone, named as `UTC` or `Europe/Berlin`. */
export const formatTime = (time: Date, timeZone: string): string => exactIn(time, timeZone).replace(/:\d\d /, ' ')

/** `2026-03-12 13:58:00 CET, 2026-03-12 12:58:00 UTC`: a time in `timeZone`, in UTC and in local time, each once. */
export const formatExact = (time: Date, timeZone: string): string =>
  [...new Set([timeZone, 'UTC', localZone()].map((zone) => exactIn(time, zone)))].join(', ')

/** The end of an id, where ids differ: `…DQWSMA`. Short ids are returned whole. */
export const shortId = (id: string): string => (id.length <= 10 ? id : `…${id.slice(-6)}`)

/** Bytes as `850 B`, `13 KiB`, `45.0 MiB`, `1.00 GiB`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  let [value, unit] = [bytes / 1024, 0]
  while (value >= 1023.5 && unit < 3) [value, unit] = [value / 1024, unit + 1]
  const decimals = unit === 0 ? (value < 9.95 ? 1 : 0) : value < 9.995 ? 2 : value < 99.95 ? 1 : 0
  return `${value.toFixed(decimals)} ${['KiB', 'MiB', 'GiB', 'TiB'][unit]}`
}

/** `1 run`, `3 runs` */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
