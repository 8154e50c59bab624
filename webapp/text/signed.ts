import { plural } from './format.ts'

// Signed numbers for changes, with a true minus sign.

/** `+16.7`, `−7.7`, `0.0`; a value that rounds to 0 has no sign. */
export const formatSigned = (value: number, digits: number): string => {
  const text = Math.abs(value).toFixed(digits)
  if (Number(text) === 0) return text
  return `${value < 0 ? '−' : '+'}${text}`
}

/** A difference of two shares in points: `+16.7`. */
export const formatPoints = (difference: number): string => formatSigned(difference * 100, 1)

/** `p = 0.289`, `p < 0.001` */
export const formatP = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`)

/** A probability in words: `about 2 times in 7`, `about 1 time in 20`, `almost always`. */
export const chanceWords = (p: number): string => {
  if (p >= 0.95) return 'almost always'
  if (p < 0.0001) return 'less than 1 time in 10,000'
  if (p < 0.1) return `about 1 time in ${new Intl.NumberFormat('en-US').format(Math.round(1 / p))}`
  let best = { error: 1, times: 1, of: 10 }
  for (let of = 2; of <= 10; of++) {
    const times = Math.round(p * of)
    const error = Math.abs(p - times / of)
    if (times > 0 && times < of && error < best.error - 0.005) best = { error, times, of }
  }
  return `about ${plural(best.times, 'time')} in ${best.of}`
}
