import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import type { Json } from '../../../domain/run/readers.ts'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { MAX_VALUES } from '../../../domain/run/scan.ts'
import { sha256 } from '../../document/identity.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { storedJson } from '../../read/rows/records.ts'
import { isObject, rowOf } from '../../read/row.ts'
import { type SourceFile, wholeFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { promptfooRun } from './evaluation.ts'
import { promptfooHead } from './head.ts'
import { splitYaml } from './yaml-parts.ts'
import { textAt } from '../../read/members.ts'

const MAX_YAML_BYTES = 64 * 1024 * 1024
/** The parser takes about 70 times the size of a text that it parses at once. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024
const MAX_NESTING = 200
const PATH = 'results.results.*'

/** Reads a YAML export, which is the JSON output in other words. It is whole in memory, its rows as JSON. */
export const yamlFile = async function* ({ file }: Source, hasEvidence: boolean): AsyncGenerator<SourceRun> {
  const text = await wholeText(file)
  const losses = newLosses()
  const { top, rows } = evaluationIn(text, losses)
  const stamp = sha256(text)
  const rowsOf = function* () {
    for (const row of rows) yield storedJson(row)
  }
  yield promptfooRun({
    identity: textAt(top, 'evalId') ?? stamp,
    stamp,
    path: PATH,
    hasEvidence,
    rows: rowsOf,
    testRows: rowsOf,
    config: () => top['config'] ?? null,
    head: (found, promptTexts) => {
      found.addAll(losses.all())
      return promptfooHead(rowOf(structuredClone(top), ''), found, promptTexts)
    },
  })
}

const TABLE_NOTE = 'the rows again, as a table'

type YamlEvaluation = { readonly top: Record<string, Json>; readonly rows: readonly Buffer[] }

const evaluationIn = (text: string, losses: Losses): YamlEvaluation => {
  const { rest, rows, leftOut } = splitYaml(text)
  if (rows.length === 0) return wholeEvaluation(text, losses)
  const ofParts = newLosses()
  const budget = newBudget(ofParts)
  try {
    const found = rows.map((row) => rowIn(parseYaml(row), budget))
    const top = budget.json(parseYaml(rest), '')
    if (!isObject(top)) throw new SourceRefused('the top of the file is no mapping')
    losses.addAll(ofParts.all())
    if (leftOut > 0) losses.addBytes('left_out', 'results.table', leftOut, TABLE_NOTE)
    return { top, rows: found }
  } catch (error) {
    if (!(error instanceof UnknownAlias)) throw error
  }
  // An alias repeats a part of another row.
  return wholeEvaluation(text, losses)
}

/** Parses the text at once, for a file whose rows cannot be parsed one by one. */
const wholeEvaluation = (text: string, losses: Losses): YamlEvaluation => {
  if (text.length > MAX_WHOLE_BYTES)
    throw new SourceRefused(
      `a YAML file with aliases, or of another layout, and more than ${MAX_WHOLE_BYTES} bytes: export JSON`,
    )
  const budget = newBudget(losses)
  const whole = parseYaml(text)
  if (!isObject(whole)) throw new SourceRefused('the top of the file is no mapping')
  const results = whole['results']
  const list = isObject(results) ? results['results'] : results
  const rows = (Array.isArray(list) ? list : []).map((row: Json) => rowIn([row], budget))
  const { table, ...others } = isObject(results) ? results : {}
  if (table !== undefined) losses.addBytes('left_out', 'results.table', 0, TABLE_NOTE)
  const top = budget.json({ ...whole, results: isObject(results) ? { ...others, results: [] } : [] }, '')
  return { top: top as Record<string, Json>, rows }
}

const rowIn = (items: unknown, budget: ReturnType<typeof newBudget>): Buffer => {
  const [row] = Array.isArray(items) ? (items as unknown[]) : []
  if (!isObject(row)) throw new SourceRefused('a result is no mapping')
  return Buffer.from(JSON.stringify(budget.json(row, PATH)), 'utf8')
}

/** Copies values that JSON can have. Aliases may stand for more values than there is memory: they are counted. */
const newBudget = (losses: Losses) => {
  let values = 0
  const json = (value: unknown, path: string, depth = 0): Json => {
    values += 1
    if (values > MAX_VALUES) throw new SourceRefused(`more than ${MAX_VALUES} values, aliases included`)
    if (depth > MAX_NESTING) throw new SourceRefused(`nested deeper than ${MAX_NESTING}`)
    if (Array.isArray(value)) return value.map((item) => json(item, path, depth + 1))
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, json(member, path, depth + 1)]))
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value === 'bigint') return parseExact(String(value)) as Json
    if (typeof value === 'number') losses.add('changed', path, String(value), 'not a number: null')
    return null
  }
  return { json }
}

class UnknownAlias extends SourceRefused {}

/**
 * Reads the value of a node. An alias is the value of the last anchor of its name before it. The library searches the
 * whole document for each alias, which takes minutes for an export of a few megabytes.
 */
const valueReader = () => {
  const anchors = new Map<string, unknown>()
  const plain = (node: unknown): unknown => {
    if (isAlias(node)) {
      if (!anchors.has(node.source))
        throw new UnknownAlias(`not valid YAML: the alias ${node.source.slice(0, 100)} has no anchor before it`)
      return anchors.get(node.source)
    }
    if (isMap(node))
      return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(valueOf(key)), valueOf(value)]))
    if (isSeq(node)) return node.items.map(valueOf)
    return isScalar(node) ? node.value : null
  }
  const valueOf = (node: unknown): unknown => {
    const value = plain(node)
    if (isNode(node) && 'anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, value)
    return value
  }
  return valueOf
}

const keyOf = (key: unknown): string =>
  typeof key === 'string' || typeof key === 'bigint'
    ? String(key)
    : key === null
      ? ''
      : JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

const parseYaml = (text: string): unknown => {
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      intAsBigInt: true,
    })
    const [fault] = document.errors
    if (fault) throw new SourceRefused(`not valid YAML: ${fault.message.slice(0, 200)}`)
    return valueReader()(document.contents)
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw new SourceRefused('the YAML is nested too deeply', { cause: error })
    throw error
  }
}

const wholeText = async (file: SourceFile): Promise<string> => {
  const bytes = await wholeFile(file, MAX_YAML_BYTES, `a YAML file of more than ${MAX_YAML_BYTES} bytes: export JSON`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new SourceRefused('not valid UTF-8', { cause: error })
  }
}
