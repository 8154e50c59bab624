// The rules of a gate: what a run must meet before a change is accepted.

/** A rule, as it was written and as it is judged. Shares are of 1, rises are shares of the baseline. */
export type Rule = { readonly text: string } & (
  | { readonly kind: 'no-regression' }
  | { readonly kind: 'no-newly-failing'; readonly most: number }
  | { readonly kind: 'non-inferior'; readonly margin: number }
  | { readonly kind: 'pass-rate' | 'score'; readonly least: number; readonly isLower: boolean }
  | { readonly kind: 'cost' | 'latency'; readonly rise: number; readonly isClear: boolean }
  | { readonly kind: 'errors'; readonly most: number }
  | (OfJudge & { readonly kind: 'calibrated-pass-rate' })
  | (OfJudge & { readonly kind: 'judge-agreement'; readonly measure: 'ac1' | 'kappa' })
)

/** What a rule about a calibration has. `metric`: the one whose judge is meant; null for the one that the service takes for the run. */
type OfJudge = { readonly least: number; readonly isLower: boolean; readonly metric: string | null }

/** The rule of a gate that names none. */
export const DEFAULT_RULE = 'no-regression'

/** A text is no rule. The message names the rule and what it needs. */
export class BadRule extends Error {
  override readonly name = 'BadRule'
}

/** A rule about the numbers of a run. */
export type RuleOfOneRun = Extract<Rule, { kind: 'pass-rate' | 'score' | 'errors' }>
/** A rule about what people say of the judge of a run. */
export type JudgeRule = Extract<Rule, { kind: 'calibrated-pass-rate' | 'judge-agreement' }>
/** A rule about a run and its baseline. */
export type ComparingRule = Exclude<Rule, RuleOfOneRun | JudgeRule>

export const needsCalibration = (rule: Rule): rule is JudgeRule =>
  rule.kind === 'calibrated-pass-rate' || rule.kind === 'judge-agreement'

export const needsBaseline = (rule: Rule): rule is ComparingRule =>
  rule.kind !== 'pass-rate' && rule.kind !== 'score' && rule.kind !== 'errors' && !needsCalibration(rule)

/** The form of each rule, for messages and help. */
export const RULE_FORMS =
  'no-regression, no-newly-failing[:N], non-inferior:M, pass-rate:[lower:]X, score:[lower:]X, cost:[clear:]+P%, latency:[clear:]+P%, errors:N, calibrated-pass-rate:[lower:]X[@METRIC], judge-agreement:[kappa:][lower:]X[@METRIC]'

/** Reads a rule in one of `RULE_FORMS`. M and X are shares: `0.05` or `5%`. Throws `BadRule`. */
export const parseRule = (text: string): Rule => {
  const colon = text.indexOf(':')
  const [kind, argument] = colon === -1 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)]
  switch (kind) {
    case 'no-regression':
      if (argument !== null) throw bad(text, 'takes no value')
      return { text, kind }
    case 'no-newly-failing':
      return { text, kind, most: argument === null ? 0 : count(text, argument) }
    case 'non-inferior':
      return { text, kind, margin: share(text, argument ?? '') }
    case 'pass-rate':
    case 'score': {
      const isLower = argument?.startsWith('lower:') ?? false
      return { text, kind, least: share(text, (argument ?? '').slice(isLower ? 'lower:'.length : 0)), isLower }
    }
    case 'cost':
    case 'latency': {
      const isClear = argument?.startsWith('clear:') ?? false
      return { text, kind, rise: rise(text, (argument ?? '').slice(isClear ? 'clear:'.length : 0)), isClear }
    }
    case 'errors':
      return { text, kind, most: count(text, argument ?? '') }
    case 'calibrated-pass-rate':
      return { text, kind, ...ofJudge(text, argument ?? '') }
    case 'judge-agreement': {
      const isKappa = argument?.startsWith('kappa:') ?? false
      const rest = (argument ?? '').slice(isKappa ? 'kappa:'.length : 0)
      return { text, kind, measure: isKappa ? 'kappa' : 'ac1', ...ofJudge(text, rest) }
    }
    default:
      throw bad(text, `is not known: ${RULE_FORMS}`)
  }
}

/** Reads `[lower:]X[@METRIC]`. The name of a metric may have an `@` itself; a share has none. */
const ofJudge = (text: string, given: string): OfJudge => {
  const at = given.indexOf('@')
  const [number, metric] = at === -1 ? [given, null] : [given.slice(0, at), given.slice(at + 1)]
  if (metric === '') throw bad(text, 'needs the name of a metric after @')
  const isLower = number.startsWith('lower:')
  return { least: share(text, number.slice(isLower ? 'lower:'.length : 0)), isLower, metric }
}

const bad = (text: string, reason: string): BadRule => new BadRule(`the rule ${JSON.stringify(text)} ${reason}`)

const NUMBER = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/

const share = (text: string, given: string): number => {
  const [, digits, percent] = NUMBER.exec(given) ?? []
  const value = digits === undefined ? NaN : Number(digits) / (percent === '%' ? 100 : 1)
  if (!(value >= 0 && value <= 1)) throw bad(text, 'needs a share from 0 to 1, such as 0.9 or 90%')
  return value
}

const rise = (text: string, given: string): number => {
  const [, digits, percent] = given.startsWith('+') ? (NUMBER.exec(given.slice(1)) ?? []) : []
  if (digits === undefined || percent !== '%') throw bad(text, 'needs a percentage, such as +20%')
  return Number(digits) / 100
}

const count = (text: string, given: string): number => {
  if (!/^\d{1,9}$/.test(given)) throw bad(text, 'needs a whole number from 0')
  return Number(given)
}
