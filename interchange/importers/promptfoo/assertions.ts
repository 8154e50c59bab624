import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, AssertionKind } from '../../document/case/case-draft.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import { dropZeroTokens } from './usage.ts'

/** Types of promptfoo that are a kind of this service under the same name. */
const SAME: ReadonlySet<string> = new Set<AssertionKind>([
  'contains',
  'contains-json',
  'cost',
  'equals',
  'icontains',
  'icontains-any',
  'is-json',
  'latency',
  'llm-rubric',
  'regex',
  'similar',
  'starts-with',
])

/** Types that are a kind under another name. A judge model is `llm-rubric`. Any type that is not here is `exec`. */
const OTHER: Readonly<Record<string, AssertionKind>> = {
  'contains-any': 'icontains-any',
  'similar:cosine': 'similar',
  'similar:dot': 'similar',
  'similar:euclidean': 'similar',
  'agent-rubric': 'llm-rubric',
  'answer-relevance': 'llm-rubric',
  'context-faithfulness': 'llm-rubric',
  'context-recall': 'llm-rubric',
  'context-relevance': 'llm-rubric',
  'conversation-relevance': 'llm-rubric',
  factuality: 'llm-rubric',
  'g-eval': 'llm-rubric',
  'model-graded-closedqa': 'llm-rubric',
  'model-graded-factuality': 'llm-rubric',
  'search-rubric': 'llm-rubric',
  'select-best': 'llm-rubric',
  'trajectory:goal-success': 'llm-rubric',
  'is-valid-function-call': 'tool-call',
  'is-valid-openai-function-call': 'tool-call',
  'is-valid-openai-tools-call': 'tool-call',
  'tool-call-f1': 'tool-call',
}

/** Graders of red-team plugins are judge models: `promptfoo:redteam:harmful`. */
const RED_TEAM = 'promptfoo:redteam:'
const SET = 'assert-set'
const NEGATION = 'not-'

/** The assertions of a case in their order. `components` is `gradingResult.componentResults`. */
export const promptfooAssertions = (components: readonly Json[], path: string): AssertionDraft[] =>
  withoutFlatCopies(components).map((component) =>
    isObject(component)
      ? promptfooAssertion(rowOf(component, path))
      : { name: null, kind: 'exec', passed: null, status: 'skipped', score: null, details: { value: component } },
  )

/** The members of a set follow it once more, as members of the list: they are left out there. */
const withoutFlatCopies = (components: readonly Json[]): readonly Json[] => {
  const kept: Json[] = []
  for (let at = 0; at < components.length; at++) {
    const component = components[at]!
    kept.push(component)
    const members = membersOf(component)
    if (members.length > 0 && members.every((member, index) => isCopy(components[at + 1 + index], member, component)))
      at += members.length
  }
  return kept
}

const membersOf = (component: Json): readonly Json[] => {
  const members = isObject(component) ? component['componentResults'] : null
  return Array.isArray(members) ? (members as Json[]) : []
}

/** A member without an assertion of its own is copied with the one of its set. */
const isCopy = (copy: Json | undefined, member: Json, set: Json): boolean => {
  if (copy === undefined) return false
  const text = JSON.stringify(copy)
  if (text === JSON.stringify(member)) return true
  return isObject(member) && isObject(set) && text === JSON.stringify({ ...member, assertion: set['assertion'] })
}

/** Reads one element of the results, or a result that is not in a list. */
export const promptfooAssertion = (row: Row): AssertionDraft => {
  const assertion = row.row('assertion')
  const set = row.row('metadata')?.row('assertionSet') ?? null
  const settings = assertion ?? set
  const type = settings?.text('type') ?? (row.has('componentResults') ? SET : null)
  const { kind, originalType, isNegated } = promptfooKind(type)
  const members = row.take('componentResults')
  const metric = settings?.text('metric') ?? null
  const weight = settings?.number('weight') ?? null
  const passed = row.boolean('pass')
  const score = row.number('score')
  const reason = row.text('reason')
  const criteria = settings?.rest() ?? null
  for (const key of settings?.keys() ?? []) settings?.take(key)
  dropZeroTokens(row.row('tokensUsed'))
  const details = {
    ...row.rest(),
    ...(Array.isArray(members) && members.length > 0 && { members: membersAsRead(members) }),
  }
  return {
    name: metric,
    kind,
    originalType,
    passed,
    score,
    // Every assertion of promptfoo has a score of which a high value is good.
    lowerIsBetter: false,
    threshold: passed === null && typeof criteria?.['threshold'] === 'number' ? criteria['threshold'] : null,
    ...(weight !== null && { weight, decides: weight !== 0 }),
    reason,
    ...(Object.keys(details).length > 0 && { details }),
    criteria: { ...(isNegated && { negate: true }), ...criteria },
  }
}

/** The members as promptfoo writes them, without members of zeros. */
const membersAsRead = (members: readonly Json[]): Json[] =>
  members.map((member) => {
    if (isObject(member)) dropZeroTokens(rowOf(member, '').row('tokensUsed'))
    return member
  })

const promptfooKind = (type: string | null) => {
  if (type === null) return { kind: 'exec' as const, originalType: null, isNegated: false }
  const isNegated = type.startsWith(NEGATION)
  const base = isNegated ? type.slice(NEGATION.length) : type
  if (SAME.has(base)) return { kind: base as AssertionKind, originalType: null, isNegated }
  const known = Object.hasOwn(OTHER, base) ? OTHER[base] : undefined
  const kind = known ?? (base.startsWith(RED_TEAM) ? 'llm-rubric' : 'exec')
  return { kind, originalType: base, isNegated }
}
