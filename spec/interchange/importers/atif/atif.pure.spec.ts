import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../../support/documents/parts.ts'
import { lostSilently } from '../../../support/interchange/accounting.ts'
import { writeHarborJob } from '../../../support/interchange/harbor-job.ts'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  importFolder,
  lossesOf,
} from '../../../support/interchange/import-files.ts'
import {
  entriesOf,
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-atif-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const samples = join(SAMPLES, 'atif')
const NAMES = ['trajectory.json', 'trajectory.cont-1.json', 'trajectory.summarization-1.json']
type Step = { source?: string; llm_call_count?: number; metrics?: Record<string, number> }
type Members = { steps: Step[]; subagent_trajectories: Members[] }
const sample = (name: string): Members => JSON.parse(readFileSync(join(samples, name), 'utf8')) as Members

/** A folder for the parts, and one with files to import. */
const rooms = () => {
  const [parts, source] = [join(folder, 'parts'), join(folder, 'source')]
  for (const path of [parts, source]) mkdirSync(path, { recursive: true })
  return { parts, source }
}

const steps = (message: unknown) => [
  { step_id: 1, source: 'user', message: 'What do you see?' },
  { step_id: 2, source: 'agent', message },
]
const trajectory = (more: object = {}, version = '1.7') => ({
  schema_version: `ATIF-v${version}`,
  session_id: 's',
  agent: { name: 'a', version: '1' },
  steps: steps('A map.'),
  ...more,
})
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const picture = (path: string) => [
  { type: 'text', text: 'The map:' },
  { type: 'image', source: { media_type: 'image/png', path } },
]

describe('the importer of ATIF', () => {
  it('has each leaf of a trajectory and of those to which it refers in a line, in the document or among the losses', async () => {
    const { parts } = rooms()
    const [result] = await importFolder(samples, keepingIn(parts))
    const evidence = evidenceOf(result)
    const leaves = NAMES.flatMap((name) => leavesOf(sample(name)))
      // An agent is the role assistant in a transcript.
      .filter(({ path, value }) => !(path.endsWith('steps.*.source') && value === 'agent'))
    const { bytes } = result!.document!
    expect(missingLeaves(leaves, [bytes], lossesOf([result!]), partValues(evidence))).toEqual([])
    expect(lossesOf([result!]).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'left_out steps.*.metrics.prompt_token_ids',
      'left_out steps.*.metrics.logprobs',
      'left_out steps.*.metrics.completion_token_ids',
      'assumed (trajectory) (assertions).status',
    ])
  })

  it('has the totals of the source in the outline', async () => {
    const { parts } = rooms()
    const [lines] = transcriptsOf(evidenceOf((await importFolder(samples, keepingIn(parts)))[0]))
    const main = sample('trajectory.json')
    const all = [
      ...main.steps,
      ...main.subagent_trajectories.flatMap((inner) => inner.steps),
      ...sample('trajectory.cont-1.json').steps,
      ...sample('trajectory.summarization-1.json').steps,
    ]
    const sum = (key: string) => all.reduce((total, { metrics }) => total + (metrics?.[key] ?? 0), 0)
    const totals = outlineTotals(lines!)
    expect(totals).toMatchObject({
      messages: all.length,
      input_tokens: sum('prompt_tokens'),
      output_tokens: sum('completion_tokens'),
      missing_parents: 0,
    })
    expect(totals.cost_usd).toBeCloseTo(sum('cost_usd'))
    expect(totals.types).toMatchObject({
      tool: 2,
      span: 3,
      span_end: 3,
      model: all.filter(({ source, llm_call_count }) => source === 'agent' && llm_call_count !== 0).length,
    })
  })

  it('puts an observation to its call, and sub-agents where they were called', async () => {
    const { parts } = rooms()
    const [lines] = transcriptsOf(evidenceOf((await importFolder(samples, keepingIn(parts)))[0]))
    expect(lines!.filter(({ type }) => type === 'tool')).toMatchObject([
      { call: 'call_1', name: 'look_up', arguments: { country: 'Peru' }, result: 'Lima' },
      { call: 'call_2', result: [{ type: 'text', text: 'About 10 million.' }] },
    ])
    expect(lines!.filter(({ type }) => type === 'span').map(({ name }) => name)).toEqual([
      'census-agent',
      'summarizer',
      'idle-agent',
    ])
    expect(lines!.at(-1)).toMatchObject({ role: 'assistant', content: 'Lima, where about 10 million people live.' })
  })

  it('is one case, with the continued trajectory: reward, usage, conversation and answer', async () => {
    const results = await importFolder(samples)
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 0'])
    expect(results[0]!.document!.cases[0]).toMatchObject({
      cell: { provider_id: 'atlas-agent (acme/large-2)' },
      output: 'Lima, where about 10 million people live.',
      usage: { input_tokens: 1150, cache_read_tokens: 500, output_tokens: 95 },
      cost_usd: 0.0191,
      latency_ms: 15_000,
    })
  })

  it('loses nothing silently without evidence', async () =>
    expect(await lostSilently(join(samples, 'trajectory.json'))).toEqual([]))

  it.each(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7'])(
    'reads version %s, and skips it without a reward',
    async (version) => {
      const { parts } = rooms()
      const results = await importBytes('t.json', JSON.stringify(trajectory({}, version)), {
        ...keepingIn(parts),
        createdAt: '2026-01-01T00:00:00Z',
      })
      expect(countsOf(results)).toEqual(['0 / 0 / 0 / 1'])
      const [lines] = transcriptsOf(evidenceOf(results[0]))
      expect(lines![0]).toMatchObject({ transcript: 1, source: { format: 'atif', version } })
      expect(lines!.map(({ type }) => type)).toEqual([undefined, 'message', 'model', 'message'])
    },
  )

  it('refuses another major version by its number', async () =>
    expect(countsOf(await importBytes('t.json', JSON.stringify(trajectory({}, '2.0'))))).toEqual([
      'refused: atif: the trajectory has version ATIF-v2.0; up to version 1 can be read',
    ]))

  it('gives the same parts for the same bytes', async () => {
    const { parts } = rooms()
    const runs = [await importFolder(samples, keepingIn(parts)), await importFolder(samples, keepingIn(parts))]
    const [first, second] = runs.map(([result]) => evidenceOf(result).manifest)
    expect(second).toBe(first)
  })

  it('takes two trajectories that refer to each other as one run', async () => {
    const { source } = rooms()
    for (const [name, other] of [
      ['a.json', 'b.json'],
      ['b.json', 'a.json'],
    ] as const)
      writeFileSync(
        join(source, name),
        JSON.stringify(trajectory({ continued_trajectory_ref: other, trajectory_id: name })),
      )
    const results = await importFolder(source, { createdAt: '2026-01-01T00:00:00Z' })
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 1'])
  })

  it('says which trajectory is missing', async () => {
    const results = await importBytes('t.json', JSON.stringify(trajectory({ continued_trajectory_ref: 'gone.json' })), {
      createdAt: '2026-01-01T00:00:00Z',
    })
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ kind: 'cut', path: 'continued_trajectory_ref' }))
  })
})

describe('a picture that a trajectory names by its path', () => {
  const importWith = async (path: string, files?: string) => {
    const { parts, source } = rooms()
    writeFileSync(join(source, 't.json'), JSON.stringify(trajectory({ steps: steps(picture(path)) })))
    const [result] = await importFile(join(source, 't.json'), {
      ...keepingIn(parts, files === undefined ? {} : { files }),
      createdAt: '2026-01-01T00:00:00Z',
    })
    const evidence = evidenceOf(result)
    const message = transcriptsOf(evidence)[0]!.at(-1)!
    return {
      message,
      pictures: entriesOf(evidence).filter(({ role }) => role === 'output'),
      losses: lossesOf([result!]),
    }
  }

  it('is a part, below the folder of the source', async () => {
    const { source } = rooms()
    mkdirSync(join(source, 'images'))
    writeFileSync(join(source, 'images', 'map.png'), PNG)
    const { message, pictures } = await importWith('images/map.png')
    expect(pictures).toMatchObject([
      { sha256: digestOf(PNG), bytes: PNG.length, name: 'map.png', media_type: 'image/png' },
    ])
    expect(message).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', part: digestOf(PNG), source: { name: 'images/map.png' } }],
    })
  })

  it('is a part, below the folder of --files', async () => {
    const files = join(folder, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'map.png'), PNG)
    expect((await importWith('map.png', files)).pictures).toHaveLength(1)
  })

  it.each([
    ['an absolute path', '/etc/passwd', /outside/],
    ['a path that leads out', '../secret.png', /outside/],
    ['a path that leads out in between', 'images/../../secret.png', /outside/],
    ['an address', 'https://example.com/map.png', /not fetched/],
    ['a link', 'link.png', /a link/],
    ['a folder that is a link', 'linked/map.png', /a link/],
    ['a file that is not there', 'gone.png', /no file/],
    ['a folder', 'images', /no file/],
    ['a name that no file can have', `${'x'.repeat(300)}.png`, /cannot be read/],
  ])('is not read, and recorded: %s', async (_, path, why) => {
    const { source } = rooms()
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    mkdirSync(join(source, 'images'))
    for (const file of [join(folder, 'secret.png'), join(outside, 'map.png')]) writeFileSync(file, PNG)
    symlinkSync(join(folder, 'secret.png'), join(source, 'link.png'))
    symlinkSync(outside, join(source, 'linked'))
    const { message, pictures, losses } = await importWith(path)
    expect(pictures).toEqual([])
    expect(losses).toContainEqual(
      expect.objectContaining({ path: 'steps.*.message.*.source.path', note: expect.stringMatching(why) as string }),
    )
    expect(JSON.stringify(message)).toContain(path)
  })

  it('is not read for an upload', async () => {
    const { parts } = rooms()
    const [result] = await importBytes('t.json', JSON.stringify(trajectory({ steps: steps(picture('map.png')) })), {
      ...keepingIn(parts),
      createdAt: '2026-01-01T00:00:00Z',
    })
    expect(entriesOf(evidenceOf(result)).map(({ role }) => role)).toEqual(['transcript'])
  })
})

describe('a job of Harbor', () => {
  const job = () => writeHarborJob(join(rooms().source, 'job'), sample('trajectory.json'))

  it('is one run with a case a trial, by its rewards', async () => {
    const results = await importFolder(job())
    expect(countsOf(results)).toEqual(['1 / 1 / 1 / 0'])
    const { run, cases } = results[0]!.document!
    expect(run).toMatchObject({
      suite: 'capitals',
      started_at: '2026-03-02T08:59:00Z',
      finished_at: '2026-03-02T09:02:00Z',
    })
    expect(cases).toMatchObject([
      {
        name: 'lima__a',
        cell: { test_id: 'lima', repeat: 0, provider_id: 'atlas-agent (large-2)' },
        latency_ms: 30_000,
      },
      { name: 'lima__b', cell: { test_id: 'lima', repeat: 1 }, tags: ['exception:AgentTimeoutError'] },
      { name: 'oslo__a', error: 'out of time', error_class: 'AgentTimeoutError' },
    ])
    expect(cases[0]!.asserts.map(({ weight }) => weight)).toEqual([1, 0])
  })

  it('has the trajectories as transcripts, the files of verifiers as parts, and all its files as originals', async () => {
    const { parts } = rooms()
    const [result] = await importFolder(job(), keepingIn(parts, { hasOriginal: true }))
    const entries = entriesOf(evidenceOf(result))
    expect(entries.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'transcript lima__a',
      'grading verifier/test-stdout.txt',
      'original result.json',
      'original config.json',
      'original lima__a/result.json',
      'original lima__a/agent/trajectory.json',
      'original lima__b/result.json',
      'original oslo__a/result.json',
    ])
  })

  it('loses nothing silently', async () => {
    const { parts } = rooms()
    const path = job()
    const [result] = await importFolder(path, keepingIn(parts))
    const files = ['result.json', 'config.json', 'lima__a/result.json', 'lima__b/result.json', 'oslo__a/result.json']
    const leaves = files.flatMap((name) => leavesOf(JSON.parse(readFileSync(join(path, name), 'utf8'))))
    expect(
      missingLeaves(leaves, [result!.document!.bytes], lossesOf([result!]), partValues(evidenceOf(result))),
    ).toEqual([])
  })

  it('has its trials, which are imported with it and not alone', async () => {
    const path = job()
    for (const file of ['lima__a/result.json', 'lima__a/agent/trajectory.json'])
      expect(countsOf(await importFile(join(path, file)))).toEqual([
        `refused: atif: belongs to ${join(path, 'result.json')}: import that`,
      ])
  })

  it('is not needed for a trial', async () => {
    const alone = join(folder, 'alone')
    cpSync(join(job(), 'lima__a'), alone, { recursive: true })
    const { parts } = rooms()
    const [result] = await importFolder(alone, keepingIn(parts))
    expect(countsOf([result!])).toEqual(['1 / 0 / 0 / 0'])
    expect(transcriptsOf(evidenceOf(result))).toHaveLength(1)
  })

  it('follows no link, and reports a trajectory that cannot be read', async () => {
    const path = job()
    rmSync(join(path, 'lima__a/verifier/test-stdout.txt'))
    symlinkSync(join(path, 'config.json'), join(path, 'lima__a/verifier/test-stdout.txt'))
    writeFileSync(join(path, 'lima__a/agent/trajectory.json'), '{"schema_version": "ATIF-v1.7", "steps": [')
    const { parts } = rooms()
    const [result] = await importFolder(path, keepingIn(parts))
    expect(countsOf([result!])).toEqual(['1 / 1 / 1 / 0'])
    expect(lossesOf([result!])).toContainEqual(expect.objectContaining({ path: '(trajectory.json)' }))
    expect(result && 'run' in result && result.run.evidence).toBeNull()
  })
})
