import { counted } from './plain/counted.ts'
import { runPassRate, type Limits } from './statistics/statistics.ts'

// A badge: a small image with a name and a value, for pages outside of the service. SVG with neither script nor style nor
// link, in which all text is escaped.

export const BADGE_METRICS = ['pass-rate', 'status', 'score', 'calibrated'] as const
export type BadgeMetric = (typeof BADGE_METRICS)[number]

/** Maximum number of characters of a label. */
export const MAX_LABEL = 40

/** What a badge shows of a run; the score and the calibrated rate are read for those metrics alone. */
export type BadgeRun = {
  readonly case_count: number
  readonly pass_count: number
  readonly pass_interval: Limits | null
  readonly fail_count: number
  readonly error_count: number
  readonly xfail_count: number
  readonly xpass_count: number
  readonly score: number | null
  /** The pass rate that people would give, if its calibration is good. */
  readonly calibrated?: { readonly estimate: number; readonly lower: number; readonly upper: number } | null
}

/** White text on each of them has a contrast of 4.5 or more. */
const COLOURS = { good: '#1a7f37', fair: '#9a6700', bad: '#cf222e', none: '#57606a' } as const
const NAME_COLOUR = '#424a53'

type Value = { readonly text: string; readonly colour: keyof typeof COLOURS; readonly detail?: string }

/** From these shares on a value is good, or fair. */
const [GOOD, FAIR] = [0.9, 0.7]
const colourOf = (share: number): Value['colour'] => (share >= GOOD ? 'good' : share >= FAIR ? 'fair' : 'bad')

/** A share of 1 as `42.0%`. Only exactly 0 and 1 become 0.0% and 100.0%. */
const rateText = (share: number): string => {
  const percent = share * 100
  if (share < 1 && percent >= 99.95) return '99.9%'
  return share > 0 && percent < 0.05 ? '0.1%' : `${percent.toFixed(1)}%`
}

const badgeValue = (metric: BadgeMetric, run: BadgeRun): Value => {
  const { case_count, pass_count, fail_count, error_count, xfail_count, xpass_count, score } = run
  if (metric === 'score')
    return score === null
      ? { text: 'no scores', colour: 'none' }
      : { text: score.toFixed(2), colour: colourOf(score), detail: 'mean score' }
  if (metric === 'calibrated') {
    const { calibrated } = run
    if (!calibrated) return { text: 'not calibrated', colour: 'none' }
    const { estimate, lower, upper } = calibrated
    const detail = `95% interval ${rateText(lower)} to ${rateText(upper)}, by labels of people`
    return { text: `${rateText(estimate)} calibrated`, colour: colourOf(estimate), detail }
  }
  if (case_count === 0) return { text: 'no cases', colour: 'none' }
  // Every case was skipped, as when the key of a provider is missing: that is no success.
  if (pass_count + fail_count + error_count + xfail_count + xpass_count === 0)
    return { text: 'no results', colour: 'none', detail: `${case_count} skipped` }
  if (metric === 'status')
    return fail_count + error_count === 0
      ? { text: 'passing', colour: 'good', detail: counted(case_count, 'case') }
      : { text: 'failing', colour: 'bad', detail: `${fail_count} failed, ${counted(error_count, 'error')}` }
  const { rate, lower, upper } = runPassRate(run)
  const interval = `95% interval ${rateText(lower)} to ${rateText(upper)}`
  return { text: rateText(rate), colour: colourOf(rate), detail: `${pass_count} of ${case_count} passed, ${interval}` }
}

/** Text of XML 1.0: without characters that XML does not have, and without those that would turn the text around. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** Cuts a name that was not chosen as a label. */
const cut = (name: string): string => {
  const characters = [...name]
  return characters.length <= MAX_LABEL ? name : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}

/** The width of a text in pixels, roughly; `textLength` makes it exact in every font. */
const textWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + (character > '\u00ff' ? 11 : /[ijlI.,:;'|! ]/.test(character) ? 4 : 7), 0)

const [HEIGHT, MARGIN] = [20, 6]

const svg = (name: string, { text, colour, detail }: Value): string => {
  const [nameWidth, valueWidth] = [textWidth(name), textWidth(text)]
  const [left, right] = [nameWidth + 2 * MARGIN, valueWidth + 2 * MARGIN]
  const label = escaped(`${name}: ${text}`)
  const field = (x: number, width: number, content: string): string =>
    `<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped(content)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${label}">`,
    `<title>${label}${detail === undefined ? '' : escaped(` (${detail})`)}</title>`,
    `<rect width="${left}" height="${HEIGHT}" fill="${NAME_COLOUR}"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[colour]}"/>`,
    `<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">`,
    field(MARGIN, nameWidth, name),
    field(left + MARGIN, valueWidth, text),
    '</g></svg>',
  ].join('')
}

/** The badge of a run of a suite. Without a label, the name of the suite is one. */
export const badge = (
  suite: string,
  { metric, label, run }: { readonly metric: BadgeMetric; readonly label?: string | undefined; readonly run: BadgeRun },
): string => svg(label === undefined || label === '' ? cut(suite) : label, badgeValue(metric, run))

/** The badge of anything that is unknown or hidden. */
export const UNKNOWN_BADGE = svg('evaluation', { text: 'not found', colour: 'none' })
