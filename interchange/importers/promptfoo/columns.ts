import { sha256 } from '../../document/identity.ts'
import { rowOf, type Row } from '../../read/row.ts'
import { numberedName, uniqueNames } from '../../../domain/text/unique-names.ts'
import type { EvaluationRow } from './tests.ts'

/** What a column of an evaluation shows. */
type Shown = { readonly provider: string; readonly prompt: string }

/** By number, the names of the columns whose own name another column has too. */
export type ColumnPlan = ReadonlyMap<number, { readonly shown: Shown; readonly named: Shown }>

type Column = Shown & { readonly digest: string; readonly test: number }

const DIGEST_DIGITS = 12
/** Prompts whose texts are listed: an evaluation has a few. */
const MAX_PROMPTS = 1_000

/** A provider is a text in old files. A label may be empty. */
export const promptfooProvider = (row: Row): { readonly provider?: string; readonly provider_id: string | null } => {
  const provider = row.row('provider')
  const name = provider === null ? row.text('provider') : null
  const label = provider?.text('label') || null
  const id = provider?.text('id') ?? null
  const shown = label ?? id ?? name
  return {
    ...(shown !== null && { provider: shown }),
    provider_id: label !== null && id !== null && id !== label ? id : null,
  }
}

/**
 * The label of the prompt, unless it is the text of the prompt itself, as promptfoo sets it by default: then the first
 * digits of the digest, which are the same for the same prompt in every evaluation.
 */
export const promptIdOf = (prompt: Row | null, digest: string | null, texts: Map<string, string>): string | null => {
  const label = prompt?.text('label') || prompt?.text('display') || null
  const raw = prompt?.peek('raw')
  if (label !== null && !isPromptItself(label, raw)) return label
  const text = label ?? (typeof raw === 'string' ? raw : null)
  if (digest === null && text === null) return null
  const id = (digest ?? sha256(text!)).slice(0, DIGEST_DIGITS)
  if (label !== null && label !== raw && texts.size < MAX_PROMPTS) texts.set(id, label)
  return id
}

/** A template has places for variables; the label of a prompt from a file begins with the name of the file. */
const isPromptItself = (label: string, raw: unknown): boolean =>
  label === raw || /\{\{|\{%/.test(label) || (typeof raw === 'string' && raw !== '' && label.endsWith(raw))

/**
 * Collects the columns of an evaluation from its rows, in any order. promptfoo numbers them: two configurations of one
 * provider are two columns, and so are two prompts with one label.
 */
export const columnCollector = () => {
  const columns = new Map<number, Column>()
  return {
    add: (row: EvaluationRow): void => {
      const { promptIdx: number, promptId } = row
      if (typeof number !== 'number') return
      const test = typeof row['testIdx'] === 'number' ? row['testIdx'] : 0
      // The names come from the first test of a column, so that the order of the rows does not matter.
      if ((columns.get(number)?.test ?? Infinity) <= test) return
      const copy = rowOf(structuredClone({ provider: row['provider'] ?? null, prompt: row['prompt'] ?? null }), '')
      const digest = typeof promptId === 'string' ? promptId : ''
      const prompt = promptIdOf(copy.row('prompt'), digest || null, new Map()) ?? ''
      columns.set(number, { provider: promptfooProvider(copy).provider ?? '', prompt, digest, test })
    },
    plan: (): ColumnPlan => planColumns([...columns].sort(([a], [b]) => a - b)),
  }
}

/** A prompt is numbered if one provider has two of its label; a provider, if it has one prompt twice. */
const planColumns = (columns: ReadonlyArray<readonly [number, Column]>): ColumnPlan => {
  const all = columns.map(([, column]) => column)
  const uniquePrompt = uniqueNames(numberedName)
  for (const prompt of new Set(all.map(({ prompt }) => prompt))) uniquePrompt(prompt)
  const prompts = new Map<Column, string>()
  for (const [prompt, same] of Map.groupBy(all, (column) => column.prompt)) {
    const isFolded = [...Map.groupBy(same, ({ provider }) => provider).values()].some(
      (ofProvider) => new Set(ofProvider.map(({ digest }) => digest)).size > 1,
    )
    const [first, ...others] = isFolded ? Map.groupBy(same, ({ digest }) => digest).values() : [same]
    for (const column of first ?? []) prompts.set(column, prompt)
    for (const ofDigest of others) {
      const name = uniquePrompt(prompt)
      for (const column of ofDigest) prompts.set(column, name)
    }
  }
  const plan = new Map<number, { shown: Shown; named: Shown }>()
  for (const [prompt, same] of Map.groupBy(columns, ([, column]) => prompts.get(column)!)) {
    const uniqueProvider = uniqueNames(numberedName)
    const first = new Map(same.toReversed().map(([number, { provider }]) => [provider, number]))
    for (const provider of first.keys()) uniqueProvider(provider)
    for (const [number, shown] of same) {
      const provider = first.get(shown.provider) === number ? shown.provider : uniqueProvider(shown.provider)
      if (prompt !== shown.prompt || provider !== shown.provider)
        plan.set(number, { shown, named: { provider, prompt } })
    }
  }
  return plan
}

/** The names of the column of a row: those it shows, unless another column shows the same. */
export const namedIn = (plan: ColumnPlan, number: unknown, provider: string | null, prompt: string | null) => {
  const found = plan.get(number as number)
  const isOfColumn = found?.shown.provider === (provider ?? '') && found.shown.prompt === (prompt ?? '')
  if (!found || !isOfColumn) return { provider, prompt, isNumbered: false }
  const { named } = found
  return { provider: named.provider || null, prompt: named.prompt || null, isNumbered: true }
}
