import { counted } from '../../domain/plain/counted.ts'
import { outputText } from '../../domain/run/document.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import type { AssertionResult } from '../assertions/assertion.ts'
import type { CaseDocument } from '../runner/run-document.ts'
import type { Turn } from '../suite/suite.ts'
import { countText, usdText } from './numbers.ts'
import { GLYPHS, type Paint } from './paint.ts'
import { caseName } from '../../domain/lists/case-name.ts'

const WIDTH = 80

const ASSERTION_GLYPHS = {
  pass: GLYPHS.pass,
  fail: GLYPHS.fail,
  error: GLYPHS.error,
  skipped: GLYPHS.skip,
} as const

type DetailOptions = {
  readonly paint: Paint
  readonly raw: boolean
}

/** One case in full, for a terminal: what was sent, what came back, and how it was graded. */
export const caseDetail = (item: CaseDocument, { paint, raw }: DetailOptions): string => {
  const lines = [
    heading(item, paint),
    where(item),
    ...(item.expect_fail_reason === undefined ? [] : [`expected to fail: ${printable(item.expect_fail_reason)}`]),
    measures(item),
    ...(item.tags === undefined || item.tags.length === 0 ? [] : [`tags: ${item.tags.map(printable).join(', ')}`]),
    ...fallbackLine(item),
    ...section(paint, 'prompt', promptText(item.prompt)),
    ...section(paint, 'asserts', item.asserts.map((result) => assertionText(result, paint)).join('\n')),
    ...section(paint, 'output', outputAndCalls(item)),
    ...(item.error === undefined ? [] : ['', paint('bad', `error: ${printableLines(item.error)}`)]),
    ...section(paint, 'error details', jsonText(item.error_details)),
    ...(raw ? section(paint, 'raw', item.raw === undefined ? 'raw: not recorded' : jsonText(item.raw)) : []),
  ]
  return `${lines.join('\n')}\n`
}

const heading = (item: CaseDocument, paint: Paint): string => {
  const [glyph, style] = GLYPHS[item.status]
  const name = printable(caseName(item))
  const key = `[${printable(item.case_key)}]`
  const gap = Math.max(2, WIDTH - glyph.length - 2 - [...name].length - key.length)
  return `${paint(style, glyph)}  ${paint('strong', name)}${' '.repeat(gap)}${paint('quiet', key)}`
}

const parts = (values: ReadonlyArray<string | false>): string =>
  values
    .filter((value) => value !== false)
    .map(printable)
    .join(' · ')

const where = ({ cell, model, attempts, cached, answered_by_provider_id: answered }: CaseDocument): string =>
  parts([
    `provider ${cell.provider_id}`,
    cell.prompt_id !== undefined && `prompt ${cell.prompt_id}`,
    `test ${cell.test_id}`,
    model !== undefined && `model ${model}`,
    cell.repeat > 0 && `repeat ${cell.repeat}`,
    counted(attempts, 'attempt'),
    cached && 'cached',
    answered !== undefined && `answered by ${answered} (fallback)`,
  ])

const measures = ({ score, latency_ms, usage, cost_usd, stop_reason }: CaseDocument): string =>
  parts([
    `score ${score.toFixed(2)}`,
    `${latency_ms} ms`,
    usage !== undefined &&
      `${countText(usage.input_tokens + (usage.cache_read_tokens ?? 0))} in / ${countText(usage.output_tokens)} out tokens`,
    cost_usd !== undefined && usdText(cost_usd),
    stop_reason !== undefined && `stop: ${stop_reason}`,
  ])

const fallbackLine = ({ fallback_attempts: attempts = [] }: CaseDocument): string[] => {
  if (attempts.length === 0) return []
  const tried = attempts.map(
    ({ provider_id, empty_reason, error_class }) => `${provider_id} (${error_class ?? empty_reason ?? 'unknown'})`,
  )
  return [`fallback: tried ${printable(tried.join(', '))}`]
}

/** A section with a title, indented; nothing if it is empty. */
const section = (paint: Paint, title: string, text: string): string[] =>
  text === '' ? [] : ['', paint('strong', title), text.replace(/^(?=.)/gm, '  ')]

const promptText = (prompt: CaseDocument['prompt']): string => {
  if (prompt === undefined) return ''
  return 'text' in prompt ? printableLines(prompt.text) : prompt.messages.map(turnText).join('\n')
}

const turnText = ({ role, content, tool_calls: calls = [] }: Turn): string => {
  const texts =
    content === undefined
      ? []
      : typeof content === 'string'
        ? [content]
        : content.map((block) => (block.type === 'text' ? block.text : `(thinking) ${block.thinking}`))
  const requested = calls.map(({ name, arguments: given }) => `→ ${name} ${JSON.stringify(given)}`)
  return `[${role}] ${printableLines([...texts.filter((text) => text !== ''), ...requested].join('\n'))}`
}

const assertionText = ({ status, kind, score, weight, reason, details }: AssertionResult, paint: Paint): string => {
  const [glyph, style] = ASSERTION_GLYPHS[status]
  const line = `${paint(style, glyph)}${' '.repeat(6 - glyph.length)}${kind}  ${score.toFixed(2)}  ×${weight}${reason === '' ? '' : `  ${printableLines(reason)}`}`
  const more = jsonText(details)
  return more === '' ? line : `${line}\n${more.replace(/^/gm, '      ')}`
}

const outputAndCalls = ({ output, tool_calls: calls = [] }: CaseDocument): string => {
  const text = typeof output === 'object' && output !== null ? jsonText(output) : (outputText(output) ?? '')
  const requested = calls.map(({ name, arguments: given }) => `→ ${name} ${JSON.stringify(given)}`)
  return printableLines([...(text === '' ? [] : [text]), ...requested].join('\n'))
}

const jsonText = (value: unknown): string =>
  value === undefined || value === null ? '' : printableLines(JSON.stringify(value, null, 2))
