import { describe, expect, it } from 'vitest'
import { importBytes, lossesOf } from '../../../support/interchange/import-files.ts'
import { promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

type Column = { readonly provider?: object; readonly prompt?: object; readonly promptId?: string }

/** An evaluation of two tests with these columns, and its cells by column: provider, prompt, numbers of the trials. */
const cellsOf = async (columns: readonly Column[], order: (rows: object[]) => object[] = (rows) => rows) => {
  const rows = ['a', 'b'].flatMap((word, testIdx) =>
    columns.map((column, promptIdx) =>
      promptfooRow({ testIdx, promptIdx, testCase: { vars: { word } }, vars: { word }, ...column }),
    ),
  )
  const results = await importBytes('a.json', promptfooExport(order(rows)))
  const cases = results[0]?.document?.cases ?? []
  const cells = cases.map(({ cell, raw }) => ({
    column: (raw as { promptIdx: number }).promptIdx,
    shown: `${cell.provider_id} | ${cell.prompt_id} | ${cell.repeat}`,
  }))
  const found = columns.map((_, at) => [
    ...new Set(cells.filter(({ column }) => column === at).map(({ shown }) => shown)),
  ])
  return { found: found.map((shown) => shown.join(' and ')), losses: lossesOf(results) }
}

const configured = (temperature: number) => ({ id: 'acme:m1', label: '', config: { temperature } })
const prompt = { raw: 'Say', label: 'short' }
const [d1, d2] = ['1'.repeat(64), '2'.repeat(64)]

describe('the columns of an evaluation of promptfoo', () => {
  it('are two for two configurations of one provider', async () => {
    const { found, losses } = await cellsOf([{ provider: configured(0) }, { provider: configured(1) }])
    expect(found).toEqual(['acme:m1 | short | 0', 'acme:m1#2 | short | 0'])
    expect(losses).toContainEqual(
      expect.objectContaining({ kind: 'assumed', path: 'results.results.*.promptIdx', count: 2 }),
    )
  })

  it('are two for two prompts with one label, with the same names for each provider', async () => {
    const other = { id: 'acme:m2', label: '' }
    const { found } = await cellsOf([
      { prompt, promptId: d1 },
      { prompt, promptId: d2 },
      { prompt, promptId: d2, provider: other },
    ])
    expect(found).toEqual(['openai:gpt-5 | short | 0', 'openai:gpt-5 | short#2 | 0', 'acme:m2 | short#2 | 0'])
  })

  it('keep their names where no other column has the same', async () => {
    const { found, losses } = await cellsOf([
      { provider: configured(0), prompt, promptId: d1 },
      { provider: { id: 'acme:m2', label: '' }, prompt, promptId: d2 },
    ])
    expect(found).toEqual(['acme:m1 | short | 0', 'acme:m2 | short | 0'])
    expect(losses.map(({ path }) => path)).not.toContain('results.results.*.promptIdx')
  })

  it('do not depend on the order of the rows, nor take a name that another column has', async () => {
    const columns = [
      { provider: configured(0) },
      { provider: { id: 'acme:m1#2' } },
      { provider: configured(1) },
      { provider: configured(2) },
    ]
    const names = ['acme:m1', 'acme:m1#2', 'acme:m1#3', 'acme:m1#4'].map((name) => `${name} | short | 0`)
    expect((await cellsOf(columns)).found).toEqual(names)
    expect((await cellsOf(columns, (rows) => rows.toReversed())).found).toEqual(names)
  })
})
