import { pairAsserts } from '../../../../domain/statistics/pair-asserts.ts'
import type { CaseDetail } from '../../../../queries/cases/cases.ts'

type Assertion = CaseDetail['asserts'][number]
export type AssertionPair = { readonly base: Assertion; readonly head: Assertion; readonly isFlipped: boolean }

/** The assertions that two cases share, with those whose verdict differs first. */
export const assertionPairs = (base: readonly Assertion[], head: readonly Assertion[]): AssertionPair[] => {
  const pairs = pairAsserts(base, head).map(([before, after]): AssertionPair => ({
    base: before,
    head: after,
    isFlipped: (before.status === 'pass') !== (after.status === 'pass'),
  }))
  return [...pairs.filter(({ isFlipped }) => isFlipped), ...pairs.filter(({ isFlipped }) => !isFlipped)]
}

const field = (value: unknown, name: string): string | null => {
  const found = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null
  return typeof found === 'string' && found !== '' ? found : null
}

/** The name of an assertion: of its criteria or metric, else its kind; and its judge, if it names one. */
export const assertionName = ({
  kind,
  criteria,
  details,
}: Pick<Assertion, 'kind' | 'criteria' | 'details'>): { readonly name: string; readonly judge: string | null } => ({
  name:
    field(criteria, 'name') ?? field(criteria, 'metric') ?? field(details, 'name') ?? field(details, 'metric') ?? kind,
  judge: field(details, 'judge') ?? field(criteria, 'judge'),
})

/** The score that an assertion needs; null if it has no threshold. */
const thresholdOf = (criteria: unknown): number | null => {
  const found = typeof criteria === 'object' && criteria !== null && 'threshold' in criteria ? criteria.threshold : null
  return typeof found === 'number' ? found : null
}

/** A score of two decimals; three where two would reach the threshold that the assertion missed: `0.798`. */
export const scoreText = (score: number, { status, criteria }: Pick<Assertion, 'status' | 'criteria'>): string => {
  const threshold = thresholdOf(criteria)
  const text = score.toFixed(2)
  const isReached = threshold !== null && score < threshold && Number(text) >= threshold
  return status !== 'pass' && isReached ? score.toFixed(3) : text
}

/** What a pair of assertions needs, where a score decides: `needs 0.80`, or `needed 0.70, now 0.80`. */
export const thresholdText = ({ base, head }: Pick<AssertionPair, 'base' | 'head'>): string => {
  const [before, after] = [thresholdOf(base.criteria), thresholdOf(head.criteria)]
  if (after === null) return before === null ? '' : `needed ${before.toFixed(2)}, now no threshold`
  return before === null || before === after
    ? `needs ${after.toFixed(2)}`
    : `needed ${before.toFixed(2)}, now ${after.toFixed(2)}`
}

/** A reason from its first line that says `fail` on, because judges list what passed first. */
export const fromFirstFailure = (reason: string): { readonly text: string; readonly isCut: boolean } => {
  const start = /^.*\bfail/im.exec(reason)?.index ?? 0
  return {
    text: reason
      .slice(start)
      .trim()
      .replace(/\n\s*\n/g, '\n'),
    isCut: start > 0,
  }
}

/** Tool calls as text, a line for each argument. */
export const callText = (calls: CaseDetail['tool_calls']): string =>
  (calls ?? [])
    .map(({ name, ...call }) =>
      [name, ...Object.entries(callArguments(call)).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)].join(
        '\n',
      ),
    )
    .join('\n')

const callArguments = (call: object): object => {
  const given: unknown = 'arguments' in call ? call.arguments : null
  return typeof given === 'object' && given !== null ? given : given === null ? {} : { arguments: given }
}
