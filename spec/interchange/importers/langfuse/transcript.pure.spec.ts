import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAX_PART_BYTES } from '../../../../domain/evidence/manifest.ts'
import { copyOf } from '../../../../interchange/document/evidence/case-parts.ts'
import { importFiles, importFolder, lossesOf } from '../../../support/interchange/import-files.ts'
import {
  entriesOf,
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'
import { digestOf } from '../../../support/documents/parts.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-langfuse-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const PICTURE = Buffer.from('a picture of a map of Peru')
const MEDIA = '@@@langfuseMedia:type=image/png|id=media-1|source=bytes@@@'
const observation = (id: string, type: string, parent: string | null, more: object) => ({
  ...{ id, traceId: 't-1', type, name: `${type} ${id}`, parentObservationId: parent, level: 'DEFAULT' },
  ...{ startTime: `2025-03-02T09:00:0${id}.000Z`, endTime: `2025-03-02T09:00:0${id}.500Z` },
  ...more,
})
const OBSERVATIONS = [
  observation('3', 'TOOL', '1', { input: { country: 'Peru' }, output: { capital: 'Lima' } }),
  observation('1', 'AGENT', null, { input: 'ask', metadata: { step: 'first' } }),
  observation('2', 'GENERATION', '1', {
    input: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: MEDIA } }] },
    ],
    output: { role: 'assistant', content: 'calling' },
    ...{ model: 'large-2', modelParameters: { temperature: 0.5 }, calculatedTotalCost: 0.25 },
    usageDetails: { input: 70, output: 9, input_cached_tokens: 30 },
  }),
  observation('4', 'GENERATION', '1', {
    input: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'again' },
    ],
    ...{
      output: 'Lima',
      model: 'large-2',
      level: 'ERROR',
      statusMessage: 'cut off',
      usageDetails: { input: 5, output: 1 },
    },
  }),
  observation('5', 'SPAN', 'gone', { output: `see ${MEDIA}` }),
]
const FILES = {
  'dataset-run-items.json': [
    { id: 'r', datasetRunId: 'run-1', datasetItemId: 'i-1', traceId: 't-1', createdAt: '2025-03-02T09:00:00Z' },
  ],
  'traces.json': [
    {
      ...{ id: 't-1', timestamp: '2025-03-02T09:00:00Z', htmlPath: '/t', input: 'q', output: MEDIA },
      observations: OBSERVATIONS,
    },
  ],
}
const texts = Object.fromEntries(Object.entries(FILES).map(([name, value]) => [name, JSON.stringify(value)]))

it('the observations of a trace are its transcript, as a tree by their parents', async () => {
  const [result] = await importFiles(texts, keepingIn(folder))
  const [lines] = transcriptsOf(evidenceOf(result))
  expect(lines!.map(({ type, id, parent, name }) => [type, id, parent, name]).slice(1)).toEqual([
    ['span', '1', undefined, 'AGENT 1'],
    ['message', '2.message-0', '1', undefined],
    ['message', '2.message-1', '1', undefined],
    ['model', '2', '1', 'GENERATION 2'],
    ['message', '2.answer.message-2', '1', undefined],
    ['tool', '3', '1', 'TOOL 3'],
    ['message', '4.message-3', '1', undefined],
    ['model', '4', '1', 'GENERATION 4'],
    ['message', '4.answer.message-4', '1', undefined],
    ['span_end', '1.end', '1', undefined],
    ['other', '5', undefined, 'SPAN 5'],
  ])
  expect(lines![0]).toEqual({ transcript: 1, source: { format: 'langfuse', path: 't-1' } })
  expect(lines![4]).toMatchObject({ model: 'large-2', input: [[0, 1]], output: [[2, 2]], ms: 500, cost_usd: 0.25 })
  expect(lines![8]).toMatchObject({
    input: [
      [0, 0],
      [3, 3],
    ],
    error: { message: 'cut off' },
  })
  expect(outlineTotals(lines!)).toMatchObject({ input_tokens: 105, output_tokens: 10, cost_usd: 0.25 })
})

it('each leaf of an observation is in its line, in a part, or in the case', async () => {
  const [result] = await importFiles(texts, keepingIn(folder))
  const leaves = leavesOf(OBSERVATIONS)
    // An end is the start and the duration; types of events have other names.
    .filter(({ path }) => !/(?:endTime|^\*\.type|\.level)$/.test(path))
  expect(missingLeaves(leaves, [result!.document!.bytes], [], partValues(evidenceOf(result)))).toEqual([])
  const [plain] = await importFiles(texts)
  expect(result!.document!.cases).toEqual(plain!.document!.cases)
})

it('a saved file stands in the place of its name, and one inside of a text is a part too; others are recorded', async () => {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'media'), { recursive: true })
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(source, name), text)
  const [without] = await importFolder(source, keepingIn(folder))
  expect(lossesOf([without!])).toContainEqual(
    expect.objectContaining({
      path: '(media)',
      note: expect.stringMatching(/^a file of Langfuse that is in no folder of the import: .*--files/) as string,
    }),
  )
  writeFileSync(join(source, 'media', 'media-1.png'), PICTURE)
  const [result] = await importFolder(source, keepingIn(folder))
  const digest = digestOf(PICTURE)
  expect(result!.document!.cases[0]!.output).toBe(`part:${digest}`)
  expect(entriesOf(evidenceOf(result)).filter((entry) => entry.sha256 === digest)).toMatchObject([
    { role: 'output', name: 'media-1.png', media_type: 'image/png' },
  ])
  const [lines] = transcriptsOf(evidenceOf(result))
  expect(lines!.find(({ id }) => id === '2.message-1')).toMatchObject({ content: [{ type: 'image', part: digest }] })
  expect(lines!.at(-1)).toMatchObject({ source: { output: `see ${MEDIA}` } })
  expect(lossesOf([result!]).filter(({ path }) => path === '(media)')).toEqual([])
})

it.each([
  ['traces', 'traces.json', { id: 't-2', timestamp: '2025-03-02T09:00:00Z', htmlPath: '/u', input: 'q', output: 'a' }],
  ['scores', 'scores.json', { id: 's', traceId: 't-2', name: 'n', value: 1, dataType: 'NUMERIC', source: 'API' }],
  ['scores without a trace', 'scores.json', { traceId: null, name: 'n', value: 1, dataType: 'NUMERIC', source: 'API' }],
  ['dataset items', 'items.json', { id: 'i-2', datasetId: 'd', input: 'q', expectedOutput: 'a' }],
])('keeps no source file whose folder has %s of other runs', async (_, name, other) => {
  const originalsWith = async (rows: readonly object[]) => {
    const source = mkdtempSync(join(folder, 'source-'))
    const files: Readonly<Record<string, readonly object[]>> = {
      'scores.json': [],
      'items.json': [],
      ...FILES,
    }
    for (const [file, own] of Object.entries(files))
      writeFileSync(join(source, file), JSON.stringify(file === name ? [...own, ...rows] : own))
    const [result] = await importFolder(source, keepingIn(folder, { hasOriginal: true }), ['dataset-run-items.json'])
    return entriesOf(evidenceOf(result)).filter(({ role }) => role === 'original').length
  }
  expect(await originalsWith([])).toBe(2)
  expect(await originalsWith([other])).toBe(0)
})

it('gives each line an id of its own', async () => {
  const again = [
    ...OBSERVATIONS,
    observation('1', 'AGENT', null, { input: 'again' }),
    observation('2.message-0', 'SPAN', null, {}),
    observation('1.end', 'SPAN', null, {}),
  ]
  const traces = FILES['traces.json'].map((trace) => ({ ...trace, observations: again }))
  const [result] = await importFiles({ ...texts, 'traces.json': JSON.stringify(traces) }, keepingIn(folder))
  const ids = transcriptsOf(evidenceOf(result))[0]!.flatMap(({ id }) => (id === undefined ? [] : [id]))
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids).toContain('1~2')
})

it('a media type that no manifest takes is that of the name of its file', async () => {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'media'), { recursive: true })
  const text = JSON.stringify(FILES['traces.json']).replaceAll('type=image/png', `type=image/${'x'.repeat(300)}`)
  writeFileSync(join(source, 'dataset-run-items.json'), texts['dataset-run-items.json']!)
  writeFileSync(join(source, 'traces.json'), text)
  writeFileSync(join(source, 'media', 'media-1'), PICTURE)
  const [result] = await importFolder(source, keepingIn(folder))
  const found = entriesOf(evidenceOf(result)).filter((entry) => entry.sha256 === digestOf(PICTURE))
  expect(found).toMatchObject([{ name: 'media-1', media_type: 'application/octet-stream' }])
})

it('a file that is too large for a part is not copied', async () => {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'media'), { recursive: true })
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(source, name), text)
  const large = join(source, 'media', 'media-1.png')
  writeFileSync(large, '')
  // It has no blocks on the disk.
  truncateSync(large, MAX_PART_BYTES + 1)
  expect(copyOf(large, folder)).toBeNull()
  expect(readdirSync(folder)).toEqual(['source'])
  const [result] = await importFolder(source, keepingIn(folder))
  expect(result!.document!.cases[0]!.output).toBe(MEDIA)
})

it('a picture whose words are bounded is a part, so that a long text takes little time', async () => {
  const source = join(folder, 'source')
  mkdirSync(source)
  const output = `![![a map](map.png) ![${'x'.repeat(301)}](other.png)`
  writeFileSync(join(source, 'dataset-run-items.json'), texts['dataset-run-items.json']!)
  writeFileSync(join(source, 'traces.json'), JSON.stringify([{ ...FILES['traces.json'][0], output }]))
  writeFileSync(join(source, 'map.png'), PICTURE)
  writeFileSync(join(source, 'other.png'), 'another picture')
  const [result] = await importFolder(source, keepingIn(folder))
  const names = entriesOf(evidenceOf(result)).map(({ name }) => name)
  expect(names).toContain('map.png')
  expect(names).not.toContain('other.png')
})
