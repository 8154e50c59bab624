import { isObject } from '../../../../domain/plain/is-object.ts'
import type { CaseDetail } from '../../../../queries/cases/cases.ts'
import { toolCalls, promptTurns } from '../conversation/turns.ts'

type Fields = Readonly<Record<string, unknown>>

/** An argument that a call should have: any of the allowed values. `isOptional`: it may also be missing. */
export type ExpectedArgument = {
  readonly name: string
  readonly allowed: readonly unknown[]
  readonly isOptional: boolean
}
/** A call that should be made. `isOpen`: it may have further arguments. */
export type ExpectedCall = {
  readonly name: string
  readonly arguments: readonly ExpectedArgument[]
  readonly isOpen: boolean
}
/** A call that was made, with its place among all calls, from 1 on. */
export type Called = { readonly number: number; readonly name: string; readonly arguments: Fields }

const expectedArguments = (call: Fields): Fields => {
  for (const name of ['arguments', 'args', 'kwargs', 'parameters', 'input']) if (isObject(call[name])) return call[name]
  return {}
}

const oneCall = (value: unknown): ExpectedCall | null => {
  if (!isObject(value)) return null
  const call = isObject(value['function']) ? value['function'] : value
  const name = call['name'] ?? call['tool']
  if (typeof name !== 'string') return null
  return {
    name,
    arguments: Object.entries(expectedArguments(call)).map(([argument, expected]) => ({
      name: argument,
      allowed: [expected],
      isOptional: false,
    })),
    isOpen: false,
  }
}

const calls = (value: unknown): ExpectedCall[] | null => {
  if (!Array.isArray(value) || value.length === 0) return null
  const found = value.map(oneCall)
  return found.every((call) => call !== null) ? found : null
}

/**
 * The answers of BFCL: by the name of a function, the allowed values of each argument. An empty text among them means that
 * the argument may be missing. A number after the name distinguishes several calls of one function.
 */
const possibleAnswer = (value: unknown): ExpectedCall[] | null => {
  const answers = (Array.isArray(value) ? value : [value]).flatMap((each) =>
    isObject(each) ? Object.entries(each) : [],
  )
  if (answers.length === 0) return null
  const isNumbered = answers.length > 1 && answers.every(([name]) => /_\d{1,3}$/.test(name))
  return answers.map(([name, values]) => ({
    name: isNumbered ? name.replace(/_\d{1,3}$/, '') : name,
    arguments: Object.entries(isObject(values) ? values : {}).map(([argument, allowed]) => {
      const list: readonly unknown[] = Array.isArray(allowed) ? allowed : [allowed]
      const filled = list.filter((each) => each !== '')
      return {
        name: argument,
        allowed: filled.length > 0 ? filled : list,
        isOptional: filled.length > 0 && filled.length < list.length,
      }
    }),
    isOpen: false,
  }))
}

const LISTS = ['actions', 'expected', 'expected_calls', 'expected_tool_calls', 'tool_calls', 'calls', 'value']

const expectedIn = (
  criteria: unknown,
): { readonly calls: readonly ExpectedCall[]; readonly fields: readonly string[] } | null => {
  if (!isObject(criteria)) return null
  const answers = possibleAnswer(criteria['possible_answer'])
  if (answers) return { calls: answers, fields: ['possible_answer'] }
  for (const name of LISTS) {
    const listed = calls(criteria[name])
    if (listed) return { calls: listed, fields: [name] }
  }
  const call = oneCall(criteria)
  return call && { calls: [{ ...call, isOpen: true }], fields: ['name', 'tool', 'args', 'arguments'] }
}

const argumentText = (value: unknown): string => JSON.stringify(value) ?? ''

/** All calls of the system under test: those in the conversation, then those of its final response. */
export const madeCalls = (detail: Pick<CaseDetail, 'prompt' | 'tool_calls'>): Called[] => {
  const inConversation = promptTurns(detail.prompt).flatMap(({ role, calls: made }) =>
    role === 'assistant' ? made : [],
  )
  const final = toolCalls(detail)
  const recorded = new Set(final.map(({ name, arguments: given }) => argumentText([name, given])))
  // Some documents list the calls of all turns as those of the final response.
  const isRepeated = inConversation.every(({ name, arguments: given }) => recorded.has(argumentText([name, given])))
  return (isRepeated ? final : [...inConversation, ...final]).map(({ name, arguments: given }, n) => ({
    number: n + 1,
    name,
    arguments: isObject(given) ? given : {},
  }))
}

/**
 * The calls that a definition expects, the fields of the definition that hold them, and the calls that were made. Null if
 * the definition has another shape.
 */
export const expectedCalls = (criteria: unknown, detail: Pick<CaseDetail, 'prompt' | 'tool_calls'>) => {
  const expected = expectedIn(criteria)
  return expected && { ...expected, called: madeCalls(detail) }
}
