import { isObject } from '../../../domain/plain/is-object.ts'
import type { CaseDetail } from '../../../queries/cases/cases.ts'
import { assertionName } from '../../../domain/lists/assertion-name.ts'
import { assertionThreshold } from './assertions/assertion.ts'
import { jsonText } from '../../text/json-text.ts'
import { promptTurns } from './conversation/turns.ts'

/** A named part of what a case was given, or of what it should answer. */
export type NamedText = { readonly name: string; readonly text: string }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value, true))

/** What the case was given: its variables, then its prompt; of a conversation, what the user said first. */
export const inputOf = ({ vars, prompt }: Pick<CaseDetail, 'vars' | 'prompt'>): NamedText[] => {
  const given = promptTurns(prompt).find(({ role }) => role === 'user' || role === 'prompt')
  const text = given?.blocks.map((block) => block.text).join('\n\n') ?? ''
  const variables = isObject(vars) ? Object.entries(vars).map(([name, value]) => ({ name, text: textOf(value) })) : []
  // A prompt is often a variable alone.
  if (text === '' || variables.some((variable) => variable.text === text)) return variables
  return [...variables, { name: given?.role === 'user' ? 'user' : 'prompt', text }]
}

/** Fields of a definition that say what the answer should be. */
const EXPECTED_FIELDS = ['expected', 'target', 'answer', 'reference', 'value', 'values']

/** The scores that assertions need, by threshold: `accuracy and completeness at 0.80 or more`. */
const neededScores = (asserts: CaseDetail['asserts']): NamedText[] => {
  const names = new Map<number, Set<string>>()
  for (const assertion of asserts) {
    const needs = assertionThreshold(assertion)
    if (needs !== null) names.set(needs, (names.get(needs) ?? new Set()).add(assertionName(assertion).title))
  }
  return [...names].map(([needs, titles]) => ({
    name: 'score',
    text: `${[...titles].join(', ').replace(/, ([^,]*)$/, ' and $1')} at ${needs.toFixed(2)} or more`,
  }))
}

/**
 * What the definitions of the assertions expect, each once; if none says so, the scores that they need. Expected calls of tools are
 * shown with their assertion.
 */
export const expectedOf = ({ asserts }: Pick<CaseDetail, 'asserts'>): NamedText[] => {
  const found = new Map<string, NamedText>()
  for (const { kind, criteria } of asserts) {
    if (kind === 'tool-call' || !isObject(criteria)) continue
    const field = EXPECTED_FIELDS.find((name) => criteria[name] !== undefined && criteria[name] !== null)
    if (field === undefined) continue
    const text = textOf(criteria[field])
    if (text !== '' && !found.has(text)) found.set(text, { name: kind, text })
  }
  return found.size > 0 ? [...found.values()] : neededScores(asserts)
}
