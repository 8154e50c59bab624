// The rules of a gate: what a run must meet before a change is accepted.

/** A rule, as it was written and as it is judged. Shares are of 1, rises are shares of the baseline. */
export type Rule = { readonly text: string } & (
  | { readonly kind: 'no-regression' }
  | { readonly kind: 'no-newly-failing'; readonly most: number }
  | { readonly kind: 'non-inferior'; readonly margin: number }
  | { readonly kind: 'pass-rate' | 'score'; readonly least: number; readonly isLower: boolean }
  | { readonly kind: 'cost' | 'latency'; readonly rise: number; readonly isClear: boolean }
  | { readonly kind: 'errors'; readonly most: number }
)

/** The rule of a gate that names none. */
export const DEFAULT_RULE = 'no-regression'

/** A text is no rule. The message names the rule and what it needs. */
export class BadRule extends Error {
  override readonly name = 'BadRule'
}

/** A rule that can be judged without a baseline. */
export type RuleOfOneRun = Extract<Rule, { kind: 'pass-rate' | 'score' | 'errors' }>
/** A rule about a run and its baseline. */
export type ComparingRule = Exclude<Rule, RuleOfOneRun>

export const needsBaseline = (rule: Rule): rule is ComparingRule =>
  rule.kind !== 'pass-rate' && rule.kind !== 'score' && rule.kind !== 'errors'

/**
 * Reads `no-regression`, `no-newly-failing[:N]`, `non-inferior:M`, `pass-rate:[lower:]X`, `score:[lower:]X`, `cost:[clear:]+P%`,
 * `latency:[clear:]+P%` or `errors:N`. M and X are shares: `0.05` or `5%`. Throws `BadRule`.
 */
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
    default:
      throw bad(
        text,
        'is not known: no-regression, no-newly-failing[:N], non-inferior:M, pass-rate:X, score:X, cost:[clear:]+P%, latency:[clear:]+P%, errors:N',
      )
  }
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
